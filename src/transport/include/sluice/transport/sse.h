#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"

namespace sluice::transport {

// One server-sent event as its receiver sees it.
struct SseEvent {
  std::string type;  // "message" where the stream names none.
  std::string data;  // Lines joined by '\n'; may be empty.
  std::string id;    // The id of this event or of the last one before it that had one; else empty.
};

// Reads a text/event-stream in pieces of any size, as the WHATWG standard interprets it: a leading BOM is
// skipped, lines end with CR, LF or CRLF, comments and unknown fields are ignored, an event without data is
// not reported, and what stands after the last blank line is never an event. One thread at a time.
class SseParser {
 public:
  explicit SseParser(std::size_t event_bytes_max = kReplyBytesMax) : event_bytes_max_(event_bytes_max) {}

  // Takes the next bytes and appends the events they complete. Fails when a line, or the data of an event, is
  // larger than `event_bytes_max`; the stream is then lost and every further call fails.
  Status feed(std::string_view bytes, std::vector<SseEvent>& events);

  // For Last-Event-ID. Ids longer than kSseIdBytesMax, or with a NUL, are ignored.
  const std::string& last_event_id() const { return last_event_id_; }
  // The reconnection time the stream has asked for last.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  bool fits(std::size_t more) const;
  std::string_view skip_mark(std::string_view bytes);
  void take_line(std::string_view line, std::vector<SseEvent>& events);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<SseEvent>& events);

  std::size_t event_bytes_max_;
  bool failed_ = false;
  bool at_start_ = true;   // A byte order mark may still come.
  bool after_cr_ = false;  // A line feed belongs to the carriage return before it.
  std::string line_;       // The beginning of a line whose end has not arrived.
  std::string type_;
  std::string data_;
  std::string id_;
  std::string last_event_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace sluice::transport
