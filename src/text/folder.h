#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::text {

// Normalises a text piece by piece. Not for use from several threads at once.
class Folder {
 public:
  void append(std::string_view utf8);
  void append(char32_t point);
  void clear();

  // What there is so far: without the separator at its end, which is written when a word follows.
  std::string_view text() const { return std::string_view(buffer_).substr(0, size_); }
  std::string take();

  // Whether the next letter begins a word.
  bool between_words() const { return separated_ || size_ == 0; }

 private:
  void reserve(std::size_t bytes);
  void emit(char32_t point);
  bool combine(char32_t mark);
  std::size_t append_ascii(std::string_view utf8, std::size_t at);  // Where the ASCII that begins there ends.
  void separate() { separated_ = true; }

  std::string buffer_;  // Longer than what is written, so that writing needs no check for each byte.
  std::size_t size_ = 0;
  char32_t last_ = 0;  // The letter written last, or 0 at the beginning.
  bool separated_ = false;
};

}  // namespace sluice::text
