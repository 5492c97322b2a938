#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include <linux/fs.h>

namespace sluice::fs {

// Swaps two names over and over, atomically, while it lives.
class Swapper {
 public:
  Swapper(std::string a, std::string b)
      : thread_([this, a = std::move(a), b = std::move(b)] {
          while (!done_.load()) {
            ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
            ++swaps_;
          }
        }) {}
  ~Swapper() {
    done_.store(true);
    thread_.join();
  }
  unsigned swaps() const { return swaps_.load(); }

 private:
  std::atomic<bool> done_{false};
  std::atomic<unsigned> swaps_{0};
  std::thread thread_;
};

}  // namespace sluice::fs
