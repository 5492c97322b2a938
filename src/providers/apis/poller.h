#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

#include "api_source.h"

namespace sluice::apis {

// What one resource is looked at with.
struct Watched {
  ApiSource* source = nullptr;
  const Endpoint* endpoint = nullptr;
  fetch::Url url;
};

// Looks at the resources that somebody wants to hear of, each at the interval of its API, one after the other
// on a thread of its own. An API that does not answer is left alone until its next turn. Any thread.
class Poller {
 public:
  // `tell` is called on the poller's thread with the URI of what has changed.
  Poller(const Clock& clock, std::function<void(const std::string& uri)> tell);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Whether another URI may be watched. code `too_many_subscriptions`.
  Status has_room() const;
  // Several callers may have been told of the same room, so that a few more than the bound are watched. What
  // is beyond that is not, and the log says so.
  void add(const std::string& uri, Watched watched);
  void remove(const std::string& uri);

 private:
  struct Entry {
    Watched watched;
    Seen seen;
    Monotonic due;
  };

  void run(const std::stop_token& stop);
  // The next that is due, or empty after waiting for a while.
  std::string wait_for_due(const std::stop_token& stop);
  void look_at(const std::string& uri, const std::stop_token& stop);
  void postpone(const ApiSource& source, Monotonic until);

  const Clock& clock_;
  const std::function<void(const std::string&)> tell_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Entry> entries_ SLUICE_GUARDED_BY(mutex_);
  std::uint64_t additions_ SLUICE_GUARDED_BY(mutex_) = 0;
  BackgroundThread thread_;  // Last: it ends before the rest goes.
};

}  // namespace sluice::apis
