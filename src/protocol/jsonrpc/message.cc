#include "sluice/protocol/jsonrpc/message.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::protocol {
namespace {

Error bad_envelope(std::string_view what) {
  return invalid_input(fmt::format("not a JSON-RPC 2.0 message: {}", what)).with_code("invalid_request");
}

Result<json::Object> take_params(json::Object& message) {
  json::Value* params = message.find("params");
  if (params == nullptr) return json::Object{};
  json::Object* object = params->if_object();
  if (object == nullptr)
    return bad_envelope(fmt::format("params must be an object, got {}", json::to_string(params->type())));
  return std::move(*object);
}

Result<Response> parse_response(json::Object& message, RequestId id) {
  Response response{.id = std::move(id), .result = std::nullopt, .error_code = 0, .error_message = {}};
  json::Value* result = message.find("result");
  const json::Value* error = message.find("error");
  if ((result == nullptr) == (error == nullptr))
    return bad_envelope("it has neither a method nor exactly one of result and error");
  if (result != nullptr) {
    response.result = std::move(*result);
    return response;
  }
  const json::Value* code = error->find("code");
  const json::Value* text = error->find("message");
  if (code == nullptr || code->if_number() == nullptr || !code->if_number()->as_int64())
    return bad_envelope("error.code must be an integer");
  response.error_code = *code->if_number()->as_int64();
  if (text != nullptr && text->if_string() != nullptr) response.error_message = *text->if_string();
  if (const json::Value* data = error->find("data")) response.error_data = *data;
  return response;
}

Result<Message> parse_object(json::Object& message, const std::optional<RequestId>& id) {
  const json::Value* version = message.find("jsonrpc");
  if (version == nullptr || version->if_string() == nullptr || *version->if_string() != "2.0")
    return bad_envelope("jsonrpc must be \"2.0\"");
  const json::Value* method = message.find("method");
  if (method == nullptr) {
    if (!id) return bad_envelope("it has no method and no id");
    SLUICE_TRY(Response response, parse_response(message, *id));
    return Message{std::move(response)};
  }
  const std::string* name = method->if_string();
  if (name == nullptr)
    return bad_envelope(fmt::format("method must be a string, got {}", json::to_string(method->type())));
  if (name->empty() || name->size() > kMethodBytesMax)
    return bad_envelope(fmt::format("method must have 1 to {} bytes", kMethodBytesMax));
  if (message.contains("result") || message.contains("error"))
    return bad_envelope("it is a request and a response at once");
  std::string method_name = *name;
  SLUICE_TRY(json::Object params, take_params(message));
  if (!id) return Message{Notification{.method = std::move(method_name), .params = std::move(params)}};
  return Message{Request{.id = *id, .method = std::move(method_name), .params = std::move(params)}};
}

}  // namespace

std::string to_json(const RequestId& id) {
  if (const auto* number = std::get_if<std::int64_t>(&id.value)) return std::to_string(*number);
  std::string text;
  json::append_string(text, std::get<std::string>(id.value));
  return text;
}

Result<RequestId> parse_request_id(const json::Value& value) {
  if (const std::string* text = value.if_string()) {
    if (text->size() > kRequestIdBytesMax)
      return bad_envelope(fmt::format("id is longer than {} bytes", kRequestIdBytesMax));
    return RequestId{*text};
  }
  const json::Number* number = value.if_number();
  if (number == nullptr)
    return bad_envelope(
        fmt::format("id must be a string or an integer, got {}", json::to_string(value.type())));
  const std::optional<std::int64_t> whole = number->as_int64();
  if (!whole || number->text.find_first_of(".eE") != std::string::npos) {
    return bad_envelope(fmt::format("id must be a 64-bit integer, got {}", excerpt(number->text)));
  }
  return RequestId{*whole};
}

std::variant<Message, EnvelopeProblem> parse_message(json::Value value) {
  json::Object* message = value.if_object();
  if (message == nullptr) {
    return EnvelopeProblem{
        .id = std::nullopt,
        .error = bad_envelope(fmt::format("expected an object, got {}", json::to_string(value.type())))};
  }
  std::optional<RequestId> id;
  if (const json::Value* given = message->find("id")) {
    Result<RequestId> parsed = parse_request_id(*given);
    if (!parsed) return EnvelopeProblem{.id = std::nullopt, .error = std::move(parsed).error()};
    id = *std::move(parsed);
  }
  Result<Message> parsed = parse_object(*message, id);
  if (!parsed) return EnvelopeProblem{.id = std::move(id), .error = std::move(parsed).error()};
  return *std::move(parsed);
}

// A result can be megabytes: it is moved within its own memory, where there is room, instead of copied into
// more.
std::string result_message(const RequestId& id, std::string result) {
  result.insert(0, R"({"jsonrpc":"2.0","id":)" + to_json(id) + R"(,"result":)");
  result += '}';
  return result;
}

std::string error_message(const std::optional<RequestId>& id, const WireError& error) {
  json::Writer out;
  out.begin_object().field("jsonrpc", "2.0");
  if (id) out.raw_field("id", to_json(*id));
  out.key("error").begin_object().field("code", error.code).field("message", error.message);
  if (!error.data.empty()) out.raw_field("data", error.data);
  out.end_object().end_object();
  return std::move(out).take();
}

std::string notification_message(std::string_view method, std::string_view params) {
  json::Writer out;
  out.begin_object().field("jsonrpc", "2.0").field("method", method);
  if (!params.empty()) out.raw_field("params", params);
  out.end_object();
  return std::move(out).take();
}

std::string request_message(const RequestId& id, std::string_view method, std::string_view params) {
  json::Writer out;
  out.begin_object()
      .field("jsonrpc", "2.0")
      .raw_field("id", to_json(id))
      .field("method", method)
      .raw_field("params", params)
      .end_object();
  return std::move(out).take();
}

}  // namespace sluice::protocol
