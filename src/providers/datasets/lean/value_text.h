#pragma once

#include <cstddef>
#include <string>

#include "sluice/engine/batch.h"

namespace sluice::datasets::lean {

// A value as `describe` lists it, in one line. Text that could be mistaken where values stand side by side is
// written as SQL writes it: 'a, b', '' and E'two\nlines'. Text of more than `bytes_max` bytes is cut and ends
// in … behind its quotes.
std::string value_text(const engine::Column& column, std::size_t row, std::size_t bytes_max);

}  // namespace sluice::datasets::lean
