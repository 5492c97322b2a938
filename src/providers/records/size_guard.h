#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "sluice/base/background_thread.h"
#include "sluice/fs/root.h"

namespace sluice::records_provider {

// Ends a statement that writes a file when the file gets too large: the engine has no bound of its own. It
// looks at the file a few times a second, so the file may become larger by what is written in between.
class SizeGuard {
 public:
  // `root` must outlive the guard. `call` is what ends the statement otherwise.
  SizeGuard(const fs::Root& root, std::string path, std::uint64_t bytes_max, const std::stop_token& call);
  SizeGuard(const SizeGuard&) = delete;
  SizeGuard& operator=(const SizeGuard&) = delete;

  std::stop_token stop() const { return statement_.get_token(); }  // For the statement.
  bool is_exceeded() const;                                        // Looks at the file as it is now.

 private:
  struct Request {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };

  void watch(const std::stop_token& done);

  const fs::Root& root_;
  const std::string path_;
  const std::uint64_t bytes_max_;
  std::stop_source statement_;
  std::stop_callback<Request> on_call_;
  BackgroundThread thread_;  // Last: it ends before the rest is destroyed.
};

}  // namespace sluice::records_provider
