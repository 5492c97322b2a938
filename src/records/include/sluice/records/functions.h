#pragma once

#include <vector>

#include "sluice/engine/engine.h"

namespace sluice::records {

// What the statements of this store call beside the engine's own functions:
//
// - fuzzy_ratio(query, value): text::sequence_ratio of both in lower case.
// - search_score(query, text): how well a text answers a query, from 0 to 1. Each word of the query counts by
// its
//   length: in full where the text has the word, somewhat less where a word of the text begins with it or is
//   nearly the same. 1 where the text has the query as it stands. Case, accents and punctuation do not
//   matter.
std::vector<engine::TextPairFunction> engine_functions();

}  // namespace sluice::records
