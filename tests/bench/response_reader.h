#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// Takes HTTP responses off a connection, one after the other: with a length or in chunks.
class ResponseReader {
 public:
  enum class State : std::uint8_t { kMore, kDone, kBroken };

  // Adds what arrived and looks whether a response is complete. After kDone, `next` starts with the rest.
  State add(std::string_view bytes);
  void next();

  int status() const { return status_; }
  const std::string& body() const { return body_; }

 private:
  State read_head();
  State read_chunks();

  std::string buffer_;
  std::string body_;
  int status_ = 0;
  std::size_t head_bytes_ = 0;  // 0 until the head is complete.
  std::size_t length_ = 0;
  std::size_t used_ = 0;  // Of the buffer, by a complete response.
  bool chunked_ = false;
};

}  // namespace bench
