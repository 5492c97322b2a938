#include "rounds.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/fetch/pause.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/protocol/wire/requests.h"

#include "either_stop.h"
#include "failure.h"

namespace sluice::client {
namespace {

std::string type_of(const json::Object& result) {
  const json::Value* type = result.find("resultType");
  return type != nullptr && type->if_string() != nullptr ? *type->if_string() : std::string("complete");
}

// One entry of inputRequests, answered.
Result<json::Value> answer_one(Session& session, const json::Member& entry, const Call& call) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(entry.value, "inputRequests[]"));
  SLUICE_TRY(const std::string method, in.required_string("method"));
  SLUICE_TRY(const std::optional<json::ObjectReader> params, in.optional_object("params"));
  SLUICE_TRY(protocol::QuestionBody body,
             protocol::decode_question(method, params ? params->object() : json::Object{}));
  SLUICE_TRY(const protocol::Answer answer,
             session.answer(protocol::Question{.key = entry.key, .body = std::move(body)}, call));
  return json::read(protocol::answer_result(answer), {.bytes_max = kReplyBytesMax});
}

// Key to answer, for all that a result asks. Empty where it asks nothing.
Result<json::Object> answer_all(Session& session, const json::Object& result, const Call& call) {
  json::Object answers;
  const json::Value* asked = result.find("inputRequests");
  if (asked == nullptr) return answers;
  const json::Object* requests = asked->if_object();
  if (requests == nullptr) return invalid_input("inputRequests: expected an object");
  if (requests->size() > kQuestionsMax) return limit_reached("questions at once", kQuestionsMax);
  for (const json::Member& entry : *requests) {
    SLUICE_TRY(json::Value answer, answer_one(session, entry, call));
    answers.append_unchecked(entry.key, std::move(answer));
  }
  return answers;
}

// What goes along with the next try, and with nothing else.
Status prepare_retry(Session& session, const json::Object& result, const Call& call, json::Object& params) {
  SLUICE_TRY(json::Object answers, answer_all(session, result, call));
  params.erase("inputResponses");
  params.erase("requestState");
  if (!answers.empty()) params.set("inputResponses", std::move(answers));
  if (const json::Value* state = result.find("requestState")) params.set("requestState", *state);
  return {};
}

std::chrono::milliseconds poll_interval(const json::Object& task) {
  const json::Value* given = task.find("pollIntervalMs");
  const json::Number* number = given == nullptr ? nullptr : given->if_number();
  const std::int64_t interval =
      number == nullptr ? kTaskPollInterval.count() : number->as_int64().value_or(0);
  return std::clamp(std::chrono::milliseconds(interval), kClientTaskPollMin, kClientTaskPollMax);
}

Error task_error(const std::string& method, const json::Object& task) {
  Reply reply;
  reply.kind = Reply::Kind::kError;
  reply.code = protocol::kInternalError;
  reply.message = "the task failed";
  if (const json::Value* error = task.find("error")) {
    const json::Value* code = error->find("code");
    const json::Value* message = error->find("message");
    if (code != nullptr && code->if_number() != nullptr)
      reply.code = code->if_number()->as_int64().value_or(protocol::kInternalError);
    if (message != nullptr && message->if_string() != nullptr) reply.message = *message->if_string();
    if (const json::Value* data = error->find("data")) reply.data = *data;
  }
  return failure_of(method, reply);
}

class TaskWait {
 public:
  TaskWait(Session& session, const std::string& method, const Call& call)
      : session_(session), method_(method), call_(call), stop_(call.options.stop, session.closing()) {}

  Result<json::Object> run(json::Object task) {
    const json::ObjectReader in(task, "task");
    SLUICE_TRY(id_, in.required_string("taskId"));
    Result<json::Object> result = wait(std::move(task));
    const bool gave_up = !result && (result.error().kind == ErrorKind::kCancelled ||
                                     result.error().kind == ErrorKind::kDeadline);
    if (gave_up) cancel();
    return result;
  }

 private:
  Result<json::Object> wait(json::Object task) {
    while (true) {
      SLUICE_CHECK(pause(poll_interval(task)));
      SLUICE_TRY(Session::Answered got, session_.request("tasks/get", {{"taskId", id_}}, call_));
      task = std::move(got.result);
      SLUICE_TRY(const std::string status, json::ObjectReader(task, "task").required_string("status"));
      if (status == "completed") {
        json::Value* result = task.find("result");
        json::Object* object = result == nullptr ? nullptr : result->if_object();
        if (object == nullptr) return invalid_result(method_, invalid_input("a task without its result"));
        return std::move(*object);
      }
      if (status == "failed") return task_error(method_, task);
      if (status == "cancelled")
        return make_error(ErrorKind::kUnavailable,
                          fmt::format("{}: the server has cancelled the task", method_))
            .with_code("task_cancelled");
      if (status == "input_required") SLUICE_CHECK(update(task));
    }
  }

  Status update(const json::Object& task) {
    SLUICE_TRY(json::Object answers, answer_all(session_, task, call_));
    if (answers.empty()) return {};
    SLUICE_TRY(
        [[maybe_unused]] const Session::Answered done,
        session_.request("tasks/update", {{"taskId", id_}, {"inputResponses", std::move(answers)}}, call_));
    return {};
  }

  Status pause(std::chrono::milliseconds interval) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(call_.deadline - session_.now());
    if (left <= std::chrono::milliseconds{0}) return deadline_exceeded();
    return fetch::system_pause().wait(std::min(interval, left), stop_.token());
  }

  // The caller has gone; nobody waits for what this says.
  void cancel() {
    session_.start_job([&session = session_, id = id_] {
      const CallOptions options{.timeout = kClientCloseTimeout};
      const Call call{.options = options, .deadline = session.deadline_of(options), .asks = nullptr};
      [[maybe_unused]] const auto done = session.request("tasks/cancel", {{"taskId", id}}, call);
    });
  }

  Session& session_;
  const std::string& method_;
  const Call& call_;
  const EitherStop stop_;
  std::string id_;
};

}  // namespace

Result<json::Object> complete_request(Session& session, const std::string& method, json::Object params,
                                      const Call& call) {
  for (std::size_t round = 0; round < kClientRoundsMax; ++round) {
    SLUICE_TRY(Session::Answered answered, session.request(method, params, call));
    if (!protocol::is_modern(answered.revision)) return std::move(answered.result);
    const std::string type = type_of(answered.result);
    if (type == "complete") return std::move(answered.result);
    if (type == "task") {
      if (!session.options().tasks || method != "tools/call")
        return invalid_result(method, invalid_input("a task, which was not asked for"));
      return TaskWait(session, method, call).run(std::move(answered.result));
    }
    if (type != "input_required")
      return invalid_result(method, invalid_input("a result of an unknown type: " + excerpt(type)));
    SLUICE_CHECK(prepare_retry(session, answered.result, call, params));
  }
  return limit_reached(fmt::format("{}: rounds of questions", method), kClientRoundsMax)
      .with_code("too_many_rounds");
}

}  // namespace sluice::client
