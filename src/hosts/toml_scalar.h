#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::hosts {

// How many bytes at the beginning of `text` are a TOML number, date, time or boolean; 0 if none are. What
// follows them is not looked at.
std::size_t toml_scalar_size(std::string_view text);

}  // namespace sluice::hosts
