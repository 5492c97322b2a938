#include "http_answer.h"

#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/json/reader.h"

#include "answered_id.h"
#include "failure.h"

namespace sluice::client {
namespace {

bool is_type(const fetch::Headers& headers, std::string_view type) {
  const std::string* given = fetch::find_header(headers, "content-type");
  if (given == nullptr) return false;
  const std::string_view plain = trim_spaces(std::string_view(*given).substr(0, given->find(';')));
  return equal_ignoring_case(plain, type);
}

bool is_success(int status) { return status >= 200 && status < 300; }

// An error that could not name its request, in an answer that can only mean that one.
std::optional<Reply> nameless_error(const json::Value& body) {
  const json::Value* error = body.find("error");
  const json::Value* code = error == nullptr ? nullptr : error->find("code");
  const json::Number* number = code == nullptr ? nullptr : code->if_number();
  if (number == nullptr || !number->as_int64()) return std::nullopt;
  Reply reply;
  reply.kind = Reply::Kind::kError;
  const json::Value* id = body.find("id");
  reply.is_nameless = id == nullptr || id->is_null();
  reply.code = *number->as_int64();
  const json::Value* message = error->find("message");
  if (message != nullptr && message->if_string() != nullptr) reply.message = *message->if_string();
  if (const json::Value* data = error->find("data")) reply.data = *data;
  return reply;
}

json::ReadLimits limits_of(std::size_t bytes_max) {
  return {.bytes_max = bytes_max, .values_max = kClientMessageValuesMax};
}

}  // namespace

Status HttpAnswer::begin(const fetch::Head& head) {
  head_ = head;
  is_stream_ = is_success(head.status) && is_type(head.headers, "text/event-stream");
  parser_ = transport::SseParser(parts_.message_bytes_max);
  body_.clear();
  messages_ = 0;
  if (is_stream_ && parts_.on_open && last_event_id_.empty()) parts_.on_open();
  return {};
}

Result<fetch::Flow> HttpAnswer::write(std::string_view piece) {
  Result<fetch::Flow> flow = take_piece(piece);
  if (!flow) failure_ = flow.error();
  return flow;
}

Result<fetch::Flow> HttpAnswer::take_piece(std::string_view piece) {
  if (!is_stream_) {
    if (body_.size() + piece.size() > parts_.message_bytes_max)
      return limit_reached("bytes in a message of the server", parts_.message_bytes_max)
          .with_code("answer_too_large");
    body_ += piece;
    return fetch::Flow::kMore;
  }
  events_.clear();
  if (const Status fed = parser_.feed(piece, events_); !fed.ok())
    return limit_reached("bytes in a message of the server", parts_.message_bytes_max)
        .with_code("answer_too_large");
  if (!parser_.last_event_id().empty()) last_event_id_ = parser_.last_event_id();
  if (parser_.retry()) retry_ = parser_.retry();
  for (const transport::SseEvent& event : events_) {
    if (event.type != "message" || event.data.empty()) continue;
    SLUICE_CHECK(take_message(event.data));
    if (reply_) return parts_.stream_ends ? fetch::Flow::kLast : fetch::Flow::kEnough;
  }
  return fetch::Flow::kMore;
}

Status HttpAnswer::take_message(std::string_view text) {
  ++messages_;
  Result<json::Value> value = json::read(text, limits_of(parts_.message_bytes_max));
  if (!value) return take_unreadable(text, value.error());
  auto parsed = protocol::parse_message(*std::move(value));
  if (const auto* problem = std::get_if<protocol::EnvelopeProblem>(&parsed))
    return take_unreadable(text, problem->error);
  auto& message = std::get<protocol::Message>(parsed);
  const Outgoing* outgoing = parts_.outgoing;
  if (auto* response = std::get_if<protocol::Response>(&message)) {
    if (outgoing == nullptr || response->id != protocol::RequestId{outgoing->id}) return {};  // Not ours.
    if (response->result && !response->result->is_object())
      return unavailable("read an answer: its result is no object").with_code("result_invalid");
    reply_ = reply_of(std::move(*response));
    reply_->status = head_.status;
    replied_at_ = system_clock().now();
  } else if (auto* notification = std::get_if<protocol::Notification>(&message)) {
    if (outgoing != nullptr && outgoing->on_notification)
      outgoing->on_notification(*notification);
    else
      parts_.incoming.notified(*notification);
  } else {
    std::shared_ptr<AskScope> asks = outgoing == nullptr ? nullptr : outgoing->asks;
    if (!asks && parts_.asks_beside) asks = parts_.asks_beside();
    parts_.incoming.asked(std::move(std::get<protocol::Request>(message)), std::move(asks));
  }
  return {};
}

bool HttpAnswer::lingered(Monotonic now) const {
  constexpr std::chrono::milliseconds kSoon{15};
  return is_stream_ && reply_ && parts_.stream_ends && now - replied_at_ > kSoon;
}

// A reply that cannot be read fails its call now; nothing else will come for it.
Status HttpAnswer::take_unreadable(std::string_view text, const Error& error) {
  const std::optional<std::int64_t> id = answered_id(text);
  if (id && parts_.outgoing != nullptr && *id == parts_.outgoing->id) return unreadable_reply(error);
  return take_garbage(error);
}

Status HttpAnswer::take_garbage(const Error& error) {
  log::warning("client.not_a_message", {{"reason", error.message}});
  if (++garbage_ <= kClientGarbageLinesMax) return {};
  return unavailable("read the server's messages: too much of what it sends is no message")
      .with_code("server_sends_garbage");
}

Result<std::optional<Reply>> HttpAnswer::take_reply() {
  if (reply_ || is_stream_) return std::exchange(reply_, std::nullopt);
  if (!is_type(head_.headers, "application/json") || body_.empty()) return std::optional<Reply>{};
  Result<json::Value> value = json::read(body_, limits_of(parts_.message_bytes_max));
  if (!value) {
    if (!is_success(head_.status)) return std::optional<Reply>{};
    return unavailable("read an answer: it is not JSON").with_code("server_sends_garbage");
  }
  std::optional<Reply> nameless = nameless_error(*value);
  auto parsed = protocol::parse_message(*std::move(value));
  auto* message = std::get_if<protocol::Message>(&parsed);
  auto* response = message == nullptr ? nullptr : std::get_if<protocol::Response>(message);
  if (response != nullptr && response->result) {
    if (parts_.outgoing != nullptr && response->id != protocol::RequestId{parts_.outgoing->id})
      return unavailable("read an answer: it is of another request").with_code("result_invalid");
    if (!response->result->is_object())
      return unavailable("read an answer: its result is no object").with_code("result_invalid");
    reply_ = reply_of(std::move(*response));
  } else {
    reply_ = std::move(nameless);
  }
  if (reply_) reply_->status = head_.status;
  return std::exchange(reply_, std::nullopt);
}

}  // namespace sluice::client
