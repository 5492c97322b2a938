#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/fetch/message.h"
#include "sluice/json/value.h"

namespace sluice::apis {

// The target of the first link with rel=next among the Link headers (RFC 8288).
std::optional<std::string> next_link(const fetch::Headers& headers);

// What a JSON pointer (RFC 6901) leads to. Null where it leads nowhere.
const json::Value* at_pointer(const json::Value& value, std::string_view pointer);

}  // namespace sluice::apis
