#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::app {

// 1234567 as 1,234,567.
inline std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

}  // namespace sluice::app
