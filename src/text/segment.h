#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace sluice::text {

// Whether `normalized` has a letter of a script that is written without spaces.
bool needs_dictionary(std::string_view normalized);

// Calls `found` with each word of a normalised text, in order, as it stands in the text.
void for_each_word(std::string_view normalized, const std::function<void(std::string_view)>& found);

}  // namespace sluice::text
