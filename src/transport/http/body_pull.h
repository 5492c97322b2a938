#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/protocol/exchange.h"

#include "http/blocking_threads.h"
#include "http/http_exchange.h"

namespace sluice::transport {

// Destroys a body, if there is one, on a thread that may block.
void discard(std::shared_ptr<protocol::Body> body, BlockingThreads& threads);

// A body on its way from the thread that makes it to the connection that sends it: one piece at a time, made
// when the connection asks for it. The methods are called on the connection's thread.
class BodyPull : public std::enable_shared_from_this<BodyPull> {
 public:
  // `waker` is called until close(); `threads` outlives it.
  BodyPull(std::shared_ptr<protocol::Body> body, BlockingThreads& threads, Waker& waker)
      : threads_(threads), body_(std::move(body)), waker_(&waker) {}

  // Begins to make the next piece, and calls the waker when it is there. Not before the last one was taken.
  void request();
  std::optional<Result<std::string>> take();
  // The connection needs no more. The body is destroyed on a thread that may block.
  void close();

 private:
  void make();

  BlockingThreads& threads_;
  std::shared_ptr<protocol::Body> body_;  // Shared with the response. Of whoever makes a piece, or closes.
  Mutex mutex_;
  Waker* waker_ SLUICE_GUARDED_BY(mutex_);  // Null once closed; until then the connection keeps it alive.
  bool is_making_ SLUICE_GUARDED_BY(mutex_) = false;
  std::optional<Result<std::string>> piece_ SLUICE_GUARDED_BY(mutex_);
};

// Closes a pull at the end of its scope, however that is left.
class BodyPullGuard {
 public:
  explicit BodyPullGuard(BodyPull& pull) : pull_(pull) {}
  ~BodyPullGuard() { pull_.close(); }
  BodyPullGuard(const BodyPullGuard&) = delete;
  BodyPullGuard& operator=(const BodyPullGuard&) = delete;

 private:
  BodyPull& pull_;  // Outlives it.
};

}  // namespace sluice::transport
