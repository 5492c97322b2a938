#include "dispatch/worker_pool.h"

#include <optional>
#include <utility>

#include "sluice/base/assert.h"

#include "call/share_limits.h"

namespace sluice::server {

WorkerPool::~WorkerPool() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// A job that is stuck is a bug or a library's; what many of them occupy must stay bounded.
bool WorkerPool::add_thread() {
  if (threads_.size() >= threads_max_ + stuck_.size() || !queue_.can_pop()) return false;
  threads_.emplace_back([this] { run(); });
  SLUICE_ASSERT(threads_.size() <= threads_max_ + kStuckWorkersMax, "only so many workers are replaced");
  return true;
}

void WorkerPool::replace_stuck(const void* tag) {
  const MutexLock lock(mutex_);
  if (stuck_.size() >= kStuckWorkersMax || !running_.contains(tag) || !stuck_.insert(tag).second) return;
  queue_.set_workers(threads_max_ + stuck_.size());
  if ((idle_ >= queue_.waiting() || !add_thread()) && wakes_another()) wake_.notify_one();
}

std::size_t WorkerPool::stuck() {
  const MutexLock lock(mutex_);
  return stuck_.size();
}

bool WorkerPool::submit(const ShareKey& key, FairQueue::Job job, const void* tag) {
  bool wakes = false;
  {
    const MutexLock lock(mutex_);
    if (stopping_ || !queue_.push(key, std::move(job), tag)) return false;
    if (idle_ >= queue_.waiting() || !add_thread()) wakes = wakes_another();
  }
  if (wakes) wake_.notify_one();
  return true;
}

// One thread is woken at a time, and it wakes the next if there is work for it. Where requests are short,
// those that are awake do them all, and nobody is woken in vain.
bool WorkerPool::wakes_another() {
  if (is_waking_ || idle_ == 0 || !queue_.can_pop()) return false;
  is_waking_ = true;
  return true;
}

void WorkerPool::run() {
  MutexLock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) {
      is_waking_ = false;
      return stopping_ || queue_.can_pop();
    });
    --idle_;
    std::optional<FairQueue::Taken> taken = queue_.pop(stopping_);
    if (!taken) return;  // Stopping.
    if (taken->tag != nullptr) running_.insert(taken->tag);
    const bool wakes = wakes_another();
    lock.unlock();
    if (wakes) wake_.notify_one();
    taken->job();
    taken->job = nullptr;  // Whatever the job holds dies before the next one runs.
    lock.lock();
    queue_.finished(taken->owner);
    running_.erase(taken->tag);
    if (stuck_.erase(taken->tag) > 0) queue_.set_workers(threads_max_ + stuck_.size());
  }
}

}  // namespace sluice::server
