#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace sluice {

// A thread with a name, which debuggers and `top -H` show, and an end: `end`, or the destructor, requests it
// to stop and waits for it. Declare it as the last member, so that it ends before what it uses is destroyed.
// docs/ARCHITECTURE.md lists all threads. One thread at a time.
class BackgroundThread {
 public:
  BackgroundThread() = default;  // Runs nothing.
  // `name` has at most 15 characters. `run` returns soon after a stop is requested, and throws nothing.
  BackgroundThread(const char* name, std::function<void(std::stop_token)> run);

  bool is_started() const { return thread_.joinable(); }
  void request_stop() { thread_.request_stop(); }
  void end();  // Does nothing if nothing runs.

 private:
  std::jthread thread_;
};

}  // namespace sluice
