#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::exports {

// "/api/v1/query?sql=…" in its two parts, as they were sent.
struct Target {
  std::string_view path;   // Kept alive by the text that was split,
  std::string_view query;  // without the '?'.
};
Target split_target(std::string_view target);

// The parameters of a query, decoded as forms are: '+' is a space. Fails with `invalid_arguments` where one
// is none of `known`, comes twice, or is not percent-encoded UTF-8 without NUL.
using Parameters = std::map<std::string, std::string, std::less<>>;
Result<Parameters> read_parameters(std::string_view query, std::span<const std::string_view> known);

}  // namespace sluice::exports
