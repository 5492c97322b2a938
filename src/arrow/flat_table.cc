#include "flat_table.h"

namespace sluice::arrow {

namespace {

constexpr std::size_t kOffsetBytes = 4;
constexpr std::size_t kTableHeaderBytes = 4;  // Of the list of a table's fields: two sizes.

}  // namespace

std::optional<FlatTable> FlatTable::at(std::string_view buffer, std::size_t place, bool& is_damaged) {
  const FlatTable out(buffer, place, is_damaged);
  if (out.has(place, kOffsetBytes)) return out;
  is_damaged = true;
  return std::nullopt;
}

std::optional<FlatTable> FlatTable::root(std::string_view buffer, bool& is_damaged) {
  const FlatTable start(buffer, 0, is_damaged);
  const std::optional<std::size_t> place = start.follow(0);
  return place ? at(buffer, *place, is_damaged) : std::nullopt;
}

std::optional<std::size_t> FlatTable::follow(std::size_t place) const {
  const auto offset = read<std::uint32_t>(place);
  if (offset == 0 || !has(place + offset, kOffsetBytes)) {
    *is_damaged_ = true;
    return std::nullopt;
  }
  return place + offset;
}

std::optional<std::size_t> FlatTable::place(std::size_t field, std::size_t bytes) const {
  const auto back = static_cast<std::int64_t>(read<std::int32_t>(at_));
  const std::int64_t list = static_cast<std::int64_t>(at_) - back;
  if (list < 0 || !has(static_cast<std::size_t>(list), kTableHeaderBytes)) {
    *is_damaged_ = true;
    return std::nullopt;
  }
  const auto fields = static_cast<std::size_t>(list);
  const std::size_t entry = kTableHeaderBytes + 2 * field;
  if (entry + 2 > read<std::uint16_t>(fields)) return std::nullopt;  // The writer did not know the field.
  const std::size_t offset = read<std::uint16_t>(fields + entry);
  if (offset == 0) return std::nullopt;
  if (!has(at_ + offset, bytes)) {
    *is_damaged_ = true;
    return std::nullopt;
  }
  return at_ + offset;
}

std::optional<FlatTable> FlatTable::table(std::size_t field) const {
  const std::optional<std::size_t> from = place(field, kOffsetBytes);
  const std::optional<std::size_t> to = from ? follow(*from) : std::nullopt;
  return to ? at(buffer_, *to, *is_damaged_) : std::nullopt;
}

FlatTable::Vector FlatTable::vector(std::size_t field, std::size_t item_bytes) const {
  const std::optional<std::size_t> from = place(field, kOffsetBytes);
  const std::optional<std::size_t> to = from ? follow(*from) : std::nullopt;
  if (!to) return {};
  const Vector out{.begin = *to + kOffsetBytes, .size = read<std::uint32_t>(*to)};
  if (out.size <= (buffer_.size() - *to - kOffsetBytes) / item_bytes) return out;
  *is_damaged_ = true;
  return {};
}

std::string_view FlatTable::text(std::size_t field) const {
  const Vector bytes = vector(field, 1);
  return buffer_.substr(bytes.size == 0 ? 0 : bytes.begin, bytes.size);
}

std::optional<FlatTable> FlatTable::table_at(const Vector& vector, std::size_t index) const {
  const std::optional<std::size_t> to = follow(vector.begin + index * kOffsetBytes);
  return to ? at(buffer_, *to, *is_damaged_) : std::nullopt;
}

}  // namespace sluice::arrow
