#include "size_guard.h"

#include <chrono>
#include <utility>

namespace sluice::records_provider {

namespace {

constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

SizeGuard::SizeGuard(const fs::Root& root, std::string path, std::uint64_t bytes_max,
                     const std::stop_token& call)
    : root_(root),
      path_(std::move(path)),
      bytes_max_(bytes_max),
      on_call_(call, Request{statement_}),
      thread_([this](const std::stop_token& done) { watch(done); }) {}

bool SizeGuard::is_exceeded() const {
  const Result<fs::Entry> file = root_.stat(path_);
  return file.ok() && file->bytes > bytes_max_;
}

void SizeGuard::watch(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    waiting_.wait_for(lock, done, kInterval, [] { return false; });
    if (is_exceeded()) statement_.request_stop();
  }
}

}  // namespace sluice::records_provider
