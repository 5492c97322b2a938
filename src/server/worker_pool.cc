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
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(job));
    if (idle_ < waiting_.size() && threads_.size() < threads_max_) {
      threads_.emplace_back([this] { run(); });
    }
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;  // Stopping.
    std::function<void()> job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // Whatever the job holds dies before the next one runs.
    lock.lock();
  }
}

}  // namespace sluice::server
