#include "sluice/render/arrow_rows.h"

#include <cstring>
#include <numeric>
#include <utility>

#include "sluice/render/cell.h"

#include "arrow_format.h"

namespace sluice::render {

namespace {

using arrow::Kind;
using engine::Column;
using engine::TypeId;
using Indexes =
    std::vector<std::size_t>;  // Of rows of a column: those of a list's elements may lie anywhere.

constexpr std::string_view kMagic = "ARROW1";
constexpr std::size_t kAlignment = 8;
constexpr std::uint32_t kContinuation = 0xFFFFFFFF;

void pad(std::string& out) { out.append((kAlignment - out.size() % kAlignment) % kAlignment, '\0'); }

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The columns of one batch, buffer after buffer.
class Body {
 public:
  void add(const Column& column, const Indexes& rows) {
    const Kind kind = arrow::kind_of(column.type->id);
    add_validity(column, rows);
    switch (kind) {
      case Kind::kBool:
        return add_bits(rows, [&](std::size_t row) { return column.at<std::uint8_t>(row) != 0; });
      case Kind::kInt:
      case Kind::kFloat:
      case Kind::kDate:
      case Kind::kTime:
      case Kind::kTimestamp:
        return add_fixed(column, rows, fixed_bytes(column.type->id));
      case Kind::kDecimal:
        return add_decimals(column, rows);
      case Kind::kText:
      case Kind::kBinary:
        return add_texts(column, rows);
      case Kind::kList:
        return add_list(column, rows);
      case Kind::kFixedSizeList:
        return add_array(column, rows);
      case Kind::kStruct:
        for (const Column& child : column.children) add(child, rows);
        return;
    }
  }

  const std::vector<arrow::Node>& nodes() const { return nodes_; }
  const std::vector<arrow::Buffer>& buffers() const { return buffers_; }
  const std::string& bytes() const { return bytes_; }

 private:
  static std::size_t fixed_bytes(TypeId id) {
    switch (id) {
      case TypeId::kInt8:
      case TypeId::kUInt8:
        return 1;
      case TypeId::kInt16:
      case TypeId::kUInt16:
        return 2;
      case TypeId::kInt32:
      case TypeId::kUInt32:
      case TypeId::kFloat:
      case TypeId::kDate:
        return 4;
      default:
        return 8;
    }
  }

  void begin() { buffers_.push_back({.offset = static_cast<std::int64_t>(bytes_.size()), .bytes = 0}); }
  void end() {
    buffers_.back().bytes = static_cast<std::int64_t>(bytes_.size()) - buffers_.back().offset;
    pad(bytes_);
  }

  template <typename IsSet>
  void add_bits(const Indexes& rows, IsSet is_set) {
    begin();
    std::string bits((rows.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_set(rows[i])) bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
    }
    bytes_ += bits;
    end();
  }

  void add_validity(const Column& column, const Indexes& rows) {
    std::int64_t nulls = 0;
    for (const std::size_t row : rows) nulls += column.is_null(row) ? 1 : 0;
    nodes_.push_back({.rows = static_cast<std::int64_t>(rows.size()), .nulls = nulls});
    if (nulls > 0) return add_bits(rows, [&](std::size_t row) { return !column.is_null(row); });
    begin();  // Empty: all are valid.
    end();
  }

  void add_fixed(const Column& column, const Indexes& rows, std::size_t size) {
    begin();
    for (const std::size_t row : rows)
      bytes_.append(reinterpret_cast<const char*>(column.cells) + row * size, size);
    end();
  }

  // All of 128 bits, whatever the engine needs for so many digits.
  void add_decimals(const Column& column, const Indexes& rows) {
    begin();
    for (const std::size_t row : rows) {
      if (column.type->width > 18) {
        put(bytes_, column.at<engine::Int128>(row));
        continue;
      }
      const std::int64_t value = column.type->width <= 4   ? column.at<std::int16_t>(row)
                                 : column.type->width <= 9 ? column.at<std::int32_t>(row)
                                                           : column.at<std::int64_t>(row);
      put(bytes_, engine::Int128{.low = static_cast<std::uint64_t>(value), .high = value < 0 ? -1 : 0});
    }
    end();
  }

  void add_texts(const Column& column, const Indexes& rows) {
    const TypeId id = column.type->id;
    const bool as_is = id == TypeId::kText || id == TypeId::kBlob;
    std::string texts;
    begin();
    put<std::int32_t>(bytes_, 0);
    for (const std::size_t row : rows) {
      if (!column.is_null(row) && as_is) texts += column.text(row);
      if (!column.is_null(row) && !as_is) append_text(texts, column, row);
      put(bytes_, static_cast<std::int32_t>(texts.size()));
    }
    end();
    begin();
    bytes_ += texts;
    end();
  }

  void add_list(const Column& column, const Indexes& rows) {
    Indexes elements;
    begin();
    put<std::int32_t>(bytes_, 0);
    for (const std::size_t row : rows) {
      if (!column.is_null(row)) {
        const auto cell = column.at<engine::ListCell>(row);
        for (std::uint64_t i = 0; i < cell.size; ++i) elements.push_back(cell.offset + i);
      }
      put(bytes_, static_cast<std::int32_t>(elements.size()));
    }
    end();
    add(column.children.front(), elements);
  }

  void add_array(const Column& column, const Indexes& rows) {
    Indexes elements;
    const std::size_t size = column.type->array_size;
    for (const std::size_t row : rows) {
      for (std::size_t i = 0; i < size; ++i) elements.push_back(row * size + i);
    }
    add(column.children.front(), elements);
  }

  std::vector<arrow::Node> nodes_;
  std::vector<arrow::Buffer> buffers_;
  std::string bytes_;
};

}  // namespace

ArrowRows::ArrowRows(const std::vector<engine::Field>& columns, std::size_t bytes_max, ArrowFraming framing)
    : columns_(columns), bytes_max_(bytes_max), framing_(framing) {
  if (framing_ == ArrowFraming::kFile) {
    out_ = kMagic;
    pad(out_);
  }
  add_message(arrow::schema_message(columns_), "");
}

ArrowRows::Message ArrowRows::add_message(const std::string& metadata, const std::string& body) {
  const std::size_t begin = out_.size();
  Message message{.offset = drained_bytes_ + begin, .metadata_bytes = 0, .body_bytes = body.size()};
  std::string padded = metadata;
  pad(padded);
  put(out_, kContinuation);
  put(out_, static_cast<std::int32_t>(padded.size()));
  out_ += padded;
  message.metadata_bytes = static_cast<std::uint32_t>(out_.size() - begin);
  out_ += body;
  return message;
}

std::size_t ArrowRows::append(const engine::Batch& batch, std::size_t from) {
  Indexes rows(batch.rows - from);
  std::iota(rows.begin(), rows.end(), from);
  Body body;
  for (const Column& column : batch.columns) body.add(column, rows);
  if (body.bytes().size() > kArrowBatchBytesMax) return 0;
  const std::uint64_t before = drained_bytes_ + out_.size();
  if (body.bytes().size() > bytes_max_ || before > bytes_max_ - body.bytes().size()) return 0;
  const Message message =
      add_message(arrow::batch_message(static_cast<std::int64_t>(rows.size()), body.nodes(), body.buffers(),
                                       static_cast<std::int64_t>(body.bytes().size())),
                  body.bytes());
  if (framing_ == ArrowFraming::kFile) messages_.push_back(message);
  return rows.size();
}

std::string ArrowRows::drain() {
  drained_bytes_ += out_.size();
  return std::exchange(out_, {});
}

std::string ArrowRows::take() && {
  std::vector<arrow::Block> blocks;
  for (const Message& one : messages_) {
    blocks.push_back({.offset = static_cast<std::int64_t>(one.offset),
                      .metadata_bytes = static_cast<std::int32_t>(one.metadata_bytes),
                      .padding = 0,
                      .body_bytes = static_cast<std::int64_t>(one.body_bytes)});
  }
  put(out_, kContinuation);
  put<std::int32_t>(out_, 0);  // The end of the messages.
  if (framing_ == ArrowFraming::kStream) return std::move(out_);
  const std::string footer = arrow::footer(columns_, blocks);
  out_ += footer;
  put(out_, static_cast<std::int32_t>(footer.size()));
  out_ += kMagic;
  return std::move(out_);
}

}  // namespace sluice::render
