#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::sheets {

// Appends a character, which must not be half of a surrogate pair.
void append_utf8(std::string& to, std::uint32_t character);

// Turns the code units of old workbooks into UTF-8 as they come. Half a surrogate pair becomes U+FFFD; the
// character U+0000, which no text has, is left out.
class UnitsToUtf8 {
 public:
  void add(std::string& to, std::uint16_t unit);
  void finish(std::string& to);  // At the end of a text.

 private:
  std::uint16_t high_ = 0;  // The first half of a pair that waits for its second; 0: none.
};

}  // namespace sluice::sheets
