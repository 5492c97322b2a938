#include "size_guard.h"

#include <chrono>
#include <utility>

#include "sluice/base/sleep.h"

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
      thread_("size-guard", [this](const std::stop_token& done) { watch(done); }) {}

bool SizeGuard::is_exceeded() const {
  const Result<fs::Entry> file = root_.stat(path_);
  return file.ok() && file->bytes > bytes_max_;
}

void SizeGuard::watch(const std::stop_token& done) {
  while (!done.stop_requested()) {
    sleep_unless_stopped(kInterval, done);
    if (is_exceeded()) statement_.request_stop();
  }
}

}  // namespace sluice::records_provider
