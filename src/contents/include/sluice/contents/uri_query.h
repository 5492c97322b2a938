#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::contents {

// `?offset=&length=`: which bytes of a source are wanted.
struct Range {
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length;  // At least 1.

  bool is_given() const { return offset.has_value() || length.has_value(); }
};

// What stands behind the '?' of a URI: names with values, each once.
class UriQuery {
 public:
  // Nothing where a parameter has no '=', is none of `known`, comes twice, or its value is not
  // percent-encoded UTF-8 without NUL.
  static std::optional<UriQuery> parse(std::string_view text, std::span<const std::string_view> known);

  bool empty() const { return values_.empty(); }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  std::string_view text(std::string_view name) const;                // "" where it is not given.
  std::optional<std::uint64_t> number(std::string_view name) const;  // Nothing where it is none.
  // `offset` and `length`. Nothing where one is no number, or the length is 0.
  std::optional<Range> range() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace sluice::contents
