#include "growth_guard.h"

#include <utility>

#include "sluice/base/sleep.h"

namespace sluice::query {

namespace {

// A disk takes a few megabytes in this time.
constexpr std::chrono::milliseconds kInterval{5};

}  // namespace

GrowthGuard::GrowthGuard(const fs::Root& folder, std::string name, const std::stop_token& caller,
                         Allows allows)
    : folder_(folder),
      name_(std::move(name)),
      allows_(std::move(allows)),
      on_caller_(caller, Forward{&writer_}),
      thread_("growth-guard", [this](const std::stop_token& stop) { look(stop); }) {}

void GrowthGuard::look(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    sleep_unless_stopped(kInterval, stop);
    const Result<fs::Entry> entry = folder_.stat(name_);
    if (!entry.ok() || allows_(entry->bytes)) continue;
    was_too_large_.store(true, std::memory_order_release);
    writer_.request_stop();
    return;
  }
}

}  // namespace sluice::query
