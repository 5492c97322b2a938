#include "connection/reaper.h"

#include <chrono>
#include <utility>

namespace sluice::engine::postgres {

namespace {

constexpr std::chrono::milliseconds kCleanTime{2'000};

Status clean(Link& link) {
  SLUICE_TRY(const Waiter waiter, Waiter::make({.deadline = system_clock().now() + kCleanTime, .stop = {}}));
  SLUICE_CHECK(link.settle(waiter));
  link.leave_transaction();
  SLUICE_CHECK(link.settle(waiter));
  if (!link.is_idle()) return internal_error("clean a connection");
  return {};
}

}  // namespace

Reaper::Reaper() : thread_("pg-reaper", [this](const std::stop_token& stop) { run(stop); }) {}

Reaper::~Reaper() { thread_.end(); }

void Reaper::take(Lease lease) {
  {
    const MutexLock lock(mutex_);
    leases_.push_back(std::move(lease));
  }
  changed_.notify_one();
}

void Reaper::run(const std::stop_token& stop) {
  while (true) {
    MutexLock lock(mutex_);
    // Those that are left when it stops are cancelled, too: the server would work on for nobody.
    if (!changed_.wait(mutex_, stop, [this]() SLUICE_REQUIRES(mutex_) { return !leases_.empty(); })) return;
    std::deque<Lease> leases;
    leases.swap(leases_);
    lock.unlock();
    // All of them first: one that is slow to end must not keep the others running.
    for (const Lease& lease : leases) lease.item->cancel();
    for (; !leases.empty(); leases.pop_front()) {
      Lease& lease = leases.front();
      if (stop.stop_requested() || !clean(*lease.item).ok()) lease.item.reset();
    }
  }
}

}  // namespace sluice::engine::postgres
