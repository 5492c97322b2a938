#include "http/blocking_threads.h"

#include <exception>
#include <stop_token>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::transport {

BlockingThreads::~BlockingThreads() {
  std::list<BackgroundThread> threads;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  threads.clear();
}

void BlockingThreads::run(Job job) {
  {
    const MutexLock lock(mutex_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && threads_.size() < threads_max_) {
      try {
        threads_.emplace_back("http-blocking", [this](const std::stop_token&) { work(); });
      } catch (const std::exception& failure) {  // The system gives no more: the job waits for one there is.
        log::error("http_thread_failed", {{"what", failure.what()}});
        if (threads_.empty()) {
          jobs_.pop_back();
          throw;
        }
      }
    }
  }
  wake_.notify_one();
}

void BlockingThreads::work() {
  while (true) {
    Job job;
    {
      MutexLock lock(mutex_);
      ++idle_;
      wake_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return stopping_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace sluice::transport
