#pragma once

#include <cstdint>

namespace sluice::fs {

// How many files, folders and sockets this process may have open at once.
std::uint64_t open_files_max();

// Raises it as far as the system lets a process do by itself.
void raise_open_files_max();

}  // namespace sluice::fs
