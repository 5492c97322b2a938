#include "http/body_pull.h"

#include <exception>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::transport {
namespace {

// What a body throws must end its response, not its thread.
Result<std::string> next_piece(protocol::Body& body) {
  try {
    return body.next();
  } catch (const std::exception& failure) {
    log::error("http_body_failed", {{"what", failure.what()}});
    return internal_error("the body could not be made");
  }
}

}  // namespace

void discard(std::shared_ptr<protocol::Body> body, BlockingThreads& threads) {
  if (body) threads.run([body = std::move(body)]() mutable { body.reset(); });
}

void BodyPull::request() {
  {
    const MutexLock lock(mutex_);
    is_making_ = true;
  }
  threads_.run([self = shared_from_this()] { self->make(); });
}

void BodyPull::make() {
  Result<std::string> piece = next_piece(*body_);
  {
    const MutexLock lock(mutex_);
    is_making_ = false;
    if (waker_ != nullptr) {
      piece_ = std::move(piece);
      waker_->wake();  // Under the lock: close() waits for it, so the connection is alive during the call.
      return;
    }
  }
  body_.reset();
}

std::optional<Result<std::string>> BodyPull::take() {
  const MutexLock lock(mutex_);
  return std::exchange(piece_, std::nullopt);
}

void BodyPull::close() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(waker_, nullptr) == nullptr || is_making_) return;
  }
  discard(std::move(body_), threads_);
}

}  // namespace sluice::transport
