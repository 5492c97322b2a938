#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "call/share_key.h"

namespace sluice::server {

// Jobs that wait for a worker, and how many workers each owner occupies. Owners take turns, and so do the
// channels of one owner. An owner that occupies as many workers as are free waits, so that one owner alone
// gets half of the workers and leaves the rest to others. Not synchronised.
class FairQueue {
 public:
  using Job = std::function<void()>;
  struct Taken {
    std::string owner;
    Job job;
    const void* tag = nullptr;
  };

  FairQueue(std::size_t workers, std::size_t waiting_max) : workers_(workers), waiting_max_(waiting_max) {}

  // False: the owner has too many jobs waiting. `tag` comes back with the job.
  bool push(const ShareKey& key, Job job, const void* tag = nullptr);
  // The next job, which counts as running until `finished`; nothing if none waits or may run now.
  // With `ignore_shares` every job may run.
  std::optional<Taken> pop(bool ignore_shares = false);
  void finished(const std::string& owner);

  void set_workers(std::size_t workers) { workers_ = workers; }
  bool can_pop() const;
  std::size_t waiting() const { return waiting_; }

 private:
  struct Channel {
    std::string name;
    std::list<std::pair<Job, const void*>> jobs;  // An empty list allocates nothing; a deque would.
  };
  struct Owner {
    std::size_t running = 0;
    std::size_t waiting = 0;
    std::list<Channel> channels;  // With jobs; the next to be served first.
  };
  using Owners = std::map<std::string, Owner, std::less<>>;

  bool may_run(const Owner& owner) const { return owner.running < workers_ - running_; }

  std::size_t workers_;
  const std::size_t waiting_max_;
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;
  Owners owners_;                      // Those with a job that waits or runs.
  std::list<Owners::iterator> turns_;  // Those with a job that waits; the next to be served first.
};

}  // namespace sluice::server
