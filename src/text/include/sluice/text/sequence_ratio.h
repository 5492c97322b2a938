#pragma once

#include <string_view>

namespace sluice::text {

// How much two texts have in common: twice the letters of their matching blocks over the letters of both, 1
// for two empty texts. Blocks are found as Python's difflib.SequenceMatcher(None, a, b).ratio() finds them,
// and the result is the same: the longest common block first, then what is left and right of it; letters that
// make up more than a hundredth of a `b` of 200 letters and more start no block. The order of the arguments
// matters. A letter is a code point; a byte that is not UTF-8 counts as U+FFFD. Any thread.
//
// Only the first kSequenceLettersMax letters of each text are compared. Finding blocks is quadratic at best
// and cubic at worst; after kSequenceStepsMax steps no further blocks are looked for, so that the result is
// then a lower bound.
double sequence_ratio(std::string_view a, std::string_view b);

}  // namespace sluice::text
