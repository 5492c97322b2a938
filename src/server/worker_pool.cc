#include "worker_pool.h"

#include <utility>

namespace sluice::server {

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::submit(std::function<void()> job) {
  bool wakes = false;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(job));
    if (idle_ < waiting_.size() && threads_.size() < threads_max_) {
      threads_.emplace_back([this] { run(); });
    } else {
      wakes = wakes_another();
    }
  }
  if (wakes) wake_.notify_one();
  return true;
}

// One thread is woken at a time, and it wakes the next if there is work for it. Where requests are short,
// those that are awake do them all, and nobody is woken in vain.
bool WorkerPool::wakes_another() {
  if (is_waking_ || idle_ == 0 || waiting_.empty()) return false;
  is_waking_ = true;
  return true;
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] {
      is_waking_ = false;
      return stopping_ || !waiting_.empty();
    });
    --idle_;
    if (waiting_.empty()) return;  // Stopping.
    std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    const bool wakes = wakes_another();
    lock.unlock();
    if (wakes) wake_.notify_one();
    job();
    job = nullptr;  // Whatever the job holds dies before the next one runs.
    lock.lock();
  }
}

}  // namespace sluice::server
