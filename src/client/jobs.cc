#include "jobs.h"

#include <utility>

namespace sluice::client {

bool Jobs::start(std::function<void()> work) {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (!job->done) {
      ++job;
      continue;
    }
    job->thread.join();  // Its last step; it holds nothing that is waited for here.
    job = jobs_.erase(job);
  }
  if (jobs_.size() >= jobs_max_) return false;
  Job& job = jobs_.emplace_back();
  job.thread = std::thread([this, &job, work = std::move(work)] {
    work();
    const MutexLock done(mutex_);
    job.done = true;
  });
  return true;
}

void Jobs::close() {
  std::list<Job> jobs;
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    closed_ = true;
    jobs.swap(jobs_);  // What runs refers to its job, which stays where it is.
  }
  for (Job& job : jobs) job.thread.join();
}

}  // namespace sluice::client
