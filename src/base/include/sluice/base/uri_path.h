#pragma once

#include <string>
#include <string_view>

namespace sluice {

// A path as a URI has it: names that are percent-encoded, joined by slashes, which stay.
std::string percent_encode_path(std::string_view path);

}  // namespace sluice
