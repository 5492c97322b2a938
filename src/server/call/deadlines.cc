#include "call/deadlines.h"

namespace sluice::server {

Deadlines::Deadlines(const Clock& clock) : clock_(clock), thread_([this] { run(); }) {}

void Deadlines::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Deadlines::Ticket Deadlines::add(Monotonic at, std::function<void()> callback) {
  Ticket ticket;
  bool first = false;
  {
    const MutexLock lock(mutex_);
    ticket = {at, next_++};
    waiting_.emplace(ticket, std::move(callback));
    first = at < alarm_;  // Most deadlines are later than the time the thread sleeps until anyway.
  }
  // Most deadlines are later than one that is already waited for; only the nearest one needs a new alarm.
  if (first) wake_.notify_one();
  return ticket;
}

bool Deadlines::remove(const Ticket& ticket) {
  const MutexLock lock(mutex_);
  return waiting_.erase(ticket) > 0;
}

void Deadlines::run() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      alarm_ = Monotonic::max();
      wake_.wait(mutex_);
      continue;
    }
    const auto nearest = waiting_.begin();
    if (clock_.now() < nearest->first.first) {
      alarm_ = nearest->first.first;
      wake_.wait_until(mutex_, alarm_);
      continue;
    }
    const std::function<void()> callback = std::move(nearest->second);
    waiting_.erase(nearest);
    lock.unlock();
    callback();
    lock.lock();
  }
}

}  // namespace sluice::server
