#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/fair_quota.h"
#include "sluice/base/ids.h"
#include "sluice/base/mutex.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/protocol/exchange.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/wire/legacy.h"

#include "session/legacy_stream.h"

namespace sluice::server {

// What the legacy era keeps between requests: the agreed revision, what the client can do, its subscriptions,
// our open questions to it, and its streams. It lives on one pipe or under one Mcp-Session-Id. Any thread.
class LegacySession {
 public:
  LegacySession(SessionId id, protocol::legacy::InitializeParams opened, Principal principal,
                std::shared_ptr<protocol::Connection> connection);

  const SessionId& id() const { return id_; }
  protocol::Revision revision() const { return opened_.revision; }
  const protocol::ClientCapabilities& client() const { return opened_.client; }
  const Principal& principal() const { return principal_; }

  void set_ready();  // notifications/initialized has come: changes may be sent from now on.
  protocol::LogLevel log_level() const;
  void set_log_level(protocol::LogLevel level);

  // Sends what answers no request: on the pipe, or on the stream that the client opened with GET.
  void send_unsolicited(std::string message);

  // False: it was so already. `share` is what the URI takes; it is held until `unsubscribe`.
  Result<bool> subscribe(const std::string& uri, QuotaShare share);
  bool unsubscribe(const std::string& uri);
  bool is_subscribed(const std::string& uri) const;
  std::vector<std::string> subscriptions() const;

  // Our questions. `open_question` gives the id to send it under; `wait_answer` returns when the response is
  // there.
  protocol::RequestId open_question();
  struct AskLimits {
    const Clock& clock;
    std::stop_token stop;
    std::chrono::milliseconds at_most;
    std::function<bool()> is_reachable;  // Whether the client is connected to what carries the question.
    std::chrono::milliseconds unreachable_max;
  };
  Result<protocol::Response> wait_answer(const protocol::RequestId& id, const AskLimits& limits);
  void answer(protocol::Response response);  // Unknown ids are ignored.

  // HTTP only.
  std::shared_ptr<LegacyStream> open_stream(std::shared_ptr<protocol::Exchange> exchange);
  void resume(std::shared_ptr<protocol::Exchange> exchange, const std::optional<std::string>& last_event_id);

  void touch(Monotonic now);
  Monotonic last_used() const;
  void close();

 private:
  // Waits for the response. Nothing: it did not come.
  std::optional<Error> wait_until_answered(std::int64_t number, const AskLimits& limits)
      SLUICE_REQUIRES(mutex_);

  struct OpenQuestion {
    std::optional<protocol::Response> response;
  };

  const SessionId id_;
  const protocol::legacy::InitializeParams opened_;
  const Principal principal_;
  const std::shared_ptr<protocol::Connection> connection_;  // Shared with the transport; null on HTTP.
  const std::shared_ptr<ReplayLog> log_ = std::make_shared<ReplayLog>();  // Shared with the streams.
  const std::shared_ptr<LegacyStream> standalone_;  // Shared with senders; what the client's GET carries.

  mutable Mutex mutex_;
  CondVar answered_;
  std::map<std::int64_t, OpenQuestion> questions_ SLUICE_GUARDED_BY(mutex_);
  std::int64_t next_question_ SLUICE_GUARDED_BY(mutex_) = 1;
  std::map<std::string, QuotaShare, std::less<>> subscriptions_ SLUICE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::shared_ptr<LegacyStream>> streams_
      SLUICE_GUARDED_BY(mutex_);                             // Shared with the request each one answers.
  std::uint64_t next_stream_ SLUICE_GUARDED_BY(mutex_) = 1;  // 0 is the standalone stream.
  protocol::LogLevel log_level_ SLUICE_GUARDED_BY(mutex_) = protocol::LogLevel::kInfo;
  Monotonic last_used_ SLUICE_GUARDED_BY(mutex_);
  bool ready_ SLUICE_GUARDED_BY(mutex_) = false;
  bool closed_ SLUICE_GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::server
