#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/fair_quota.h"
#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/task.h"

namespace sluice::server {

// Work that goes on after its call was answered. It belongs to one principal. Any thread.
class Task {
 public:
  using Listener = std::function<void(const protocol::TaskState&)>;

  Task(protocol::TaskState state, Principal owner, std::stop_source stop, const Clock& clock,
       Listener listener);

  const Principal& owner() const { return owner_; }
  protocol::TaskState state() const;

  void complete(std::string result);
  void fail(std::string error);
  // Asks the work to stop. The task is cancelled at once; what the work still returns is dropped.
  void cancel();

  // Puts the questions up and waits for all answers, as JSON objects by key.
  Result<json::Object> ask(std::vector<protocol::Question> questions, std::stop_token stop,
                           std::chrono::milliseconds at_most);
  // Answers to questions that are not open are ignored.
  void answer(const json::Object& responses);

 private:
  void change(const std::function<bool(protocol::TaskState&)>& apply);

  const Principal owner_;
  std::stop_source stop_;
  const Clock& clock_;
  const Listener listener_;
  mutable Mutex mutex_;
  CondVar answered_;
  protocol::TaskState state_ SLUICE_GUARDED_BY(mutex_);
  json::Object answers_ SLUICE_GUARDED_BY(mutex_);
};

class TaskTable {
 public:
  explicit TaskTable(const Clock& clock) : clock_(clock) {}

  void set_listener(Task::Listener listener) { listener_ = std::move(listener); }  // Before the first task.

  // `share_owner` is who the task counts against. Fails if there are too many, in all or for that owner.
  Result<std::shared_ptr<Task>> create(const Principal& owner, const std::string& share_owner,
                                       std::stop_source stop);
  // One error for an unknown, expired or foreign task.
  Result<std::shared_ptr<Task>> find(const std::string& id, const Principal& principal);
  void cancel_all();

 private:
  struct Entry {
    std::shared_ptr<Task> task;  // Shared with the thread that does the work.
    QuotaShare share;
    Monotonic expires;  // Once it has ended. By a clock that nobody sets.
  };

  void drop_expired() SLUICE_REQUIRES(mutex_);

  const Clock& clock_;
  Task::Listener listener_;
  FairQuota quota_{kTasksMax};
  Mutex mutex_;
  std::map<std::string, Entry, std::less<>> tasks_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::server
