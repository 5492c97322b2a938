#pragma once

#include <cstddef>

namespace sluice::commands {

bool is_terminal(int descriptor);

// Its columns, or 80 if it does not say. At least 2.
std::size_t terminal_width(int descriptor);

}  // namespace sluice::commands
