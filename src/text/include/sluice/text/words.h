#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::text {

// A word, normalised, and the bytes of the text that it came from.
struct Word {
  std::string text;
  std::size_t offset = 0;
  std::size_t size = 0;

  friend bool operator==(const Word&, const Word&) = default;
};

// The words of `text` as `normalize` separates them. Scripts that are written without spaces (Chinese,
// Japanese, Thai, Lao, Khmer, Burmese) are cut by dictionary. Any thread.
std::vector<Word> words(std::string_view text);

}  // namespace sluice::text
