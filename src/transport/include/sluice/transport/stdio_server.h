#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/protocol/exchange.h"

namespace sluice::transport {

struct StdioOptions {
  int input = 0;  // Borrowed file descriptors.
  int output = 1;
  std::size_t message_bytes_max = kMessageBytesMax;
  std::size_t queue_bytes_max = kStreamQueueBytesMax;
};

// One message a line over a pair of file descriptors: standard input and output, a socket, a pipe.
class StdioServer {
 public:
  // Reads on a thread of its own from now on. `receiver` is called on that thread.
  static Result<std::unique_ptr<StdioServer>> start(StdioOptions options, protocol::Receiver receiver);
  virtual ~StdioServer() = default;  // Stops at once.

  // Returns when the input has ended or `stop` was called.
  virtual void wait_for_end() = 0;
  // Reads no more, writes what is queued for up to `grace`, then lets go of the descriptors.
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace sluice::transport
