#include <algorithm>
#include <charconv>
#include <utility>

#include "sluice/transport/sse.h"

namespace sluice::transport {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Status SseParser::feed(std::string_view bytes, std::vector<SseEvent>& events) {
  if (failed_) return invalid_input("read a stream of events that is lost");
  bytes = skip_mark(bytes);
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (!fits(piece.size())) {
      failed_ = true;
      return limit_reached("bytes in one event", event_bytes_max_);
    }
    if (end == std::string_view::npos) {
      line_.append(piece);
      return {};
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(piece, events);
    } else {
      line_.append(piece);
      take_line(line_, events);
      line_.clear();
    }
  }
  return {};
}

bool SseParser::fits(std::size_t more) const {
  const std::size_t held = line_.size() + data_.size();
  return held <= event_bytes_max_ && more <= event_bytes_max_ - held;
}

// The mark may arrive in pieces: they wait in `line_` until it is clear that they are not the mark.
std::string_view SseParser::skip_mark(std::string_view bytes) {
  while (at_start_ && !bytes.empty()) {
    if (bytes.front() != kByteOrderMark[line_.size()]) {
      at_start_ = false;
      break;
    }
    line_.push_back(bytes.front());
    bytes.remove_prefix(1);
    if (line_ == kByteOrderMark) {
      at_start_ = false;
      line_.clear();
    }
  }
  return bytes;
}

void SseParser::take_line(std::string_view line, std::vector<SseEvent>& events) {
  if (line.empty()) return dispatch(events);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;
  if (colon == std::string_view::npos) return take_field(line, "");
  std::string_view value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    data_.append(value).push_back('\n');
  } else if (name == "event") {
    type_ = value.substr(0, kSseTypeBytesMax);
  } else if (name == "id") {
    if (value.size() <= kSseIdBytesMax && value.find('\0') == std::string_view::npos) id_ = value;
  } else if (name == "retry" && all_digits(value)) {
    std::chrono::milliseconds::rep milliseconds = 0;
    const auto end = std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (end.ec == std::errc{}) retry_ = std::chrono::milliseconds(milliseconds);
  }
}

void SseParser::dispatch(std::vector<SseEvent>& events) {
  last_event_id_ = id_;
  std::string type = std::exchange(type_, {});
  std::string data = std::exchange(data_, {});
  if (data.empty()) return;
  data.pop_back();
  if (type.empty()) type = "message";
  events.push_back({.type = std::move(type), .data = std::move(data), .id = last_event_id_});
}

}  // namespace sluice::transport
