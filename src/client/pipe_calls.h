#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"

#include "ask_scope.h"
#include "link.h"

namespace sluice::client {

// The requests that are under way over one pipe, told apart by their ids. Whoever asks waits on its own
// thread; whoever reads the pipe hands each line to `take`. Any thread.
class PipeCalls {
 public:
  struct Parts {
    Incoming& incoming;  // Both outlive this.
    const Clock& clock;
    std::size_t message_bytes_max;
  };
  using Write = std::function<bool(std::string)>;  // False: the pipe is gone.

  explicit PipeCalls(const Parts& parts) : parts_(parts) {}

  Result<Reply> request(const Outgoing& outgoing, const Write& write);

  // One message of the server. Fails where the server has to be given up.
  Status take(std::string_view line);

  // Everything that waits, and whatever comes later, fails with `error`. The first one counts.
  void fail(const Error& error);
  // The requests under way.
  std::vector<std::int64_t> pending() const;
  // Why it has failed; nothing where it has not.
  std::optional<Error> failure() const;

 private:
  // Where one who asks waits. Shared by it and the table.
  struct PendingCall {
    explicit PendingCall(std::shared_ptr<AskScope> given) : asks(std::move(given)) {}

    const std::shared_ptr<AskScope> asks;
    Mutex mutex;
    CondVar changed;
    std::optional<Reply> reply SLUICE_GUARDED_BY(mutex);
    std::optional<Error> failure SLUICE_GUARDED_BY(mutex);
    std::deque<protocol::Notification> mail SLUICE_GUARDED_BY(mutex);
  };

  Result<Reply> wait(PendingCall& call, const Outgoing& outgoing);
  Status take_value(json::Value value, std::string_view line);
  Status take_unreadable(std::string_view line, const Error& error);
  void take_response(protocol::Response response);
  void take_notification(protocol::Notification notification);
  Status take_garbage(const Error& error);
  std::shared_ptr<PendingCall> find(const protocol::RequestId& id) const;
  // The questions of a server name no request, so they belong to the only one that can answer them, if there
  // is just one.
  std::shared_ptr<AskScope> only_asks() const;

  const Parts parts_;
  mutable Mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<PendingCall>> pending_ SLUICE_GUARDED_BY(mutex_);
  std::optional<Error> failure_ SLUICE_GUARDED_BY(mutex_);
  std::size_t garbage_ SLUICE_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice::client
