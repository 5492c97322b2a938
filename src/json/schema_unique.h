#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "sluice/json/value.h"

namespace sluice::json {

struct EqualItems {
  std::optional<std::pair<std::size_t, std::size_t>>
      pair;               // The places of two equal items, if there are any.
  std::size_t steps = 0;  // What the search cost; past `steps_max` it gave up.
};

EqualItems find_equal_items(const Array& items, std::size_t steps_max);

}  // namespace sluice::json
