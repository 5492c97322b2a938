#include "session/session_table.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/crypto/random.h"

namespace sluice::server {

std::shared_ptr<LegacySession> SessionTable::erase(Entries::iterator at) {
  std::shared_ptr<LegacySession> session = std::move(at->second.session);
  const auto count = by_owner_.find(at->second.owner);
  if (--count->second == 0) by_owner_.erase(count);
  by_id_.erase(at);
  return session;
}

std::vector<std::shared_ptr<LegacySession>> SessionTable::evict_idle() {
  std::vector<std::shared_ptr<LegacySession>> evicted;
  const Monotonic oldest = clock_.now() - kSessionIdleMax;
  for (auto at = by_id_.begin(); at != by_id_.end();) {
    const auto next = std::next(at);
    if (at->second.session->last_used() < oldest) evicted.push_back(erase(at));
    at = next;
  }
  if (by_id_.size() < kSessionsMax) return evicted;
  const std::string largest =
      std::max_element(by_owner_.begin(), by_owner_.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  auto idlest = by_id_.end();
  for (auto at = by_id_.begin(); at != by_id_.end(); ++at) {
    if (at->second.owner != largest) continue;
    if (idlest == by_id_.end() || at->second.session->last_used() < idlest->second.session->last_used())
      idlest = at;
  }
  evicted.push_back(erase(idlest));
  return evicted;
}

SessionTable::Opened SessionTable::open(protocol::legacy::InitializeParams opened, Principal principal,
                                        std::shared_ptr<protocol::Connection> connection, std::string owner) {
  SessionId id(crypto::random_token());
  const protocol::Connection* key = connection.get();
  Opened made;
  made.session =
      std::make_shared<LegacySession>(id, std::move(opened), std::move(principal), std::move(connection));
  made.session->touch(clock_.now());
  const MutexLock lock(mutex_);
  if (key != nullptr) {
    by_connection_[key] = made.session;
  } else {
    made.evicted = evict_idle();
    ++by_owner_[owner];
    by_id_.emplace(std::move(id), Entry{.session = made.session, .owner = std::move(owner)});
  }
  return made;
}

std::shared_ptr<LegacySession> SessionTable::find(const SessionId& id, const Principal& principal) {
  const MutexLock lock(mutex_);
  const auto at = by_id_.find(id);
  if (at == by_id_.end() || at->second.session->principal() != principal) return nullptr;
  at->second.session->touch(clock_.now());
  return at->second.session;
}

std::shared_ptr<LegacySession> SessionTable::find(const protocol::Connection* connection) {
  const MutexLock lock(mutex_);
  const auto at = by_connection_.find(connection);
  return at == by_connection_.end() ? nullptr : at->second;
}

std::shared_ptr<LegacySession> SessionTable::remove(const SessionId& id) {
  const MutexLock lock(mutex_);
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : erase(at);
}

std::shared_ptr<LegacySession> SessionTable::remove(const protocol::Connection* connection) {
  const MutexLock lock(mutex_);
  const auto at = by_connection_.find(connection);
  if (at == by_connection_.end()) return nullptr;
  std::shared_ptr<LegacySession> session = std::move(at->second);
  by_connection_.erase(at);
  return session;
}

std::vector<std::shared_ptr<LegacySession>> SessionTable::all() {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<LegacySession>> sessions;
  for (const auto& [id, entry] : by_id_) sessions.push_back(entry.session);
  for (const auto& [connection, session] : by_connection_) sessions.push_back(session);
  return sessions;
}

}  // namespace sluice::server
