#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "sluice/base/limits.h"

namespace sluice::transport {

// The input of a connection: filled at its end, taken from its front, at most kHttpReadBufferBytesMax. Bytes
// may be taken while a read into it is under way, so only prepare() moves anything.
class ReadBuffer {
 public:
  std::string_view view() const { return {bytes_.get() + begin_, size()}; }
  std::size_t size() const { return end_ - begin_; }

  // Where the next read may put up to `bytes`; fewer, perhaps none, if the buffer is nearly full. An empty
  // buffer that is asked for little gives back what it does not need. Not while a read is under way; views
  // are lost.
  std::span<char> prepare(std::size_t bytes);
  void commit(std::size_t bytes);   // So many have been read.
  void consume(std::size_t bytes);  // So many have been taken.

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace sluice::transport
