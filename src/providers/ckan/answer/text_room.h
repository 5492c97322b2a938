#pragma once

#include <cstddef>
#include <string_view>

#include "sluice/base/budget.h"

namespace sluice::ckan {

// The length of a text as JavaScript counts it.
std::size_t utf16_units(std::string_view text);

// How long one channel of an answer may be: `units` is the portal's `character_limit`, in UTF-16 units, and
// `bytes` is what the operator's limits leave. Both must hold.
struct TextRoom {
  std::size_t units = 0;
  std::size_t bytes = 0;

  bool holds(std::string_view text) const { return text.size() <= bytes && utf16_units(text) <= units; }
  TextRoom divided_by(std::size_t parts) const { return {.units = units / parts, .bytes = bytes / parts}; }
  TextRoom without(std::string_view text) const;
};

TextRoom text_room(std::size_t characters_max, const Budget& budget);

}  // namespace sluice::ckan
