#include "http/target.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::exports {

namespace {

Error wrong_parameters(std::string message, std::string_view hint) {
  return invalid_input(std::move(message)).with_code("invalid_arguments").with_hint(hint);
}

Result<std::string> decoded(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  Result<std::string> out = percent_decode(spaced);
  if (!out.ok() || !is_valid_utf8(*out) || out->find('\0') != std::string::npos) {
    return wrong_parameters("read the parameters of the URL: " + excerpt(text),
                            "Percent-encode them as UTF-8.");
  }
  return out;
}

}  // namespace

Target split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {.path = target, .query = {}};
  return {.path = target.substr(0, mark), .query = target.substr(mark + 1)};
}

Result<Parameters> read_parameters(std::string_view query, std::span<const std::string_view> known) {
  Parameters out;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    SLUICE_TRY(std::string name, decoded(part.substr(0, equals)));
    SLUICE_TRY(std::string value, decoded(part.substr(std::min(equals + 1, part.size()))));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string nearest = nearest_name(name, std::vector<std::string>(known.begin(), known.end()));
      return wrong_parameters("unknown parameter: " + excerpt(name),
                              nearest.empty() ? fmt::format("Known: {}.", fmt::join(known, ", "))
                                              : fmt::format("Did you mean {}?", nearest));
    }
    if (!out.try_emplace(name, std::move(value)).second)
      return wrong_parameters("the parameter comes twice: " + name, "Give it once.");
  }
  return out;
}

}  // namespace sluice::exports
