#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/plan/condition.h"

namespace sluice::expression {

// Whether a condition itself is wanted or its negation.
enum class Truth : std::uint8_t { kAsIs, kNegated };

inline Truth opposite(Truth truth) { return truth == Truth::kAsIs ? Truth::kNegated : Truth::kAsIs; }

// A comparison, as a language names it.
struct SignName {
  std::string_view name;
  plan::Sign sign;
  plan::Sign flipped;  // With the sides exchanged.
  plan::Sign negated;
};

}  // namespace sluice::expression
