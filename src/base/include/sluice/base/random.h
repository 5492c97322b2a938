#pragma once

#include <cstdint>

namespace sluice {

// Eight bytes from the kernel's generator, to seed others or to tell two runs apart. Not for secrets: see
// crypto/random.h. Aborts if the kernel has none.
std::uint64_t random_number();

}  // namespace sluice
