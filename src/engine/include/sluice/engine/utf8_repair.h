#pragma once

#include <string>
#include <string_view>

namespace sluice::engine {

// `text` with U+FFFD in place of each byte that belongs to no character.
std::string repair_utf8(std::string_view text);

}  // namespace sluice::engine
