#pragma once

#include <cstdint>

namespace sluice {

// What is left for one answer. Whoever writes rows spends it and stops exactly at it.
struct Budget {
  std::uint64_t rows = 5'000;
  std::uint64_t cells = 150'000;
  std::uint64_t bytes = 2'000'000;
  std::uint64_t tokens = 8'000;
};

}  // namespace sluice
