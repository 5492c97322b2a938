#pragma once

#include <string>
#include <string_view>

#include "sluice/json/value.h"

namespace sluice::ckan {

// Whether text of a caller can be an id or a name: some bytes of UTF-8 without control characters.
bool is_portal_name(std::string_view text);

// What a portal says is data. Control, zero-width and direction characters are taken out of every text and
// every name in it, except for line ends and tabs.
json::Value cleaned(const json::Value& value);

// A member that is text; "" where there is none.
std::string text_of(const json::Value& value, std::string_view key);

}  // namespace sluice::ckan
