#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace sluice::arrow {

// A table in a flatbuffer of somebody else's. Every place is checked before it is read: what lies outside of
// the buffer reads as absent, and is_damaged() tells it. The buffer must outlive the table. One thread at a
// time.
class FlatTable {
 public:
  // The root table; nullopt if there is none.
  static std::optional<FlatTable> root(std::string_view buffer, bool& is_damaged);

  template <typename T>
  T scalar(std::size_t field, T fallback) const {
    const std::optional<std::size_t> at = place(field, sizeof(T));
    return at ? read<T>(*at) : fallback;
  }
  std::optional<FlatTable> table(std::size_t field) const;
  std::string_view text(std::size_t field) const;

  // A vector of tables, or of structs of a fixed size.
  struct Vector {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  Vector vector(std::size_t field, std::size_t item_bytes) const;
  std::optional<FlatTable> table_at(const Vector& vector, std::size_t index) const;
  template <typename T>
  T item_at(const Vector& vector, std::size_t index, std::size_t item_bytes, std::size_t offset) const {
    return read<T>(vector.begin + index * item_bytes + offset);
  }

 private:
  FlatTable(std::string_view buffer, std::size_t at, bool& is_damaged)
      : buffer_(buffer), at_(at), is_damaged_(&is_damaged) {}
  static std::optional<FlatTable> at(std::string_view buffer, std::size_t place, bool& is_damaged);
  std::optional<std::size_t> place(std::size_t field, std::size_t bytes) const;
  std::optional<std::size_t> follow(std::size_t place) const;
  bool has(std::size_t place, std::size_t bytes) const {
    return place <= buffer_.size() && bytes <= buffer_.size() - place;
  }
  template <typename T>
  T read(std::size_t place) const {
    T out{};
    if (!has(place, sizeof(T))) {
      *is_damaged_ = true;
      return out;
    }
    std::memcpy(&out, buffer_.data() + place, sizeof(T));
    return out;
  }

  std::string_view buffer_;
  std::size_t at_ = 0;
  bool* is_damaged_;  // The caller's, shared by all tables of the buffer.
};

}  // namespace sluice::arrow
