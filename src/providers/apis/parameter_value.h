#pragma once

#include <string_view>

namespace sluice::apis {

// Whether a caller's value may become a part of a query: text without control characters, of some length.
bool is_query_value(std::string_view value);

// Whether it may become a part of one segment of a path. It is escaped there, but servers differ in when they
// take escapes back: what would be a step up or down in a path then is not taken at all.
bool is_path_value(std::string_view value);

}  // namespace sluice::apis
