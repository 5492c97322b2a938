#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/catalog/context.h"
#include "sluice/protocol/wire/params.h"

#include "call/call.h"
#include "core.h"

namespace sluice::server {

// The Context of one call, in either era. It lives on the stack of the thread that runs the handler.
class CallContext final : public catalog::Context {
 public:
  // Reads what a retry brings along. Fails where that is malformed, forged, expired or for another request.
  static Result<std::unique_ptr<CallContext>> create(Core& core, std::shared_ptr<Call> call);

  const Principal& principal() const override { return call_->principal; }
  catalog::SessionToken session() const override { return call_->session; }
  std::string request_id() const override { return protocol::to_json(call_->id); }
  std::stop_token stop() const override { return call_->stop.get_token(); }
  Monotonic deadline() const override { return call_->deadline; }
  const Budget& budget() const override { return core_.options.budget; }
  const protocol::ClientCapabilities& client() const override { return call_->client; }
  const json::Object& meta() const override { return meta_; }
  void progress(protocol::Progress progress) override;
  void log(protocol::LogLevel level, std::string_view logger, const json::Value& data) override;
  Result<catalog::Answers> ask(std::vector<protocol::Question> questions) override;
  bool can_ask(const protocol::QuestionBody& question) const override;
  bool is_retry() const override { return is_retry_; }
  Result<bool> become_task() override;
  void release_connection() override { call_->responder->release_connection(); }

  // The `result` for questions that wait for a retry. Only after `ask` returned kInputRequired.
  std::string input_required() const;
  const std::shared_ptr<Task>& task() const { return task_; }

 private:
  CallContext(Core& core, std::shared_ptr<Call> call) : core_(core), call_(std::move(call)) {}

  // Nothing more is said about a request that was cancelled.
  bool is_silent() const SLUICE_REQUIRES(progress_mutex_) {
    return silent_ || call_->cancelled != CancelReason::kNone;
  }
  Result<catalog::Answers> ask_in_retry(std::vector<protocol::Question> questions);
  Result<catalog::Answers> ask_now(const std::vector<protocol::Question>& questions);
  Result<catalog::Answers> ask_in_task(const std::vector<protocol::Question>& questions);

  Core& core_;
  const std::shared_ptr<Call> call_;
  json::Object meta_;
  std::optional<protocol::ProgressToken> progress_token_;
  json::Object responses_;  // The client's answers so far, by key.
  bool is_retry_ = false;
  std::vector<protocol::Question> unanswered_;
  std::shared_ptr<Task> task_;  // Set once the call has become a task; shared with the table.
  Mutex progress_mutex_;
  std::optional<double> last_progress_ SLUICE_GUARDED_BY(progress_mutex_);
  bool silent_ SLUICE_GUARDED_BY(progress_mutex_) = false;  // Tasks have no progress and no log lines.
};

}  // namespace sluice::server
