#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// Lower case by Unicode's full mapping without regard to a language, as Python's str.lower(): "Σ" at the end
// of a word is "ς", "İ" is "i" with a dot above. Bytes that are not UTF-8 stay. Any thread.
std::string to_lower(std::string_view text);

// The first character as a title has it, the others in lower case, as Python's str.capitalize().
std::string capitalize(std::string_view text);

}  // namespace sluice::text
