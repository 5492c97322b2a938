#pragma once

#include <vector>

#include "sluice/engine/engine.h"

namespace sluice::query {

// The functions that questions call and an engine must be opened with: normalize_text.
std::vector<engine::TextFunction> engine_functions();

}  // namespace sluice::query
