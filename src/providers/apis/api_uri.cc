#include "api_uri.h"

#include <utility>

#include "sluice/base/result.h"
#include "sluice/base/text.h"

namespace sluice::apis {

std::optional<ApiUri> parse_uri(const ResourceUri& uri) {
  constexpr std::string_view kScheme = "api://";
  std::string_view rest = uri.text();
  if (!rest.starts_with(kScheme) || rest.find('#') != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(kScheme.size());
  ApiUri out;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    out.query = std::string(rest.substr(mark + 1));
    rest = rest.substr(0, mark);
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  out.api = std::string(rest.substr(0, slash));
  rest.remove_prefix(slash + 1);
  out.endpoint = std::string(rest.substr(0, rest.find('/')));
  rest.remove_prefix(out.endpoint.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // The slash.
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    Result<std::string> value = percent_decode(segment);
    if (!value.ok() || value->empty() || !is_valid_utf8(*value)) return std::nullopt;
    out.values.push_back(*std::move(value));
  }
  return out;
}

}  // namespace sluice::apis
