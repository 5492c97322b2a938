#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/mutex.h"
#include "sluice/protocol/exchange.h"

#include "http/response_head.h"

namespace sluice::transport {

// The connection as its answers see it.
class Waker {
 public:
  virtual ~Waker() = default;
  // Makes the connection look at its queue soon. Any thread; returns at once.
  virtual void wake() = 0;
};

// The answer to one request on its way from the server to the connection, bounded. The server's side may be
// called from any thread and may outlive the connection; the connection's side is called from its own thread
// only.
class ResponseQueue {
 public:
  struct Limits {
    std::size_t bytes_max = 0;
    bool accepts_stream = true;
    RefusalForm form = RefusalForm::kJsonRpc;
  };
  // `waker` is called until close().
  ResponseQueue(Waker& waker, Limits limits) : limits_(limits), waker_(&waker) {}

  // The server's side.
  bool push(const protocol::Outbound& event);
  void finish(protocol::Final final);
  void release();
  void abandon();  // Nobody can answer any more; does nothing after finish or release.
  std::stop_token gone() const { return gone_.get_token(); }

  // What the connection has to write next.
  struct Batch {
    std::string events;                    // Whole events.
    std::optional<protocol::Final> reply;  // A plain response; then there are no events.
    bool ended = false;                    // Nothing follows.
    bool overflowed = false;               // The peer does not read: drop it.
    bool empty() const { return events.empty() && !reply && !ended && !overflowed; }
  };
  // Means that the batch before is written. After an empty one the next change calls the waker.
  Batch take();
  bool overflowed() const;
  // The connection is gone, or done with this answer. Whoever still works on it is told to stop. Returns a
  // body that nobody has taken; it is to be destroyed on a thread that may block.
  std::shared_ptr<protocol::Body> close();

 private:
  bool has_room(std::size_t more_bytes) const SLUICE_REQUIRES(mutex_);
  bool is_over() const SLUICE_REQUIRES(mutex_) {
    return end_ != End::kOpen || overflowed_ || waker_ == nullptr;
  }
  void notify() SLUICE_REQUIRES(mutex_);

  const Limits limits_;
  std::stop_source gone_;
  mutable Mutex mutex_;
  Waker* waker_ SLUICE_GUARDED_BY(mutex_);  // Null once closed; until then the connection keeps it alive.
  std::string events_ SLUICE_GUARDED_BY(mutex_);
  std::size_t messages_ SLUICE_GUARDED_BY(mutex_) = 0;  // In `events_`.
  std::size_t bytes_in_flight_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::size_t messages_in_flight_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::optional<protocol::Final> reply_ SLUICE_GUARDED_BY(mutex_);
  bool streaming_ SLUICE_GUARDED_BY(mutex_) = false;
  // A response with a body that is pulled may still be cancelled after the server's side has finished.
  enum class End : std::uint8_t { kOpen, kFinished, kFinishedWithBody };
  End end_ SLUICE_GUARDED_BY(mutex_) = End::kOpen;
  bool overflowed_ SLUICE_GUARDED_BY(mutex_) = false;
  bool asleep_ SLUICE_GUARDED_BY(mutex_) = false;  // The connection waits for the waker.
};

// Handed to the server for each request. Only the server owns it, so its destruction tells that no answer
// will come.
class HttpExchange final : public protocol::Exchange {
 public:
  // `queue` is shared with the connection, which reads it.
  HttpExchange(std::shared_ptr<ResponseQueue> queue, protocol::Inbound inbound);
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  ~HttpExchange() override;

  const protocol::Inbound& inbound() const override { return inbound_; }
  bool send(protocol::Outbound message) override;
  void finish(protocol::Final final) override;
  void release() override;
  void release_body() override { std::string().swap(inbound_.body); }
  std::stop_token gone() const override { return queue_->gone(); }

 private:
  std::shared_ptr<ResponseQueue> queue_;
  protocol::Inbound inbound_;
};

}  // namespace sluice::transport
