#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace sluice::transport {

// Writes lines to a file descriptor from a thread of its own, so that a peer that does not read blocks
// nobody. What waits is bounded; beyond that the peer counts as gone. Any thread.
class LineWriter {
 public:
  LineWriter(int descriptor, std::size_t queue_bytes_max);
  ~LineWriter();  // Drops what waits.

  // False: the peer is gone.
  bool write(std::string line);
  // Waits until everything is written. False: not within `at_most`.
  bool flush(std::chrono::milliseconds at_most);
  // Stop is requested once the peer is gone.
  std::stop_token gone() const { return gone_.get_token(); }
  void close();

 private:
  void run();
  bool write_all(const std::string& bytes);

  const int descriptor_;
  const std::size_t queue_bytes_max_;
  int wake_descriptor_ = -1;  // Ends a blocked write.
  std::stop_source gone_;
  std::mutex mutex_;  // Guards everything below but the thread.
  std::condition_variable changed_;
  std::string waiting_;
  bool writing_ = false;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace sluice::transport
