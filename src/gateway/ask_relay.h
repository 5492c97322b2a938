#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/gateway/call_options.h"
#include "sluice/protocol/model/ask.h"

namespace sluice::gateway {

// Calls whose upstream may ask something, on threads of their own: the time that a user takes to answer is
// not the upstream's. An upstream that waits for the answer, called by somebody whose answers come with a
// retry of the request, goes on waiting while its caller is away; the retry finds the call by what it asks
// for, and it runs only once. Any thread.
class AskRelay {
 public:
  // Makes the call with options whose `ask` waits, and keeps what comes of it.
  using Work = std::function<void(const CallOptions& options)>;

  struct Terms {
    bool waits = true;                   // The upstream waits for answers. False: it is called again.
    std::chrono::milliseconds time_max;  // For the upstream to answer or to ask.
  };

  ~AskRelay();  // Waits for all calls; whoever destroys it has ended them.

  // Runs `work`, or goes on with the one that was left under the same key and whose question `options` can
  // answer now. `outcome` is kept with the call; the one that belongs to the finished call is returned.
  // kInputRequired: the caller has to retry.
  Result<std::shared_ptr<void>> run(const std::string& key, const CallOptions& options, const Terms& terms,
                                    Work work, std::shared_ptr<void> outcome);

  std::size_t size() const;  // Calls that run or wait.

 private:
  struct Parked;
  using ParkedPtr = std::shared_ptr<Parked>;  // Owners: the list, its thread, and the caller at hand.

  Result<ParkedPtr> begin(const std::string& key, const CallOptions& options, const Terms& terms, Work work,
                          std::shared_ptr<void> outcome);
  ParkedPtr resume(const std::string& key, const CallOptions& options);
  Status attend(const ParkedPtr& call, const CallOptions& options, const Terms& terms);
  void finished(const ParkedPtr& call);
  void join_ended();

  mutable Mutex mutex_;
  CondVar idle_;
  std::list<ParkedPtr> calls_ SLUICE_GUARDED_BY(mutex_);
  std::vector<std::thread> ended_ SLUICE_GUARDED_BY(mutex_);  // To be joined.
};

}  // namespace sluice::gateway
