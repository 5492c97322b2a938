#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/protocol/model/completion.h"

namespace sluice::contents {

// A path as a value of {+path}: what would end or change a URI is percent-encoded, the rest stays readable.
std::string template_value(std::string_view path);

// Those of the values that begin with what was typed, whatever the case of ASCII letters; the first of them.
protocol::Completion complete_among(std::vector<std::string> values, std::string_view typed);

}  // namespace sluice::contents
