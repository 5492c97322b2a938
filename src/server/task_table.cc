#include "task_table.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/crypto/random.h"

namespace sluice::server {

Task::Task(protocol::TaskState state, Principal owner, std::stop_source stop, const Clock& clock,
           Listener listener)
    : owner_(std::move(owner)),
      stop_(std::move(stop)),
      clock_(clock),
      listener_(std::move(listener)),
      state_(std::move(state)) {}

protocol::TaskState Task::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

// A terminal state does not change any more.
void Task::change(const std::function<bool(protocol::TaskState&)>& apply) {
  protocol::TaskState changed;
  {
    const MutexLock lock(mutex_);
    if (is_terminal(state_.status) || !apply(state_)) return;
    state_.updated = std::max(state_.updated, clock_.wall());  // The wall clock may be set back.
    changed = state_;
    answered_.notify_all();
  }
  if (listener_) listener_(changed);
}

void Task::complete(std::string result) {
  change([&](protocol::TaskState& state) SLUICE_REQUIRES(mutex_) {
    state.status = protocol::TaskStatus::kCompleted;
    state.questions.clear();
    state.result = std::move(result);
    return true;
  });
}

void Task::fail(std::string error) {
  change([&](protocol::TaskState& state) SLUICE_REQUIRES(mutex_) {
    state.status = protocol::TaskStatus::kFailed;
    state.questions.clear();
    state.error = std::move(error);
    return true;
  });
}

void Task::cancel() {
  change([&](protocol::TaskState& state) SLUICE_REQUIRES(mutex_) {
    state.status = protocol::TaskStatus::kCancelled;
    state.questions.clear();
    return true;
  });
  stop_.request_stop();
}

Result<json::Object> Task::ask(std::vector<protocol::Question> questions, std::stop_token stop,
                               std::chrono::milliseconds at_most) {
  std::vector<std::string> keys;
  for (const protocol::Question& question : questions) keys.push_back(question.key);
  change([&](protocol::TaskState& state) SLUICE_REQUIRES(mutex_) {
    // A key names one question for the whole life of the task, so one that was answered is not put again.
    std::erase_if(questions, [&](const protocol::Question& question)
                                 SLUICE_REQUIRES(mutex_) { return answers_.contains(question.key); });
    if (questions.empty()) return false;
    state.status = protocol::TaskStatus::kInputRequired;
    state.questions = std::move(questions);
    return true;
  });
  const MutexLock lock(mutex_);
  const auto all_there = [&]() SLUICE_REQUIRES(mutex_) {
    return is_terminal(state_.status) ||
           std::all_of(keys.begin(), keys.end(), [&](const std::string& key) SLUICE_REQUIRES(mutex_) {
             return answers_.contains(key);
           });
  };
  const bool in_time = answered_.wait_for(mutex_, stop, at_most, all_there);
  if (stop.stop_requested() || is_terminal(state_.status)) return cancelled();
  if (!in_time)
    return make_error(ErrorKind::kDeadline, "the client did not answer in time").with_code("ask_timeout");
  return answers_;
}

void Task::answer(const json::Object& responses) {
  change([&](protocol::TaskState& state) SLUICE_REQUIRES(mutex_) {
    bool used = false;
    for (const json::Member& response : responses) {
      const auto open =
          std::find_if(state.questions.begin(), state.questions.end(),
                       [&](const protocol::Question& question) { return question.key == response.key; });
      if (open == state.questions.end()) continue;
      answers_.set(response.key, response.value);
      state.questions.erase(open);
      used = true;
    }
    if (used && state.questions.empty()) state.status = protocol::TaskStatus::kWorking;
    return used;
  });
}

void TaskTable::drop_expired() {
  const Monotonic now = clock_.now();
  std::erase_if(tasks_, [&](const auto& entry) {
    return entry.second.expires < now && is_terminal(entry.second.task->state().status);
  });
}

Result<std::shared_ptr<Task>> TaskTable::create(const Principal& owner, const std::string& share_owner,
                                                std::stop_source stop) {
  const WallTime now = clock_.wall();
  protocol::TaskState state{.id = TaskId(crypto::random_token()),
                            .status = protocol::TaskStatus::kWorking,
                            .created = now,
                            .updated = now,
                            .ttl = kTaskLifetime,
                            .poll_interval = kTaskPollInterval};
  const std::string id = state.id.text();
  auto task = std::make_shared<Task>(std::move(state), owner, std::move(stop), clock_, listener_);
  const MutexLock lock(mutex_);
  drop_expired();
  QuotaShare share(quota_, share_owner);
  if (!share.grow(1)) {
    return limit_reached("tasks", kTasksMax)
        .with_code("too_busy")
        .with_hint("One caller may have a part of them. Tasks are forgotten after their ttlMs.");
  }
  tasks_.emplace(id, Entry{.task = task, .share = std::move(share), .expires = clock_.now() + kTaskLifetime});
  return task;
}

Result<std::shared_ptr<Task>> TaskTable::find(const std::string& id, const Principal& principal) {
  const MutexLock lock(mutex_);
  drop_expired();
  const auto at = tasks_.find(id);
  if (at == tasks_.end() || at->second.task->owner() != principal) {
    return invalid_input("params.taskId: unknown task")
        .with_code("unknown_task")
        .with_hint("Tasks are forgotten after their ttlMs.");
  }
  return at->second.task;
}

void TaskTable::cancel_all() {
  std::vector<std::shared_ptr<Task>> tasks;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, entry] : tasks_) tasks.push_back(entry.task);
  }
  for (const auto& task : tasks) task->cancel();
}

}  // namespace sluice::server
