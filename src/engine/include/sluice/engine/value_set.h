#pragma once

#include <string>
#include <vector>

namespace sluice::engine {

// The embedded engine has the function is_among(text, set): whether the text is one of a set. Unlike IN with
// many values it plans no join, so that rows keep their order, and unlike list_contains its cost does not
// grow with the set. A set is itself a text, the same for all rows of a statement: either this one,
std::string value_set_text(const std::vector<std::string>& texts);
// or kSetSeparator before each of its texts, which then cannot hold this character.
inline constexpr char kSetSeparator = '\x1F';

}  // namespace sluice::engine
