#pragma once

#include <cstddef>
#include <string_view>

#include "sluice/base/budget.h"

namespace sluice::gateway {

// Bytes that one channel of an answer may take: the lower of the operator's caps.
std::size_t answer_bytes(const Budget& budget);

// Where the first `chars` characters of UTF-8 text end, in bytes.
std::size_t end_of_chars(std::string_view text, std::size_t chars);
bool has_more_chars(std::string_view text, std::size_t chars);

// The start of the character that the byte at `at` belongs to.
std::size_t start_of_char(std::string_view text, std::size_t at);

// The length of the longest beginning of `text`, in whole characters, that takes at most `bytes`.
std::size_t fitting_bytes(std::string_view text, std::size_t bytes);
// The same, if it is written as a JSON string: its escapes count, its quotes do not.
std::size_t fitting_as_json(std::string_view text, std::size_t bytes);

}  // namespace sluice::gateway
