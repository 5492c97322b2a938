#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace sluice::client {

// Work that must not hold up the thread that found it: answering a question, telling of a cancellation. Each
// has a thread, a few at a time. Any thread.
class Jobs {
 public:
  explicit Jobs(std::size_t jobs_max) : jobs_max_(jobs_max) {}
  ~Jobs() { close(); }

  // False: too many, or closed; nothing is done.
  bool start(std::function<void()> work);
  // Waits for those that run; whoever closes has told them to stop.
  void close();

 private:
  struct Job {
    std::thread thread;
    bool done = false;
  };

  const std::size_t jobs_max_;
  std::mutex mutex_;  // Guards the rest.
  std::list<Job> jobs_;
  bool closed_ = false;
};

}  // namespace sluice::client
