#include "answered_id.h"

#include <charconv>
#include <cstddef>

namespace sluice::client {
namespace {

// Walks over JSON without checking it. Knows nothing but strings and how deep it is.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::int64_t> find() {
    skip_spaces();
    if (peek() != '{') return std::nullopt;
    std::optional<std::int64_t> id;
    std::size_t depth = 0;
    bool expects_key = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        const std::string_view string = take_string();
        if (depth != 1 || !expects_key) continue;
        expects_key = false;
        if (string == "method") return std::nullopt;
        if (string == "id") id = take_number();
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) break;
      if (depth == 1 && (c == '{' || c == ',')) expects_key = true;
    }
    return id;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  // What stands between the quotes, as it is written.
  std::string_view take_string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
    const std::size_t end = at_ < text_.size() ? at_ : text_.size();
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }
  std::optional<std::int64_t> take_number() {
    skip_spaces();
    if (peek() != ':') return std::nullopt;
    ++at_;
    skip_spaces();
    std::int64_t number = 0;
    const char* begin = text_.data() + at_;
    const auto read = std::from_chars(begin, text_.data() + text_.size(), number);
    if (read.ec != std::errc{}) return std::nullopt;
    at_ += static_cast<std::size_t>(read.ptr - begin);
    skip_spaces();
    const char next = peek();
    const bool ends = next == ',' || next == '}' || next == '\0';
    return ends ? std::optional(number) : std::nullopt;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> answered_id(std::string_view message) { return Scanner(message).find(); }

}  // namespace sluice::client
