#include "reserved_names.h"

#include <algorithm>
#include <array>

#include "sluice/base/text.h"

namespace sluice::config {

bool is_reserved_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> kReserved = {"handle", "records", "main", "temp", "system"};
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [&](std::string_view reserved) { return equal_ignoring_case(name, reserved); });
}

}  // namespace sluice::config
