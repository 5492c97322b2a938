#include "http/byte_range.h"

#include <algorithm>
#include <charconv>

#include "sluice/base/text.h"

namespace sluice::exports {

namespace {

std::optional<std::uint64_t> position(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return number;
}

}  // namespace

RequestedRange read_range(std::string_view header, std::uint64_t length) {
  constexpr std::string_view kUnit = "bytes=";
  if (!equal_ignoring_case(header.substr(0, kUnit.size()), kUnit)) return {};
  const std::string_view range = trim_spaces(header.substr(kUnit.size()));
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return {};
  const std::optional<std::uint64_t> first = position(range.substr(0, dash));
  const std::optional<std::uint64_t> last = position(range.substr(dash + 1));
  const bool is_open = dash + 1 == range.size();
  if (dash == 0) {  // The last so many bytes.
    if (!last) return {};
    if (*last == 0 || length == 0) return {.kind = RangeKind::kUnsatisfiable, .bytes = {}};
    return {.kind = RangeKind::kPart, .bytes = {.begin = length - std::min(*last, length), .end = length}};
  }
  if (!first || (!last && !is_open) || (last && *last < *first)) return {};
  if (*first >= length) return {.kind = RangeKind::kUnsatisfiable, .bytes = {}};
  const std::uint64_t end = last && *last < length ? *last + 1 : length;
  return {.kind = RangeKind::kPart, .bytes = {.begin = *first, .end = end}};
}

}  // namespace sluice::exports
