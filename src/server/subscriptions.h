#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sluice/base/fair_quota.h"
#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/catalog/catalog.h"
#include "sluice/protocol/model/task.h"
#include "sluice/protocol/wire/params.h"

namespace sluice::server {

struct Call;

// One subscriptions/listen request that stays open. Notifications wait until the acknowledgement has gone
// out.
class ListenStream {
 public:
  ListenStream(std::shared_ptr<Call> call, protocol::ListenParams agreed);

  const protocol::ListenParams& agreed() const { return agreed_; }
  bool wants_uri(const std::string& uri) const { return uris_.contains(uri); }
  bool wants_task(const std::string& id) const { return tasks_.contains(id); }
  const std::string& id_json() const { return id_json_; }
  const std::shared_ptr<Call>& call() const { return call_; }

  void acknowledge();
  void deliver(std::string message);

 private:
  const std::shared_ptr<Call> call_;  // Shared with the in-flight table.
  const protocol::ListenParams agreed_;
  const std::set<std::string, std::less<>> uris_;
  const std::set<std::string, std::less<>> tasks_;
  const std::string id_json_;
  Mutex mutex_;  // Also keeps the order of messages.
  bool acknowledged_ SLUICE_GUARDED_BY(mutex_) = false;
  std::vector<std::string> early_ SLUICE_GUARDED_BY(mutex_);
};

// The open listen streams of the modern era. Any thread.
class Subscriptions {
 public:
  // Both must outlive it. `bytes` is what subscribed URIs take.
  Subscriptions(catalog::Catalog& catalog, FairQuota& bytes) : catalog_(catalog), bytes_(bytes) {}

  // Registers and acknowledges. Fails if there are too many streams or URIs, in all or for the call's owner.
  Status add(std::shared_ptr<ListenStream> stream);
  void remove(const Call* call);

  // `list` is "tools", "prompts" or "resources".
  void list_changed(std::string_view list);
  void resource_updated(const std::string& uri);
  void task_changed(const protocol::TaskState& task);
  std::vector<std::shared_ptr<ListenStream>> all();

 private:
  struct Entry {
    std::shared_ptr<ListenStream> stream;  // Shared with those that deliver to it.
    QuotaShare count;
    QuotaShare bytes;
  };

  catalog::Catalog& catalog_;
  FairQuota& bytes_;
  FairQuota count_{kListenStreamsMax};
  Mutex mutex_;
  std::map<const Call*, Entry> streams_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::server
