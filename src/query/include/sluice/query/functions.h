#pragma once

#include <vector>

#include "sluice/engine/engine.h"

namespace sluice::query {

// The functions that questions call and an engine must be opened with: normalize_text, and number_key, which
// makes a text of the number in a text that sorts by bytes as the numbers do ("" if there is none).
std::vector<engine::TextFunction> engine_functions();

}  // namespace sluice::query
