#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "sluice/base/mutex.h"

namespace sluice::transport {

// Writes lines to a file descriptor. A peer that does not read blocks nobody: what the descriptor does not
// take at once is written by a thread of its own. What waits is bounded; beyond that the peer counts as gone.
// Any thread.
class LineWriter {
 public:
  LineWriter(int descriptor, std::size_t queue_bytes_max);
  ~LineWriter();  // Drops what waits.

  // False: the peer is gone.
  bool write(std::string line);
  // What this thread writes from now on may wait until `release`, so that one write takes several lines. What
  // others write does not wait, nor what was written before it.
  void hold();
  void release();  // From any thread.
  // Waits until everything is written. False: not within `at_most`.
  bool flush(std::chrono::milliseconds at_most);
  // Stop is requested once the peer is gone.
  std::stop_token gone() const { return gone_.get_token(); }
  void close();

 private:
  enum class Kind : std::uint8_t { kPipe, kSocket, kOther };
  static Kind kind_of(int descriptor);
  void run();
  bool write_all(std::string_view bytes);
  long write_some(std::string_view bytes) const;
  void write_waiting() SLUICE_REQUIRES(mutex_);  // As much as the descriptor takes at once. The lock is held.

  const int descriptor_;
  const std::size_t queue_bytes_max_;
  const Kind kind_;
  int wake_descriptor_ = -1;  // Ends a blocked write.
  std::stop_source gone_;
  Mutex mutex_;
  CondVar changed_;
  std::string waiting_ SLUICE_GUARDED_BY(mutex_);
  std::size_t waiting_from_ SLUICE_GUARDED_BY(mutex_) =
      0;                                              // What stands before it in waiting_ has been written.
  std::thread::id holder_ SLUICE_GUARDED_BY(mutex_);  // The thread whose lines wait; none.
  std::size_t held_lines_ SLUICE_GUARDED_BY(mutex_) = 0;
  bool writing_ SLUICE_GUARDED_BY(mutex_) = false;
  bool closed_ SLUICE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace sluice::transport
