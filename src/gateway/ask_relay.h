#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/result.h"
#include "sluice/gateway/call_options.h"
#include "sluice/protocol/model/ask.h"

namespace sluice::gateway {

// Calls of an upstream that asks in the middle of a call and waits for the answer, made for callers whose
// answers may come with a retry of their request. Such a call goes on, on a thread of its own, while its
// caller has gone to fetch the answer; the retry finds it by what it asks for, and it runs only once.
// Any thread.
class AskRelay {
 public:
  // Makes the call with options whose `ask` waits, and keeps what comes of it.
  using Work = std::function<void(const CallOptions& options)>;

  ~AskRelay();  // Waits for all calls; whoever destroys it has ended them.

  // Runs `work`, or goes on with the one that was left under the same key and whose question `options` can
  // answer now. `outcome` is kept with the call; the one that belongs to the finished call is returned.
  // kInputRequired: the caller has to retry.
  Result<std::shared_ptr<void>> run(const std::string& key, const CallOptions& options, Work work,
                                    std::shared_ptr<void> outcome);

  std::size_t size() const;  // Calls that run or wait.

 private:
  struct Parked;
  using ParkedPtr = std::shared_ptr<Parked>;  // Owners: the list, its thread, and the caller at hand.

  Result<ParkedPtr> begin(const std::string& key, const CallOptions& options, Work work,
                          std::shared_ptr<void> outcome);
  ParkedPtr resume(const std::string& key, const CallOptions& options);
  Status attend(const ParkedPtr& call, const CallOptions& options);
  void finished(const ParkedPtr& call);

  mutable std::mutex mutex_;  // Guards what follows.
  std::condition_variable idle_;
  std::list<ParkedPtr> calls_;
};

}  // namespace sluice::gateway
