#include "poller.h"

#include <algorithm>
#include <utility>

#include "sluice/base/log.h"

namespace sluice::apis {

namespace {

constexpr std::size_t kWatchedMax = 256;
constexpr std::size_t kWatchedInHaste = 2 * kWatchedMax;
constexpr std::chrono::milliseconds kIdle{60'000};

}  // namespace

Poller::Poller(const Clock& clock, std::function<void(const std::string&)> tell)
    : clock_(clock),
      tell_(std::move(tell)),
      thread_("api-poller", [this](const std::stop_token& stop) { run(stop); }) {}

Status Poller::has_room() const {
  const MutexLock lock(mutex_);
  if (entries_.size() < kWatchedMax) return {};
  return limit_reached("subscriptions to URIs of APIs", kWatchedMax)
      .with_code("too_many_subscriptions")
      .with_hint("Unsubscribe from URIs that you do not need any more, or read them again after a while.");
}

void Poller::add(const std::string& uri, Watched watched) {
  const MutexLock lock(mutex_);
  if (entries_.size() >= kWatchedInHaste && entries_.find(uri) == entries_.end()) {
    log::warning("api_not_watched", {{"api", watched.source->spec().name}, {"watched", entries_.size()}});
    return;
  }
  entries_.try_emplace(uri, Entry{.watched = std::move(watched), .seen = {}, .due = clock_.now()});
  ++additions_;
  changed_.notify_all();
}

void Poller::remove(const std::string& uri) {
  const MutexLock lock(mutex_);
  entries_.erase(uri);
}

void Poller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::string uri = wait_for_due(stop);
    if (!uri.empty()) look_at(uri, stop);
  }
}

std::string Poller::wait_for_due(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  const auto first = std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return a.second.due < b.second.due;
  });
  const Monotonic now = clock_.now();
  if (first != entries_.end() && first->second.due <= now) return first->first;
  const auto wait =
      first == entries_.end() ? kIdle : std::min<Monotonic::duration>(first->second.due - now, kIdle);
  const std::uint64_t additions = additions_;
  changed_.wait_for(mutex_, stop, wait, [&]() SLUICE_REQUIRES(mutex_) { return additions_ != additions; });
  return {};
}

void Poller::look_at(const std::string& uri, const std::stop_token& stop) {
  Entry entry;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(uri);
    if (found == entries_.end()) return;
    entry = found->second;
  }
  const Result<bool> changed =
      entry.watched.source->look(*entry.watched.endpoint, entry.watched.url, entry.seen, stop);
  const Monotonic next = clock_.now() + entry.watched.source->spec().poll;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(uri);
    if (found == entries_.end()) return;  // Nobody cares any more.
    found->second.seen = std::move(entry.seen);
    found->second.due = next;
  }
  if (!changed.ok()) {
    postpone(*entry.watched.source, next);
  } else if (*changed) {
    tell_(uri);
  }
}

void Poller::postpone(const ApiSource& source, Monotonic until) {
  const MutexLock lock(mutex_);
  for (auto& [uri, entry] : entries_) {
    if (entry.watched.source == &source) entry.due = std::max(entry.due, until);
  }
}

}  // namespace sluice::apis
