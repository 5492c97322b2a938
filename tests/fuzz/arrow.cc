// Any rows as an Arrow file: what a reader of the format finds in it are these rows.
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <flatbuffers/flatbuffers.h>

#include "sluice/render/arrow_rows.h"

#include "property.h"

namespace {

using flatbuffers::Table;
using sluice::engine::Column;
using sluice::engine::Field;
using sluice::engine::TypeId;

constexpr std::size_t kRowsMax = 100;

struct Row {
  std::optional<std::int64_t> number;
  std::optional<std::string> text;
  std::optional<bool> flag;

  friend bool operator==(const Row&, const Row&) = default;
};

// Each row: a byte of flags, then its number and its text if they are not null.
std::vector<Row> rows_of(std::string_view input) {
  std::vector<Row> rows;
  while (!input.empty() && rows.size() < kRowsMax) {
    const auto flags = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    Row row;
    if ((flags & 1U) != 0) {
      std::int64_t number = 0;
      std::memcpy(&number, input.data(), std::min(input.size(), sizeof(number)));
      input.remove_prefix(std::min(input.size(), sizeof(number)));
      row.number = number;
    }
    if ((flags & 2U) != 0) {
      const std::size_t size = std::min<std::size_t>(flags >> 4U, input.size());
      row.text = std::string(input.substr(0, size));
      // Some are as long as a pointer is needed for.
      if ((flags & 8U) != 0) row.text = *row.text + *row.text + std::string(20, 'x');
      input.remove_prefix(size);
    }
    if ((flags & 4U) != 0) row.flag = (flags & 128U) != 0;
    rows.push_back(std::move(row));
  }
  return rows;
}

// The columns of a batch as the engine has them, and what they view.
struct Cells {
  explicit Cells(const std::vector<Row>& rows, const std::vector<Field>& fields) {
    valid.assign(3, std::vector<std::uint64_t>((rows.size() + 63) / 64, 0));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      const bool has[] = {row.number.has_value(), row.text.has_value(), row.flag.has_value()};
      for (std::size_t k = 0; k < 3; ++k) valid[k][i / 64] |= std::uint64_t{has[k]} << (i % 64);
      numbers.push_back(row.number.value_or(-1));
      flags.push_back(row.flag.value_or(true) ? 1 : 0);
      const std::string& text = kept.emplace_back(row.text.value_or("null"));
      sluice::engine::TextCell cell{};
      cell.size = static_cast<std::uint32_t>(text.size());
      std::memcpy(cell.head, text.data(), std::min(text.size(), sizeof(cell.head)));
      if (text.size() > 12) {
        cell.pointer = text.data();
      } else if (text.size() > 4) {
        std::memcpy(cell.tail, text.data() + 4, text.size() - 4);
      }
      texts.push_back(cell);
    }
    batch.rows = rows.size();
    batch.columns = {{.type = &fields[0].type,
                      .cells = reinterpret_cast<const std::byte*>(numbers.data()),
                      .valid = valid[0].data(),
                      .children = {}},
                     {.type = &fields[1].type,
                      .cells = reinterpret_cast<const std::byte*>(texts.data()),
                      .valid = valid[1].data(),
                      .children = {}},
                     {.type = &fields[2].type,
                      .cells = reinterpret_cast<const std::byte*>(flags.data()),
                      .valid = valid[2].data(),
                      .children = {}}};
  }

  std::vector<std::vector<std::uint64_t>> valid;
  std::vector<std::int64_t> numbers;
  std::vector<std::uint8_t> flags;
  std::deque<std::string> kept;  // Stays where it is when it grows.
  std::vector<sluice::engine::TextCell> texts;
  sluice::engine::Batch batch;
};

template <typename T>
T at(std::string_view bytes, std::size_t offset) {
  require(offset + sizeof(T) <= bytes.size(), "nothing lies behind the end");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

struct Span {
  std::int64_t offset;
  std::int64_t bytes;
};

bool is_set(std::string_view bits, std::size_t at) {
  return bits.empty() || ((static_cast<unsigned char>(bits[at / 8]) >> (at % 8)) & 1U) != 0;
}

// The rows of one message: its metadata, and its body behind it.
void read_batch(std::string_view file, std::size_t offset, std::vector<Row>& out) {
  require(offset % 8 == 0, "a message is aligned");
  require(at<std::uint32_t>(file, offset) == 0xFFFFFFFF, "it begins with its mark");
  const auto metadata = static_cast<std::size_t>(at<std::int32_t>(file, offset + 4));
  require(offset + 8 + metadata <= file.size(), "its metadata is there");
  const auto* message = flatbuffers::GetRoot<Table>(file.data() + offset + 8);
  require(message->GetField<std::uint8_t>(6, 0) == 3, "it is of rows");
  const auto* header = message->GetPointer<const Table*>(8);
  const auto rows = static_cast<std::size_t>(header->GetField<std::int64_t>(4, 0));
  const auto* spans = header->GetPointer<const flatbuffers::Vector<const Span*>*>(8);
  require(spans->size() == 2 + 3 + 2, "there are so many buffers");
  const std::string_view body = file.substr(offset + 8 + metadata);
  const auto buffer = [&](flatbuffers::uoffset_t i) {
    Span span{};
    std::memcpy(&span, spans->Data() + i * sizeof(Span), sizeof(Span));
    require(span.offset % 8 == 0 && static_cast<std::size_t>(span.offset + span.bytes) <= body.size(),
            "a buffer is in the body");
    return body.substr(static_cast<std::size_t>(span.offset), static_cast<std::size_t>(span.bytes));
  };
  for (std::size_t i = 0; i < rows; ++i) {
    Row row;
    if (is_set(buffer(0), i)) row.number = at<std::int64_t>(buffer(1), i * 8);
    if (is_set(buffer(2), i)) {
      const auto begin = static_cast<std::size_t>(at<std::int32_t>(buffer(3), i * 4));
      const auto end = static_cast<std::size_t>(at<std::int32_t>(buffer(3), i * 4 + 4));
      require(begin <= end && end <= buffer(4).size(), "a text is in its buffer");
      row.text = std::string(buffer(4).substr(begin, end - begin));
    }
    if (is_set(buffer(5), i)) row.flag = is_set(buffer(6), i);
    out.push_back(std::move(row));
  }
}

std::vector<Row> read_file(std::string_view file) {
  require(file.starts_with("ARROW1") && file.ends_with("ARROW1"), "a file has its marks");
  const auto bytes = static_cast<std::size_t>(at<std::int32_t>(file, file.size() - 10));
  require(bytes + 10 < file.size(), "its footer is there");
  const std::string footer(file.substr(file.size() - 10 - bytes, bytes));  // Aligned.
  const auto* blocks =
      flatbuffers::GetRoot<Table>(footer.data())->GetPointer<const flatbuffers::Vector<const Span*>*>(10);
  std::vector<Row> rows;
  for (flatbuffers::uoffset_t i = 0; blocks != nullptr && i < blocks->size(); ++i) {
    std::int64_t offset = 0;
    std::memcpy(&offset, blocks->Data() + std::size_t{i} * 24, sizeof(offset));
    read_batch(file, static_cast<std::size_t>(offset), rows);
  }
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::vector<Field> fields = {{.name = "n", .type = {.id = TypeId::kInt64}},
                                     {.name = "t", .type = {.id = TypeId::kText}},
                                     {.name = "b", .type = {.id = TypeId::kBool}}};
  const std::vector<Row> rows = rows_of(text_of(data, size).substr(1));
  const Cells cells(rows, fields);
  sluice::render::ArrowRows arrow(fields, 1 << 20U);
  // From the middle on, and drained between, as a long answer is.
  const std::size_t from = rows.empty() ? 0 : data[0] % rows.size();
  require(arrow.append(cells.batch, from) == rows.size() - from, "all rows fit");
  std::string file = arrow.drain();
  require(arrow.append(cells.batch) == rows.size(), "all rows fit again");
  file += std::move(arrow).take();
  std::vector<Row> expected(rows.begin() + static_cast<std::ptrdiff_t>(from), rows.end());
  expected.insert(expected.end(), rows.begin(), rows.end());
  require(read_file(file) == expected, "a reader finds the rows");
  return 0;
}
