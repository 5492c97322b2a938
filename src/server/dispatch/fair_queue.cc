#include "dispatch/fair_queue.h"

#include <algorithm>
#include <utility>

namespace sluice::server {

bool FairQueue::push(const ShareKey& key, Job job, const void* tag) {
  const auto found = owners_.find(key.owner);
  if (waiting_ + (found == owners_.end() ? 0 : found->second.waiting) >= waiting_max_) return false;
  const auto at = found != owners_.end() ? found : owners_.emplace(key.owner, Owner{}).first;
  Owner& owner = at->second;
  if (owner.waiting == 0) turns_.push_back(at);
  auto channel = std::find_if(owner.channels.begin(), owner.channels.end(),
                              [&](const Channel& other) { return other.name == key.channel; });
  if (channel == owner.channels.end())
    channel = owner.channels.insert(owner.channels.end(), Channel{.name = key.channel, .jobs = {}});
  channel->jobs.emplace_back(std::move(job), tag);
  ++owner.waiting;
  ++waiting_;
  return true;
}

bool FairQueue::can_pop() const {
  return std::any_of(turns_.begin(), turns_.end(), [&](const auto& at) { return may_run(at->second); });
}

std::optional<FairQueue::Taken> FairQueue::pop(bool ignore_shares) {
  const auto turn = std::find_if(turns_.begin(), turns_.end(),
                                 [&](const auto& at) { return ignore_shares || may_run(at->second); });
  if (turn == turns_.end()) return std::nullopt;
  Owner& owner = (*turn)->second;
  Channel& channel = owner.channels.front();
  auto& [job, tag] = channel.jobs.front();
  Taken taken{.owner = (*turn)->first, .job = std::move(job), .tag = tag};
  channel.jobs.pop_front();
  if (channel.jobs.empty()) {
    owner.channels.pop_front();
  } else {
    owner.channels.splice(owner.channels.end(), owner.channels, owner.channels.begin());
  }
  ++owner.running;
  ++running_;
  --waiting_;
  if (--owner.waiting == 0) {
    turns_.erase(turn);
  } else {
    turns_.splice(turns_.end(), turns_, turn);
  }
  return taken;
}

void FairQueue::finished(const std::string& owner) {
  const auto at = owners_.find(owner);
  --running_;
  if (--at->second.running == 0 && at->second.waiting == 0) owners_.erase(at);
}

}  // namespace sluice::server
