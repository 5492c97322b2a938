#include "sluice/contents/uri_query.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::contents {

std::optional<UriQuery> UriQuery::parse(std::string_view text, std::span<const std::string_view> known) {
  UriQuery query;
  while (true) {
    const std::size_t end = text.find('&');
    const std::string_view part = text.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = part.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
    Result<std::string> value = percent_decode(part.substr(equals + 1));
    if (!value.ok() || !is_valid_utf8(*value) || value->find('\0') != std::string::npos) return std::nullopt;
    if (!query.values_.try_emplace(std::string(name), *std::move(value)).second) return std::nullopt;
    if (end == std::string_view::npos) return query;
    text.remove_prefix(end + 1);
  }
}

std::string_view UriQuery::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::uint64_t> UriQuery::number(std::string_view name) const {
  const std::string_view digits = text(name);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<Range> UriQuery::range() const {
  const Range range{.offset = number("offset"), .length = number("length")};
  if (has("offset") != range.offset.has_value() || has("length") != range.length.has_value())
    return std::nullopt;
  if (range.length == 0U) return std::nullopt;
  return range;
}

}  // namespace sluice::contents
