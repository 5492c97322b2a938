#include "call/call_context.h"

#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/random.h"
#include "sluice/protocol/wire/questions.h"

#include "call/answers.h"
#include "call/request_state.h"
#include "session/legacy_session.h"

namespace sluice::server {
namespace {

// Runs something on every way out of a scope.
class Restart {
 public:
  explicit Restart(std::function<void()> action) : action_(std::move(action)) {}
  ~Restart() { action_(); }
  Restart(const Restart&) = delete;
  Restart& operator=(const Restart&) = delete;

 private:
  std::function<void()> action_;
};

}  // namespace

Result<std::unique_ptr<CallContext>> CallContext::create(Core& core, std::shared_ptr<Call> call) {
  std::unique_ptr<CallContext> context(new CallContext(core, std::move(call)));
  const Call& made_for = *context->call_;
  SLUICE_TRY(context->progress_token_, protocol::decode_progress_token(made_for.params));
  if (const json::Value* meta = made_for.params.find("_meta"); meta != nullptr && meta->is_object())
    context->meta_ = *meta->if_object();
  if (!made_for.modern()) return context;
  SLUICE_TRY(protocol::RetryParams retry, protocol::decode_retry(made_for.params));
  if (retry.request_state) {
    SLUICE_TRY(context->responses_,
               open_request_state(core.options.signer, core.clock, made_for, *retry.request_state));
  }
  for (const json::Member& response : retry.input_responses)
    context->responses_.set(response.key, response.value);
  context->is_retry_ = !context->responses_.empty();
  return context;
}

void CallContext::progress(protocol::Progress progress) {
  if (!progress_token_ || !std::isfinite(progress.done)) return;
  if (progress.total && !std::isfinite(*progress.total)) progress.total.reset();
  const MutexLock lock(progress_mutex_);
  if (is_silent() || (last_progress_ && progress.done <= *last_progress_)) return;
  last_progress_ = progress.done;
  call_->responder->notify(protocol::progress_notification(*progress_token_, progress, call_->revision));
}

void CallContext::log(protocol::LogLevel level, std::string_view logger, const json::Value& data) {
  const std::optional<protocol::LogLevel> wanted =
      call_->session ? call_->session->log_level() : call_->log_level;
  if (!core_.options.logging || !wanted || level < *wanted) return;
  const MutexLock lock(progress_mutex_);
  if (!is_silent()) call_->responder->notify(protocol::log_notification(level, logger, data));
}

bool CallContext::can_ask(const protocol::QuestionBody& question) const {
  if (!protocol::can_answer(question, call_->client)) return false;
  return call_->modern() || call_->responder->can_notify();
}

Result<catalog::Answers> CallContext::ask(std::vector<protocol::Question> questions) {
  if (questions.size() > kQuestionsMax) return limit_reached("questions at once", kQuestionsMax);
  if (std::optional<Error> missing = cannot_ask(questions, call_->client)) return *std::move(missing);
  for (protocol::Question& question : questions) {
    auto* page = std::get_if<protocol::ElicitUrl>(&question.body);
    if (page != nullptr && page->id.empty()) page->id = crypto::random_token();
  }
  if (task_ == nullptr && call_->modern()) return ask_in_retry(std::move(questions));
  // From here on a worker waits for a person.
  QuotaShare asking(core_.asks, call_->share.owner);
  if (!asking.grow(1)) {
    return limit_reached("calls that wait for an answer of a person", core_.asks.total())
        .with_code("too_many_questions")
        .with_hint(
            "One caller may have a part of them. Answer or cancel what is being asked, then call again.");
  }
  return task_ != nullptr ? ask_in_task(questions) : ask_now(questions);
}

// The modern era: answers that came with this request are used; for the rest the request ends and is sent
// again.
Result<catalog::Answers> CallContext::ask_in_retry(std::vector<protocol::Question> questions) {
  catalog::Answers answers;
  unanswered_.clear();
  for (protocol::Question& question : questions) {
    const json::Value* response = responses_.find(question.key);
    if (response != nullptr) {
      Result<protocol::Answer> answer = read_answer(question, *response);
      if (answer) {
        answers.emplace(question.key, *std::move(answer));
        continue;
      }
      responses_.erase(question.key);  // Unusable: it is asked again.
    }
    unanswered_.push_back(std::move(question));
  }
  if (unanswered_.empty()) return answers;
  return make_error(ErrorKind::kInputRequired, "the answer comes with a retry of the request");
}

// The legacy era: each question is a request of ours to the client, sent along with this call's messages.
Result<catalog::Answers> CallContext::ask_now(const std::vector<protocol::Question>& questions) {
  LegacySession& session = *call_->session;
  const LegacySession::AskLimits limits{.clock = core_.clock,
                                        .stop = stop(),
                                        .at_most = core_.options.ask_timeout,
                                        .is_reachable = [this] { return call_->responder->is_connected(); },
                                        .unreachable_max = core_.options.ask_reconnect_timeout};
  catalog::Answers answers;
  // A user may take longer than a request: the clock of the request stands while it waits, the ask has its
  // own.
  const auto left = call_->deadline - core_.clock.now();
  core_.clear_deadline(*call_);
  const Restart restart([&] { core_.set_deadline(call_, core_.clock.now() + left); });
  for (const protocol::Question& question : questions) {
    const protocol::RequestId id = session.open_question();
    const std::string message = protocol::request_message(
        id, protocol::method_of(question.body), protocol::question_params(question.body, call_->revision));
    if (!call_->responder->notify(message)) {
      session.answer(protocol::Response{.id = id,
                                        .result = std::nullopt,
                                        .error_code = protocol::kInternalError,
                                        .error_message = "not sent"});
    }
    SLUICE_TRY(const protocol::Response response, session.wait_answer(id, limits));
    if (!response.result) {
      return unavailable(fmt::format("the client refused {}: {}", protocol::method_of(question.body),
                                     excerpt(response.error_message)))
          .with_code("ask_refused");
    }
    SLUICE_TRY(protocol::Answer answer, read_answer(question, *response.result));
    answers.emplace(question.key, std::move(answer));
  }
  return answers;
}

Result<catalog::Answers> CallContext::ask_in_task(const std::vector<protocol::Question>& questions) {
  SLUICE_TRY(const json::Object responses, task_->ask(questions, stop(), core_.options.ask_timeout));
  catalog::Answers answers;
  for (const protocol::Question& question : questions) {
    SLUICE_TRY(protocol::Answer answer, read_answer(question, *responses.find(question.key)));
    answers.emplace(question.key, std::move(answer));
  }
  return answers;
}

Result<bool> CallContext::become_task() {
  if (task_ != nullptr) return true;
  if (!call_->modern() || !call_->client.tasks()) return false;
  SLUICE_TRY(task_, core_.tasks.create(call_->principal, call_->share.owner, call_->stop));
  {
    const MutexLock lock(progress_mutex_);
    silent_ = true;
  }
  // From here on neither the connection nor the request's deadline ends the work; tasks/cancel does.
  call_->taken_over = true;
  call_->on_gone.reset();
  core_.clear_deadline(*call_);
  core_.in_flight.release_id(call_->scope, call_->id);
  call_->responder->finish(
      protocol::Final{.message = protocol::result_message(
                          call_->id, protocol::task_created_result(task_->state(), core_.style(*call_)))});
  core_.in_flight.finished(*call_);
  return true;
}

std::string CallContext::input_required() const {
  return protocol::input_required_result(
      unanswered_, seal_request_state(core_.options.signer, core_.clock, *call_, responses_),
      core_.style(*call_));
}

}  // namespace sluice::server
