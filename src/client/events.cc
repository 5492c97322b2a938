#include "events.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"

namespace sluice::client {

bool Events::Waiting::empty() const {
  return uris.empty() && logs.empty() && std::none_of(lists.begin(), lists.end(), [](bool is) { return is; });
}

void Events::add(const std::function<void(Waiting&)>& change) {
  const MutexLock lock(mutex_);
  if (closed_) return;
  change(waiting_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void Events::list_changed(ListKind kind) {
  if (!options_.on_list_changed) return;
  add([&](Waiting& waiting) { waiting.lists.at(static_cast<std::size_t>(kind)) = true; });
}

// With too many that wait, the list is told instead: whoever keeps resources looks at all of them then.
void Events::resource_updated(const std::string& uri) {
  if (!options_.on_resource_updated || uri.size() > kUriBytesMax) return;
  add([&](Waiting& waiting) {
    if (waiting.uris.size() < kClientEventsWaitingMax || waiting.uris.contains(uri))
      waiting.uris.insert(uri);
    else
      waiting.lists.at(static_cast<std::size_t>(ListKind::kResources)) = true;
  });
}

void Events::log(LogMessage message) {
  if (!options_.on_log) return;
  add([&](Waiting& waiting) {
    if (waiting.logs.size() >= kClientLogsWaitingMax) waiting.logs.pop_front();
    waiting.logs.push_back(std::move(message));
  });
}

void Events::run() {
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return closed_ || !waiting_.empty(); });
    if (closed_) return;
    const Waiting waiting = std::exchange(waiting_, {});
    lock.unlock();
    tell(waiting);
    lock.lock();
  }
}

void Events::tell(const Waiting& waiting) {
  for (const LogMessage& message : waiting.logs) options_.on_log(message);
  for (std::size_t i = 0; i < waiting.lists.size(); ++i) {
    if (waiting.lists.at(i) && options_.on_list_changed) options_.on_list_changed(static_cast<ListKind>(i));
  }
  for (const std::string& uri : waiting.uris) options_.on_resource_updated(uri);
}

void Events::close() {
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace sluice::client
