#include "batch_code.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "sluice/engine/batch_builder.h"

namespace sluice::engine {

namespace {

void append_bytes(std::string& out, const void* bytes, std::size_t size) {
  out.append(static_cast<const char*>(bytes), size);
}

void append_number(std::string& out, std::uint64_t number) { append_bytes(out, &number, sizeof(number)); }

bool is_text(TypeId id) { return id == TypeId::kText || id == TypeId::kBlob; }

// One column: whether it has nulls and their bits, then its cells. A text is its length and its bytes, a list
// its cells and the rows of the child that they mean.
void encode_column(const Column& column, std::size_t rows, std::string& out) {
  append_number(out, column.valid == nullptr ? 0 : 1);
  if (column.valid != nullptr) append_bytes(out, column.valid, (rows + 63) / 64 * sizeof(std::uint64_t));
  if (is_text(column.type->id)) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::string_view text = column.is_null(row) ? std::string_view() : column.text(row);
      append_number(out, text.size());
      out += text;
    }
    return;
  }
  append_bytes(out, column.cells, rows * cell_bytes(*column.type));
  if (column.type->id != TypeId::kList) return;
  std::uint64_t child_rows = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (column.is_null(row)) continue;
    const auto list = column.at<ListCell>(row);
    child_rows = std::max(child_rows, list.offset + list.size);
  }
  append_number(out, child_rows);
  encode_column(column.children.front(), child_rows, out);
}

// Reads what encode_column() has written, in the same order. The bytes are our own: they are not checked.
class ColumnDecoder {
 public:
  explicit ColumnDecoder(const std::string& bytes) : at_(bytes.data()) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, skip(sizeof(value)), sizeof(value));
    return value;
  }

  Column column(const Type& type, std::size_t rows, DecodedColumn& decoded) {
    Column out;
    out.type = &type;
    if (number() != 0) {
      decoded.valid.resize((rows + 63) / 64);
      const std::size_t size = decoded.valid.size() * sizeof(std::uint64_t);
      std::memcpy(decoded.valid.data(), skip(size), size);
      out.valid = decoded.valid.data();
    }
    if (is_text(type.id)) {
      decoded.texts.resize(rows);
      for (TextCell& cell : decoded.texts) cell = text();
      out.cells = reinterpret_cast<const std::byte*>(decoded.texts.data());
      return out;
    }
    out.cells = reinterpret_cast<const std::byte*>(skip(rows * cell_bytes(type)));
    if (type.id == TypeId::kList) {
      decoded.child = std::make_unique<DecodedColumn>();
      const std::size_t child_rows = number();
      out.children.push_back(column(type.fields.front().type, child_rows, *decoded.child));
    }
    return out;
  }

 private:
  const char* skip(std::size_t bytes) { return std::exchange(at_, at_ + bytes); }

  TextCell text() {
    const std::size_t size = number();
    const char* bytes = skip(size);
    TextCell cell{};
    cell.size = static_cast<std::uint32_t>(size);
    std::memcpy(cell.head, bytes, std::min(size, sizeof(cell.head)));
    if (size <= sizeof(cell.head) + sizeof(cell.tail)) {
      if (size > sizeof(cell.head))
        std::memcpy(cell.tail, bytes + sizeof(cell.head), size - sizeof(cell.head));
    } else {
      cell.pointer = bytes;
    }
    return cell;
  }

  const char* at_;  // Into the bytes of the constructor.
};

}  // namespace

std::string encode(const Batch& batch) {
  std::string out;
  append_number(out, batch.rows);
  for (const Column& column : batch.columns) encode_column(column, batch.rows, out);
  return out;
}

void BatchDecoder::decode(const std::string& bytes, const std::vector<Field>& columns, Batch& batch) {
  ColumnDecoder decoder(bytes);
  batch.rows = decoder.number();
  batch.columns.clear();
  decoded_.clear();
  decoded_.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i)
    batch.columns.push_back(decoder.column(columns[i].type, batch.rows, decoded_[i]));
}

}  // namespace sluice::engine
