#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sluice/json/value.h"

#include "answer/text_room.h"

namespace sluice::ckan {

// Indented by two, as JSON.stringify writes it.
std::string pretty_text(const json::Value& value);

struct Truncated {
  json::Object object;
  std::string text;  // The same: pretty where that fits, else compact.
  bool is_cut = false;
};

// Makes one object of a portal fit. The text always parses. If it does not fit, its long members are
// shortened to half of the room (see shorten.h), then the last elements of its lists are left out, `results`
// first; `_truncated` and `_original_count` say so.
Truncated truncate(json::Object object, const TextRoom& room);

}  // namespace sluice::ckan
