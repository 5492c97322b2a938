#include "column_decoder.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/engine/utf8_repair.h"

#include "arrow_failure.h"
#include "value_decoder.h"

namespace sluice::arrow {

namespace {

constexpr std::size_t kViewBytes = 16;
constexpr std::size_t kShortViewBytes = 12;  // Longer texts stand in a buffer.
constexpr std::uint64_t kListElementsMax = std::uint64_t{1} << 28U;

template <typename T>
T stored_at(std::string_view bytes, std::size_t index) {
  T out;
  std::memcpy(&out, bytes.data() + index * sizeof(T), sizeof(T));
  return out;
}

bool bit_at(std::string_view bits, std::size_t index) {
  return ((static_cast<unsigned char>(bits[index / 8]) >> (index % 8)) & 1U) != 0;
}

// Sets a text as it is, or repaired where it is not UTF-8. Binary values are any bytes.
void set_checked(DecodedColumn& column, std::size_t row, std::string_view text) {
  if (column.type->id == engine::TypeId::kBlob || is_valid_utf8(text)) {
    column.set_text(row, text);
    return;
  }
  column.kept.push_back(std::make_shared<const std::string>(engine::repair_utf8(text)));
  column.set_text(row, *column.kept.back());
}

template <typename Signed, typename Unsigned>
std::uint64_t number_at(std::string_view numbers, std::size_t row, bool is_signed) {
  if (!is_signed) return stored_at<Unsigned>(numbers, row);
  // What is negative becomes too large.
  return static_cast<std::uint64_t>(std::int64_t{stored_at<Signed>(numbers, row)});
}

std::uint64_t index_at(std::string_view numbers, std::size_t row, const ArrowField::Dictionary& dictionary) {
  switch (dictionary.bytes) {
    case 1:
      return number_at<std::int8_t, std::uint8_t>(numbers, row, dictionary.is_signed);
    case 2:
      return number_at<std::int16_t, std::uint16_t>(numbers, row, dictionary.is_signed);
    case 4:
      return number_at<std::int32_t, std::uint32_t>(numbers, row, dictionary.is_signed);
    default:
      return stored_at<std::uint64_t>(numbers, row);
  }
}

std::size_t own_buffers(const ArrowField& field) {
  if (field.dictionary) return 2;
  switch (field.layout) {
    case Layout::kNull:
      return 0;
    case Layout::kFixedList:
    case Layout::kStruct:
      return 1;
    case Layout::kFixed:
    case Layout::kBits:
    case Layout::kTextView:
    case Layout::kFixedBinary:
    case Layout::kList:
    case Layout::kLargeList:
    case Layout::kMap:
      return 2;
    case Layout::kText:
    case Layout::kLargeText:
      return 3;
  }
  return 0;
}

}  // namespace

Status ColumnDecoder::skip(const ArrowField& field) {
  ++node_;
  buffer_ += own_buffers(field);
  if (field.dictionary) return {};
  if (field.layout == Layout::kTextView) {
    SLUICE_TRY(const std::size_t more, take_variadic());
    buffer_ += more;
  }
  for (const ArrowField& child : field.children) SLUICE_CHECK(skip(child));
  return {};
}

Result<std::size_t> ColumnDecoder::take_variadic() {
  const std::vector<std::uint64_t>& counts = buffers_.layout().variadic;
  if (variadic_ >= counts.size() || counts[variadic_] > buffers_.layout().buffers.size())
    return damaged_arrow("a column of views does not say how many buffers it has");
  return static_cast<std::size_t>(counts[variadic_++]);
}

// Its node and which of its rows are null.
Status ColumnDecoder::begin(const ArrowField& field, std::uint64_t rows, DecodedColumn& column) {
  column.type = &field.type;
  if (node_ >= buffers_.layout().nodes.size()) return damaged_arrow("a batch has too few columns");
  const BatchLayout::Node& node = buffers_.layout().nodes[node_++];
  if (node.rows < rows) return damaged_arrow("a column has too few rows");
  column.rows = static_cast<std::size_t>(rows);
  if (!field.dictionary && field.layout == Layout::kNull) {
    column.resize(column.rows, sizeof(std::int32_t));
    column.valid.assign((column.rows + 63) / 64, 0);
    return {};
  }
  const std::size_t buffer = buffer_++;
  const bool has_nulls = node.nulls > 0 && buffer < buffers_.layout().buffers.size() &&
                         buffers_.layout().buffers[buffer].bytes > 0;
  if (!has_nulls) return {};
  const std::size_t bytes = (column.rows + 7) / 8;
  SLUICE_TRY(const std::shared_ptr<const std::string> bits, buffers_.read(buffer, bytes));
  column.valid.assign((column.rows + 63) / 64, 0);
  std::memcpy(column.valid.data(), bits->data(), bytes);
  return {};
}

Result<DecodedColumn> ColumnDecoder::decode(const ArrowField& field, std::uint64_t rows) {
  return field.dictionary ? decode_numbers(field, rows) : decode_plain(field, rows);
}

Result<DecodedColumn> ColumnDecoder::decode_plain(const ArrowField& field, std::uint64_t rows) {
  DecodedColumn column;
  column.type = &field.type;
  ArrowField plain;  // Only what begin() asks for.
  plain.layout = field.layout;
  SLUICE_CHECK(begin(plain, rows, column));
  column.type = &field.type;
  if (field.layout != Layout::kNull) SLUICE_CHECK(decode_stored(field, column));
  return column;
}

Status ColumnDecoder::decode_stored(const ArrowField& field, DecodedColumn& column) {
  switch (field.layout) {
    case Layout::kNull:
      return {};
    case Layout::kFixed: {
      SLUICE_TRY(const std::shared_ptr<const std::string> values,
                 buffers_.read(buffer_++, std::uint64_t{column.rows} * field.bytes));
      return decode_values(field, *values, column);
    }
    case Layout::kBits:
      return decode_bits(column);
    case Layout::kText:
      return decode_texts(sizeof(std::int32_t), column);
    case Layout::kLargeText:
      return decode_texts(sizeof(std::int64_t), column);
    case Layout::kTextView:
      return decode_views(column);
    case Layout::kFixedBinary:
      return decode_fixed_binary(field.bytes, column);
    case Layout::kList:
    case Layout::kLargeList:
    case Layout::kMap:
      return decode_lists(field, column);
    case Layout::kFixedList:
      return decode_children(field, std::uint64_t{column.rows} * field.type.array_size, column);
    case Layout::kStruct:
      return decode_children(field, column.rows, column);
  }
  return {};
}

Result<DecodedColumn> ColumnDecoder::decode_numbers(const ArrowField& field, std::uint64_t rows) {
  DecodedColumn numbers;
  SLUICE_CHECK(begin(field, rows, numbers));
  const ArrowField::Dictionary& dictionary = *field.dictionary;
  SLUICE_TRY(const std::shared_ptr<const std::string> stored,
             buffers_.read(buffer_++, rows * dictionary.bytes));
  const auto values = dictionaries_.find(dictionary.id);
  if (values == dictionaries_.end()) return damaged_arrow("a column has no dictionary");
  std::vector<std::size_t> places(numbers.rows, kNoRow);
  for (std::size_t row = 0; row < numbers.rows; ++row) {
    if (numbers.is_null(row)) continue;
    const std::uint64_t index = index_at(*stored, row, dictionary);
    if (index >= values->second.rows) return damaged_arrow("a number is beyond the end of its dictionary");
    places[row] = static_cast<std::size_t>(index);
  }
  DecodedColumn out = gather(values->second, places);
  out.type = &field.type;
  return out;
}

// Where each value begins and ends, in order.
Result<std::vector<std::uint64_t>> ColumnDecoder::read_offsets(std::uint64_t rows, std::size_t bytes) {
  const std::size_t buffer = buffer_++;
  if (rows == 0) return std::vector<std::uint64_t>{0};
  SLUICE_TRY(const std::shared_ptr<const std::string> stored, buffers_.read(buffer, (rows + 1) * bytes));
  std::vector<std::uint64_t> out;
  out.reserve(rows + 1);
  for (std::size_t i = 0; i <= rows; ++i) {
    const std::int64_t offset = bytes == sizeof(std::int32_t) ? stored_at<std::int32_t>(*stored, i)
                                                              : stored_at<std::int64_t>(*stored, i);
    const bool is_in_order = offset >= 0 && (out.empty() || static_cast<std::uint64_t>(offset) >= out.back());
    if (!is_in_order) return damaged_arrow("the values of a column are out of order");
    out.push_back(static_cast<std::uint64_t>(offset));
  }
  return out;
}

Status ColumnDecoder::decode_texts(std::size_t offset_bytes, DecodedColumn& column) {
  SLUICE_TRY(const std::vector<std::uint64_t> offsets, read_offsets(column.rows, offset_bytes));
  SLUICE_TRY(std::shared_ptr<const std::string> texts, buffers_.read(buffer_++, offsets.back()));
  column.resize(column.rows, sizeof(engine::TextCell));
  const std::string_view all = *texts;
  column.kept.push_back(std::move(texts));
  for (std::size_t row = 0; row < column.rows; ++row) {
    if (column.is_null(row)) continue;
    const std::uint64_t bytes = offsets[row + 1] - offsets[row];
    if (bytes > UINT32_MAX) return damaged_arrow("a value is longer than 4 GB");
    set_checked(column, row, all.substr(offsets[row], bytes));
  }
  return {};
}

Status ColumnDecoder::decode_views(DecodedColumn& column) {
  SLUICE_TRY(std::shared_ptr<const std::string> views,
             buffers_.read(buffer_++, std::uint64_t{column.rows} * kViewBytes));
  SLUICE_TRY(const std::size_t count, take_variadic());
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < count; ++i) {
    SLUICE_TRY(std::shared_ptr<const std::string> more, buffers_.read(buffer_++, 0));
    texts.emplace_back(*more);
    column.kept.push_back(std::move(more));
  }
  column.resize(column.rows, sizeof(engine::TextCell));
  const std::string_view all = *views;
  column.kept.push_back(std::move(views));
  for (std::size_t row = 0; row < column.rows; ++row) {
    if (column.is_null(row)) continue;
    const std::string_view view = all.substr(row * kViewBytes, kViewBytes);
    const auto bytes = stored_at<std::uint32_t>(view, 0);
    if (bytes > INT32_MAX) return damaged_arrow("a value has no length");
    if (bytes <= kShortViewBytes) {
      set_checked(column, row, view.substr(sizeof(bytes), bytes));
      continue;
    }
    const auto buffer = stored_at<std::uint32_t>(view, 2);
    const auto offset = stored_at<std::uint32_t>(view, 3);
    if (buffer >= texts.size() || offset > texts[buffer].size() || bytes > texts[buffer].size() - offset)
      return damaged_arrow("a value lies outside of its buffer");
    set_checked(column, row, texts[buffer].substr(offset, bytes));
  }
  return {};
}

Status ColumnDecoder::decode_fixed_binary(std::size_t bytes, DecodedColumn& column) {
  SLUICE_TRY(std::shared_ptr<const std::string> values,
             buffers_.read(buffer_++, std::uint64_t{column.rows} * bytes));
  column.resize(column.rows, sizeof(engine::TextCell));
  const std::string_view all = *values;
  column.kept.push_back(std::move(values));
  for (std::size_t row = 0; row < column.rows; ++row) column.set_text(row, all.substr(row * bytes, bytes));
  return {};
}

Status ColumnDecoder::decode_bits(DecodedColumn& column) {
  SLUICE_TRY(const std::shared_ptr<const std::string> bits, buffers_.read(buffer_++, (column.rows + 7) / 8));
  column.resize(column.rows, 1);
  for (std::size_t row = 0; row < column.rows; ++row)
    column.set(row, static_cast<std::uint8_t>(bit_at(*bits, row) ? 1 : 0));
  return {};
}

Status ColumnDecoder::decode_lists(const ArrowField& field, DecodedColumn& column) {
  const std::size_t bytes = field.layout == Layout::kLargeList ? sizeof(std::int64_t) : sizeof(std::int32_t);
  SLUICE_TRY(const std::vector<std::uint64_t> offsets, read_offsets(column.rows, bytes));
  if (offsets.back() > kListElementsMax) return damaged_arrow("lists have too many elements");
  column.resize(column.rows, sizeof(engine::ListCell));
  for (std::size_t row = 0; row < column.rows; ++row)
    column.set(row, engine::ListCell{.offset = offsets[row], .size = offsets[row + 1] - offsets[row]});
  SLUICE_CHECK(decode_children(field, offsets.back(), column));
  if (field.layout != Layout::kMap) return {};
  // The engine has the keys and the values of a map beside each other, without the struct around them.
  std::vector<DecodedColumn> members = std::move(column.children.front().children);
  column.children = std::move(members);
  return {};
}

Status ColumnDecoder::decode_children(const ArrowField& field, std::uint64_t rows, DecodedColumn& column) {
  if (rows > kListElementsMax) return damaged_arrow("lists have too many elements");
  for (const ArrowField& child : field.children) {
    SLUICE_TRY(DecodedColumn decoded, decode(child, rows));
    column.children.push_back(std::move(decoded));
  }
  return {};
}

}  // namespace sluice::arrow
