#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "sluice/client/options.h"

#include "either_stop.h"

namespace sluice::client {

// Answers what one call makes the server ask, for as long as the call lasts: the callback may refer to what
// only lives that long. Any thread.
class AskScope {
 public:
  // Either stop ends the questions; so does the end of the call.
  AskScope(Ask ask, std::stop_token call_stop, std::stop_token client_stop)
      : ask_(std::move(ask)), outer_(std::move(call_stop), std::move(client_stop)) {}

  // Runs the callback, unless the call is over.
  Result<protocol::Answer> ask(const protocol::Question& question) {
    {
      const std::scoped_lock lock(mutex_);
      if (left_) return cancelled();
      ++running_;
    }
    Result<protocol::Answer> answer = [&] {
      const EitherStop either(outer_.token(), left_stop_.get_token());
      return ask_(question, either.token());
    }();
    {
      const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

  // The call is over: waits for callbacks that run, after telling them to stop.
  void leave() {
    left_stop_.request_stop();
    std::unique_lock lock(mutex_);
    left_ = true;
    changed_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  const Ask ask_;
  const EitherStop outer_;
  std::stop_source left_stop_;
  std::stop_source failed_;
  mutable std::mutex mutex_;  // Guards the rest.
  std::condition_variable changed_;
  std::size_t running_ = 0;
  bool left_ = false;
  std::optional<Error> failure_;
};

}  // namespace sluice::client
