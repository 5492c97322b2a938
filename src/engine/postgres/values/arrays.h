#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine::postgres {

// The items of a one-dimensional array that begins at 1, null where an item is; nothing for other arrays.
std::optional<std::vector<std::optional<std::string>>> items_of(std::string_view text);

}  // namespace sluice::engine::postgres
