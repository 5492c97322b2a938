#pragma once

#include <stop_token>
#include <utility>

namespace sluice::client {

// A stop that comes from either of two.
class EitherStop {
 public:
  EitherStop(std::stop_token a, std::stop_token b)
      : on_a_(std::move(a), Forward{stop_}), on_b_(std::move(b), Forward{stop_}) {}
  EitherStop(const EitherStop&) = delete;
  EitherStop& operator=(const EitherStop&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  struct Forward {
    std::stop_source& stop;  // Of this object, which the callbacks do not outlive.
    void operator()() const { stop.request_stop(); }
  };
  std::stop_source stop_;
  std::stop_callback<Forward> on_a_;
  std::stop_callback<Forward> on_b_;
};

}  // namespace sluice::client
