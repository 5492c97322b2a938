#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "sluice/base/mutex.h"
#include "sluice/client/options.h"

#include "either_stop.h"

namespace sluice::client {

// Answers what one call makes the server ask, for as long as the call lasts: the callback may refer to what
// only lives that long. Any thread.
class AskScope {
 public:
  // Either stop ends the questions; so does the end of the call. `is_own`: the callback is the call's, not
  // the client's.
  AskScope(Ask ask, bool is_own, std::stop_token call_stop, std::stop_token client_stop)
      : ask_(std::move(ask)), is_own_(is_own), outer_(std::move(call_stop), std::move(client_stop)) {}

  bool is_own() const { return is_own_; }

  // Runs the callback, unless the call is over.
  Result<protocol::Answer> ask(const protocol::Question& question) {
    {
      const MutexLock lock(mutex_);
      if (left_) return cancelled();
      ++running_;
    }
    Result<protocol::Answer> answer = [&] {
      const EitherStop either(outer_.token(), left_stop_.get_token());
      return ask_(question, either.token());
    }();
    {
      const MutexLock lock(mutex_);
      --running_;
      if (!answer && !failure_) failure_ = answer.error();
      changed_.notify_all();
    }
    if (!answer) failed_.request_stop();
    return answer;
  }

  // Requested once a question could not be answered: the call has no use any more, and `failure` is why.
  std::stop_token failed() const { return failed_.get_token(); }
  std::optional<Error> failure() const {
    const MutexLock lock(mutex_);
    return failure_;
  }

  // The call is over: waits for callbacks that run, after telling them to stop.
  void leave() {
    left_stop_.request_stop();
    const MutexLock lock(mutex_);
    left_ = true;
    changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return running_ == 0; });
  }

 private:
  const Ask ask_;
  const bool is_own_;
  const EitherStop outer_;
  std::stop_source left_stop_;
  std::stop_source failed_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::size_t running_ SLUICE_GUARDED_BY(mutex_) = 0;
  bool left_ SLUICE_GUARDED_BY(mutex_) = false;
  std::optional<Error> failure_ SLUICE_GUARDED_BY(mutex_);
};

// Whose question it is, where it names no call, among the calls under way: that of the only one with a
// callback of its own; else of the only one. Null: nobody's in particular, so that the client itself is
// asked.
template <typename Scopes>
std::shared_ptr<AskScope> only_one(const Scopes& scopes) {
  std::shared_ptr<AskScope> only;
  std::size_t all = 0;
  std::size_t own = 0;
  for (const std::shared_ptr<AskScope>& scope : scopes) {
    if (!scope) continue;
    ++all;
    own += scope->is_own() ? 1U : 0U;
    if (scope->is_own() || !only) only = scope;
  }
  return own == 1 || (own == 0 && all == 1) ? only : nullptr;
}

}  // namespace sluice::client
