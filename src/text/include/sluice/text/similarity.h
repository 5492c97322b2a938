#pragma once

#include <string_view>

namespace sluice::text {

// How alike two names are: 1 where they normalise to the same words, 0 where they have nothing in common. It
// is the better of two views: the edit distance of the names as they stand, and that of their words in
// alphabetical order, so that "Ministry of Health" and "Health, Ministry of" are alike. Names are compared by
// their first 1,024 letters. Any thread.
double similarity(std::string_view a, std::string_view b);

}  // namespace sluice::text
