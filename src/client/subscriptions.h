#pragma once

#include <atomic>
#include <memory>
#include <set>
#include <string>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"

#include "session.h"

namespace sluice::client {

class Listener;

// Hears of changes for as long as anybody wants to, whatever the era and however often the connection ends.
// Any thread.
class Subscriptions {
 public:
  explicit Subscriptions(Session& session);
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  Status subscribe(const std::string& uri, const Call& call);
  Status unsubscribe(const std::string& uri, const Call& call);
  // Hears of the lists where a callback wants that; and in the legacy era of questions that belong to no
  // call, which servers on HTTP put on a stream of their own. Does nothing the second time.
  Status start(const Call& call);
  void close();

 private:
  // Hears of what is wanted now; fails where `uri` (if any) is not among what the server agrees to.
  Status apply(const std::string& uri, const Call& call);
  Status apply_legacy(const std::string& method, const std::string& uri, const Call& call);
  std::set<std::string> wanted() const;

  Session& session_;
  std::atomic<bool> is_started_{false};
  Mutex change_mutex_;  // One change at a time.
  std::unique_ptr<Listener> listener_ SLUICE_GUARDED_BY(change_mutex_);
  bool closed_ SLUICE_GUARDED_BY(change_mutex_) = false;

  mutable Mutex mutex_;
  std::set<std::string> wanted_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::client
