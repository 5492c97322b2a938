#pragma once

#include <cstddef>

#include "sluice/json/value.h"

namespace sluice::gateway {

// `value` with strings and arrays cut until it takes at most `bytes_max` as text, or as near as it comes:
// keys stay, and every value keeps its type.
json::Value cut_to(const json::Value& value, std::size_t bytes_max);

}  // namespace sluice::gateway
