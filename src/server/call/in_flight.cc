#include "call/in_flight.h"

#include <vector>

#include <fmt/format.h>

#include "sluice/base/limits.h"

#include "call/call.h"
#include "call/params_memory.h"

namespace sluice::server {

Status InFlight::begin(const std::string& scope, const protocol::RequestId& id, std::shared_ptr<Call> call) {
  // Goes out of scope after the lock, and gives back what it holds if the call is refused.
  QuotaShare under_way(quota_, call->share.owner);
  if (!under_way.grow(1)) {
    return limit_reached("requests under way", kRequestsInFlightMax)
        .with_code("too_busy")
        .with_hint(
            "One caller may use a part of them. Wait for answers to earlier requests, then try again.");
  }
  QuotaShare params(params_bytes_, call->share.owner);
  if (const std::uint64_t bytes = memory_bytes(call->params);
      bytes > kSmallParamsBytes && !params.grow(bytes)) {
    return limit_reached("bytes of the parameters of requests under way", kParamsBytesMax)
        .with_code("too_busy")
        .with_hint(
            "One caller may use a part of them. Wait for answers to earlier requests, or send less at a "
            "time.");
  }
  const MutexLock lock(mutex_);
  const auto first =
      calls_.lower_bound(Key{scope, protocol::RequestId{std::numeric_limits<std::int64_t>::min()}});
  std::size_t in_scope = 0;
  for (auto at = first; at != calls_.end() && at->first.first == scope; ++at) ++in_scope;
  if (in_scope >= kConnectionInFlightMax) {
    return limit_reached("requests under way on one connection", kConnectionInFlightMax)
        .with_code("too_busy");
  }
  Call& begun = *call;
  if (!calls_.emplace(Key{scope, id}, std::move(call)).second) {
    return invalid_input(fmt::format("id {} belongs to a request that has no answer yet", to_json(id)))
        .with_code("duplicate_id");
  }
  begun.under_way = std::move(under_way);
  begun.params_bytes = std::move(params);
  ++running_;
  return {};
}

void InFlight::release_id(const std::string& scope, const protocol::RequestId& id) {
  std::shared_ptr<Call> released;  // Dies after the lock is released.
  const MutexLock lock(mutex_);
  const auto at = calls_.find(Key{scope, id});
  if (at == calls_.end()) return;
  released = std::move(at->second);
  calls_.erase(at);
}

void InFlight::finished(Call& call) {
  call.under_way.release();
  const MutexLock lock(mutex_);
  if (--running_ == 0) empty_.notify_all();
}

void InFlight::end(Call& call) {
  release_id(call.scope, call.id);
  finished(call);
}

std::shared_ptr<Call> InFlight::find(const std::string& scope, const protocol::RequestId& id) {
  const MutexLock lock(mutex_);
  const auto at = calls_.find(Key{scope, id});
  return at == calls_.end() ? nullptr : at->second;
}

void InFlight::cancel_scope(const std::string& scope) {
  std::vector<std::shared_ptr<Call>> found;
  {
    const MutexLock lock(mutex_);
    for (const auto& [key, call] : calls_) {
      if (key.first == scope) found.push_back(call);
    }
  }
  for (const auto& call : found) call->cancel(CancelReason::kCaller);
}

void InFlight::cancel_all() {
  std::vector<std::shared_ptr<Call>> found;
  {
    const MutexLock lock(mutex_);
    for (const auto& [key, call] : calls_) found.push_back(call);
  }
  for (const auto& call : found) call->cancel(CancelReason::kShutdown);
}

std::size_t InFlight::size() {
  const MutexLock lock(mutex_);
  return running_;
}

bool InFlight::wait_empty(std::chrono::milliseconds at_most) {
  const MutexLock lock(mutex_);
  return empty_.wait_for(mutex_, at_most, [this]() SLUICE_REQUIRES(mutex_) { return running_ == 0; });
}

}  // namespace sluice::server
