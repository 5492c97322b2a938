#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sluice/json/value.h"

namespace sluice::ckan {

// How long JavaScript thinks that a text is.
std::size_t utf16_units(std::string_view text);

// Indented by two, as JSON.stringify writes it.
std::string pretty_text(const json::Value& value);

struct Truncated {
  json::Object object;
  std::string text;  // The same: pretty where that fits, else compact.
  bool is_cut = false;
};

// Makes an answer fit `units_max` UTF-16 units. It always parses. Where it does not fit, the last elements of
// its lists go, `results` first, and `_truncated` and `_original_count` say so.
Truncated truncate(json::Object object, std::size_t units_max);

}  // namespace sluice::ckan
