#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/protocol/wire/decode.h"
#include "sluice/protocol/wire/questions.h"
#include "sluice/protocol/wire/requests.h"

#include "session.h"

namespace sluice::client {
namespace {

constexpr std::int64_t kServerBusy = -32000;

std::string uri_of(const protocol::Notification& notification) {
  const json::Value* uri = notification.params.find("uri");
  return uri != nullptr && uri->if_string() != nullptr ? *uri->if_string() : std::string{};
}

void complete_form(const protocol::QuestionBody& question, protocol::Answer& answer) {
  const auto* form = std::get_if<protocol::ElicitForm>(&question);
  auto* given = std::get_if<protocol::ElicitAnswer>(&answer);
  if (form != nullptr && given != nullptr && given->action == protocol::ElicitAction::kAccept)
    protocol::fill_defaults(form->schema, given->content);
}

}  // namespace

void Session::notified(const protocol::Notification& notification) {
  take_notification(notification, nullptr);
}

void Session::take_notification(const protocol::Notification& notification, const CallOptions* options) {
  const std::string& method = notification.method;
  const auto changed = [&](ListKind kind) {
    if (list_told_) list_told_(kind);
    events_.list_changed(kind);
  };
  if (method == "notifications/progress") {
    const Result<protocol::ProgressUpdate> update = protocol::decode_progress(notification.params);
    if (update && options != nullptr && options->on_progress) options->on_progress(update->progress);
  } else if (method == "notifications/message") {
    Result<protocol::LogEntry> entry = protocol::decode_log(notification.params);
    if (!entry) return;
    LogMessage message{
        .level = entry->level, .logger = std::move(entry->logger), .data = std::move(entry->data)};
    if (options != nullptr && options->on_log) return options->on_log(message);
    events_.log(std::move(message));
  } else if (method == "notifications/resources/updated") {
    if (const std::string uri = uri_of(notification); !uri.empty()) events_.resource_updated(uri);
  } else if (method == "notifications/tools/list_changed") {
    changed(ListKind::kTools);
  } else if (method == "notifications/prompts/list_changed") {
    changed(ListKind::kPrompts);
  } else if (method == "notifications/resources/list_changed") {
    changed(ListKind::kResources);
  }
}

void Session::asked(protocol::Request request, std::shared_ptr<AskScope> asks) {
  std::shared_ptr<Link> link;
  bool is_modern = false;
  {
    const MutexLock lock(mutex_);
    link = latest_link_;
    is_modern = current_ && current_->is_modern();
  }
  if (!link) return;
  if (is_modern) {  // This era has neither such requests nor answers to them.
    log::warning("client.request_of_server_ignored", {{"method", excerpt(request.method)}});
    return;
  }
  const protocol::RequestId id = request.id;
  const auto answer = [this, link, request = std::move(request), asks = std::move(asks)] {
    const Status sent = link->send(answer_text(request, asks.get()), {}, closing_.get_token());
    if (!sent.ok()) log::debug("client.answer_not_sent", {{"reason", sent.error().message}});
  };
  if (jobs_.start(answer)) return;
  log::warning("client.too_many_questions", {{"questions_max", kClientQuestionsWaitingMax}});
  if (link->is_http()) return;  // Sending would block whoever reads.
  const protocol::WireError busy{.code = kServerBusy, .message = "too many questions at once", .data = {}};
  [[maybe_unused]] const Status sent = link->send(protocol::error_message(id, busy), {}, {});
}

std::string Session::answer_text(const protocol::Request& request, AskScope* asks) {
  if (request.method == "ping") return protocol::result_message(request.id, "{}");
  const auto refuse = [&](std::int64_t code, std::string_view why) {
    return protocol::error_message(
        request.id, protocol::WireError{.code = code, .message = std::string(why), .data = {}});
  };
  Result<protocol::QuestionBody> body = protocol::decode_question(request.method, request.params);
  if (!body) {
    const bool is_unknown = body.error().kind == ErrorKind::kUnsupported;
    return refuse(is_unknown ? protocol::kMethodNotFound : protocol::kInvalidParams, body.error().message);
  }
  if (!protocol::can_answer(*body, capabilities_))
    return refuse(protocol::kMethodNotFound, "this client did not say that it can be asked this");
  const protocol::Question question{.key = request.method, .body = *std::move(body)};
  Result<protocol::Answer> answer =
      asks != nullptr ? asks->ask(question) : options_.ask(question, closing_.get_token());
  if (!answer) return refuse(protocol::kInternalError, "the question was not answered");
  complete_form(question.body, *answer);
  return protocol::result_message(request.id, protocol::answer_result(*answer));
}

Result<protocol::Answer> Session::answer(const protocol::Question& question, const Call& call) {
  if (!call.asks || !protocol::can_answer(question.body, capabilities_)) {
    return make_error(ErrorKind::kMissingCapability, "the server asks what nobody here can answer")
        .with_code("question_unanswered");
  }
  SLUICE_TRY(protocol::Answer answer, call.asks->ask(question));
  complete_form(question.body, answer);
  return answer;
}

}  // namespace sluice::client
