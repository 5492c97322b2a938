#include "http/read_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sluice/base/assert.h"

namespace sluice::transport {

std::span<char> ReadBuffer::prepare(std::size_t bytes) {
  bytes = std::min(bytes, kHttpReadBufferBytesMax - size());
  if (size() == 0) {
    begin_ = 0;
    end_ = 0;
    if (bytes <= kHttpIdleBufferBytes && capacity_ > kHttpIdleBufferBytes) {
      bytes_.reset();
      capacity_ = 0;
    }
  }
  if (capacity_ - end_ < bytes) {
    const std::size_t needed = size() + bytes;
    const std::size_t capacity =
        needed <= capacity_ ? capacity_ : std::min(std::max(needed, 2 * capacity_), kHttpReadBufferBytesMax);
    if (capacity == capacity_) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, size());
    } else {
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      if (size() > 0) std::memcpy(larger.get(), bytes_.get() + begin_, size());
      bytes_ = std::move(larger);
      capacity_ = capacity;
    }
    end_ -= std::exchange(begin_, 0);
  }
  return {bytes_.get() + end_, bytes};
}

void ReadBuffer::commit(std::size_t bytes) {
  SLUICE_ASSERT(bytes <= capacity_ - end_, "a read brings no more than it was given room for");
  end_ += bytes;
}

void ReadBuffer::consume(std::size_t bytes) {
  SLUICE_ASSERT(bytes <= size(), "the parser takes no more than it was shown");
  begin_ += bytes;
}

}  // namespace sluice::transport
