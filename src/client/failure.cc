#include "failure.h"

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/client/client.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/requests.h"

namespace sluice::client {
namespace {

constexpr std::int64_t kLegacyResourceNotFound = -32002;
constexpr std::size_t kMessageBytesShown = 500;

ErrorKind kind_of(std::int64_t code) {
  switch (code) {
    case protocol::kInvalidParams:
    case protocol::kInvalidRequest:
    case protocol::kParseError:
      return ErrorKind::kInvalidInput;
    case kLegacyResourceNotFound:
      return ErrorKind::kNotFound;
    case protocol::kMethodNotFound:
    case protocol::kUnsupportedVersionCode:
      return ErrorKind::kUnsupported;
    case protocol::kMissingCapabilityCode:
      return ErrorKind::kMissingCapability;
    default:
      return ErrorKind::kInternal;  // Of the server: there is nothing that the caller could correct.
  }
}

std::string error_object(const Reply& reply) {
  json::Writer out;
  out.begin_object()
      .field("rpcCode", reply.code)
      .field("rpcMessage", excerpt(reply.message, kMessageBytesShown));
  if (reply.data) {
    const std::string data = json::to_text(*reply.data);
    if (data.size() <= kClientErrorDataBytesMax) out.raw_field("rpcData", data);
  }
  out.end_object();
  return std::move(out).take();
}

}  // namespace

Error failure_of(std::string_view method, const Reply& reply) {
  if (reply.kind == Reply::Kind::kSessionGone)
    return unavailable(fmt::format("{}: the server has ended the session", method)).with_code("session_gone");
  if (reply.kind == Reply::Kind::kStatus)
    return unavailable(fmt::format("{}: HTTP status {}", method, reply.status))
        .with_code("unexpected_status");
  return make_error(kind_of(reply.code), fmt::format("{}: the server answered {}: {}", method, reply.code,
                                                     excerpt(reply.message, kMessageBytesShown)))
      .with_code("server_error")
      .with_data(error_object(reply));
}

Error invalid_result(std::string_view method, const Error& why) {
  return unavailable(fmt::format("{}: the server's answer is not what it should be: {}", method, why.message))
      .with_code("result_invalid");
}

Error unreadable_reply(const Error& why) {
  return unavailable(fmt::format("the server's answer cannot be read: {}", excerpt(why.message, 200)))
      .with_code("result_invalid");
}

std::optional<std::int64_t> rpc_code(const Error& error) {
  if (error.code != "server_error") return std::nullopt;
  const Result<json::Value> data = json::read(error.data);
  const json::Value* code = data ? data->find("rpcCode") : nullptr;
  return code == nullptr || code->if_number() == nullptr ? std::nullopt : code->if_number()->as_int64();
}

}  // namespace sluice::client
