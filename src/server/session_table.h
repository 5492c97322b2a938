#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sluice/base/clock.h"

#include "legacy_session.h"

namespace sluice::server {

// The sessions of the legacy era: those on HTTP by their id, those on pipes by their connection. Any thread.
class SessionTable {
 public:
  explicit SessionTable(const Clock& clock) : clock_(clock) {}

  struct Opened {
    std::shared_ptr<LegacySession> session;
    // Sessions that made room: idle for too long, or the idlest of too many. The caller ends them.
    std::vector<std::shared_ptr<LegacySession>> evicted;
  };
  Opened open(protocol::legacy::InitializeParams opened, Principal principal,
              std::shared_ptr<protocol::Connection> connection);
  // Null where it is unknown, ended, or somebody else's.
  std::shared_ptr<LegacySession> find(const SessionId& id, const Principal& principal);
  std::shared_ptr<LegacySession> find(const protocol::Connection* connection);

  std::shared_ptr<LegacySession> remove(const SessionId& id);
  std::shared_ptr<LegacySession> remove(const protocol::Connection* connection);

  std::vector<std::shared_ptr<LegacySession>> all();

 private:
  std::vector<std::shared_ptr<LegacySession>> evict_idle();

  const Clock& clock_;
  std::mutex mutex_;  // Guards everything below.
  std::map<SessionId, std::shared_ptr<LegacySession>> by_id_;
  std::map<const protocol::Connection*, std::shared_ptr<LegacySession>> by_connection_;
};

}  // namespace sluice::server
