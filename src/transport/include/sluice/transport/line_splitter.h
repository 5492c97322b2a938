#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace sluice::transport {

// Cuts a byte stream into lines. A line that is too long is reported once and dropped up to its end; blank
// lines and a carriage return before the newline are dropped.
class LineSplitter {
 public:
  struct Line {
    std::string text;
    bool too_long = false;
  };
  using Sink = std::function<void(Line)>;

  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  void push(std::string_view bytes, const Sink& sink);
  void finish(const Sink& sink);  // The stream has ended: what stands after the last newline is a line too.

 private:
  void append(std::string_view bytes, const Sink& sink);
  void end_line(const Sink& sink);

  const std::size_t line_bytes_max_;
  std::string line_;
  bool dropping_ = false;
};

}  // namespace sluice::transport
