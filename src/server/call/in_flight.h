#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sluice/base/fair_quota.h"
#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/protocol/jsonrpc/message.h"

#include "call/share_limits.h"

namespace sluice::server {

struct Call;

// The requests that have no answer yet. A scope is one pipe or one legacy session: ids are unique within it.
// Requests of the modern era over HTTP each have a scope of their own. Calls must not outlive it.
class InFlight {
 public:
  // Fails if the id is in use, or if too many requests, or too much of their parameters, are under way in all
  // or for the call's owner.
  Status begin(const std::string& scope, const protocol::RequestId& id, std::shared_ptr<Call> call);
  // The id may be used again from now on; the call still counts until `finished`. Before its answer goes out.
  void release_id(const std::string& scope, const protocol::RequestId& id);
  void finished(Call& call);
  // Both at once.
  void end(Call& call);

  std::shared_ptr<Call> find(const std::string& scope, const protocol::RequestId& id);
  void cancel_scope(const std::string& scope);
  void cancel_all();
  std::size_t size();
  // False: time ran out first.
  bool wait_empty(std::chrono::milliseconds at_most);

 private:
  using Key = std::pair<std::string, protocol::RequestId>;
  FairQuota quota_{kRequestsInFlightMax};
  FairQuota params_bytes_{kParamsBytesMax};
  Mutex mutex_;
  CondVar empty_;
  std::map<Key, std::shared_ptr<Call>> calls_ SLUICE_GUARDED_BY(mutex_);
  std::size_t running_ SLUICE_GUARDED_BY(mutex_) = 0;  // Begun and not finished.
};

}  // namespace sluice::server
