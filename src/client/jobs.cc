#include "jobs.h"

#include <utility>

namespace sluice::client {

bool Jobs::start(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock done(mutex_);
    job.done = true;
  });
  return true;
}

void Jobs::close() {
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return;
    closed_ = true;
  }
  for (Job& job : jobs_) job.thread.join();  // Closed: nobody adds one.
  jobs_.clear();
}

}  // namespace sluice::client
