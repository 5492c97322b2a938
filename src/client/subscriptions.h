#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

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
  std::mutex change_mutex_;  // One change at a time. Guards the next two.
  std::unique_ptr<Listener> listener_;
  bool closed_ = false;

  mutable std::mutex mutex_;
  std::set<std::string> wanted_;  // Guarded.
};

}  // namespace sluice::client
