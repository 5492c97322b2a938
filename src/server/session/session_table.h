#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

#include "session/legacy_session.h"

namespace sluice::server {

// The sessions of the legacy era: those on HTTP by their id, those on pipes by their connection. Any thread.
class SessionTable {
 public:
  explicit SessionTable(const Clock& clock) : clock_(clock) {}

  struct Opened {
    std::shared_ptr<LegacySession> session;
    // Sessions that made room: idle for too long, or, of too many, the idlest one of the owner that has
    // most. The caller ends them.
    std::vector<std::shared_ptr<LegacySession>> evicted;
  };
  Opened open(protocol::legacy::InitializeParams opened, Principal principal,
              std::shared_ptr<protocol::Connection> connection, std::string owner);
  // Null where it is unknown, ended, or somebody else's.
  std::shared_ptr<LegacySession> find(const SessionId& id, const Principal& principal);
  std::shared_ptr<LegacySession> find(const protocol::Connection* connection);

  std::shared_ptr<LegacySession> remove(const SessionId& id);
  std::shared_ptr<LegacySession> remove(const protocol::Connection* connection);

  std::vector<std::shared_ptr<LegacySession>> all();

 private:
  struct Entry {
    std::shared_ptr<LegacySession> session;  // Shared with its requests.
    std::string owner;
  };
  using Entries = std::map<SessionId, Entry>;

  std::vector<std::shared_ptr<LegacySession>> evict_idle() SLUICE_REQUIRES(mutex_);
  std::shared_ptr<LegacySession> erase(Entries::iterator at) SLUICE_REQUIRES(mutex_);

  const Clock& clock_;
  Mutex mutex_;
  Entries by_id_ SLUICE_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> by_owner_
      SLUICE_GUARDED_BY(mutex_);  // How many of `by_id_` each owner has.
  std::map<const protocol::Connection*, std::shared_ptr<LegacySession>> by_connection_
      SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::server
