#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/mutex.h"
#include "sluice/protocol/exchange.h"
#include "sluice/protocol/revision.h"

#include "call/responder.h"
#include "session/replay_log.h"

namespace sluice::server {

// One SSE stream of a legacy HTTP session: what was sent on it is kept, within bounds, so that a client that
// lost the connection can have the rest. It is the Responder of one request, or the session's stream for
// everything else.
class LegacyStream final : public Responder {
 public:
  LegacyStream(std::uint64_t number, protocol::Revision revision, std::shared_ptr<ReplayLog> log)
      : number_(number), revision_(revision), log_(std::move(log)) {}

  std::uint64_t number() const { return number_; }

  bool notify(std::string message) override;
  void finish(protocol::Final final) override;
  void abandon() override;
  void release_connection() override;
  bool can_notify() const override;
  bool is_connected() const override;

  // The connection that carries the stream from now on, instead of any before. Messages after `last_seen`
  // (or, without it, messages that no connection has carried yet) are sent again.
  void attach(std::shared_ptr<protocol::Exchange> exchange, std::optional<std::uint64_t> last_seen);
  bool finished() const;
  void close();  // The session ends.

 private:
  void prime(std::uint64_t last_seen);
  std::string event_id(std::uint64_t sequence) const;
  void deliver_and_keep(ReplayLog::Event event);
  bool deliver(ReplayLog::Event event);

  const std::uint64_t number_;
  const protocol::Revision revision_;
  const std::shared_ptr<ReplayLog> log_;  // Shared by the streams of a session; a request may outlive it.
  mutable Mutex
      mutex_;  // Guards everything below. Held while sending: the order of events is their sequence.
  std::shared_ptr<protocol::Exchange>
      exchange_;                     // Shared with the transport; null while nobody is connected.
  std::uint64_t next_sequence_ = 1;  // 0 is the event that primes the stream.
  std::uint64_t carried_ = 0;        // The last event that went to a connection.
  bool streaming_ = false;           // An SSE response was begun for the request.
  bool finished_ = false;
  bool accepts_stream_ = true;
};

// "<stream>-<sequence>".
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t sequence = 0;
};
std::optional<EventId> parse_event_id(std::string_view text);

}  // namespace sluice::server
