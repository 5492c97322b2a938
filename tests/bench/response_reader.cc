#include "response_reader.h"

#include <cctype>
#include <charconv>

namespace bench {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kEndOfLine = "\r\n";

// `name` is in lower case.
bool is_field(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(line[i])) != name[i]) return false;
  }
  return true;
}

bool parse_number(std::string_view text, std::size_t& number, int base) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return std::from_chars(text.data(), text.data() + text.size(), number, base).ec == std::errc{};
}

}  // namespace

ResponseReader::State ResponseReader::add(std::string_view bytes) {
  buffer_.append(bytes);
  if (head_bytes_ == 0) {
    const State head = read_head();
    if (head != State::kDone) return head;
  }
  if (chunked_) return read_chunks();
  if (buffer_.size() < head_bytes_ + length_) return State::kMore;
  used_ = head_bytes_ + length_;
  body_.assign(buffer_, head_bytes_, length_);
  return State::kDone;
}

void ResponseReader::next() {
  buffer_.erase(0, used_);
  head_bytes_ = 0;
  length_ = 0;
  chunked_ = false;
}

ResponseReader::State ResponseReader::read_head() {
  const std::size_t end = buffer_.find(kEndOfHead);
  if (end == std::string::npos) return State::kMore;
  std::string_view rest = std::string_view(buffer_).substr(0, end + kEndOfLine.size());
  constexpr std::size_t kStatusAt = sizeof("HTTP/1.1 ") - 1;
  std::size_t status = 0;
  if (!rest.starts_with("HTTP/1.1 ") || !parse_number(rest.substr(kStatusAt), status, 10))
    return State::kBroken;
  status_ = static_cast<int>(status);
  while (!rest.empty()) {
    const std::size_t line_end = rest.find(kEndOfLine);
    const std::string_view line = rest.substr(0, line_end);
    if (is_field(line, "content-length")) {
      if (!parse_number(line.substr(line.find(':') + 1), length_, 10)) return State::kBroken;
    } else if (is_field(line, "transfer-encoding")) {
      chunked_ = line.find("chunked") != std::string_view::npos;
    }
    rest.remove_prefix(line_end + kEndOfLine.size());
  }
  head_bytes_ = end + kEndOfHead.size();
  return State::kDone;
}

// From the first chunk each time: answers are small, and nearly all of them arrive at once.
ResponseReader::State ResponseReader::read_chunks() {
  body_.clear();
  std::size_t at = head_bytes_;
  while (true) {
    const std::size_t line_end = buffer_.find(kEndOfLine, at);
    if (line_end == std::string::npos) return State::kMore;
    std::size_t size = 0;
    if (!parse_number(std::string_view(buffer_).substr(at, line_end - at), size, 16)) return State::kBroken;
    const std::size_t data = line_end + kEndOfLine.size();
    if (buffer_.size() < data + size + kEndOfLine.size()) return State::kMore;
    body_.append(buffer_, data, size);
    at = data + size + kEndOfLine.size();
    if (size == 0) break;
  }
  used_ = at;
  return State::kDone;
}

}  // namespace bench
