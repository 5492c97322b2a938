#include "sluice/protocol/wire/modern.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/capabilities.h"

#include "wire/shared/error_data.h"

namespace sluice::protocol::modern {
namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";

constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingRequiredClientCapability = -32021;
constexpr std::int64_t kUnsupportedProtocolVersion = -32022;

constexpr std::string_view kTooBusy = "too_busy";
constexpr int kBadRequest = 400;
constexpr int kNotFoundStatus = 404;

const json::Value* meta_field(const json::Object& params, std::string_view key) {
  const json::Value* meta = params.find("_meta");
  return meta == nullptr ? nullptr : meta->find(key);
}

Result<std::string> decode_client_name(const json::ObjectReader& meta) {
  SLUICE_TRY(const std::optional<json::ObjectReader> info, meta.optional_object(kClientInfoKey));
  if (!info) return std::string{};
  SLUICE_TRY(const std::string name, info->required_string("name"));
  SLUICE_TRY(const std::string version, info->required_string("version"));
  return name + " " + version;
}

}  // namespace

bool opens_modern(const json::Object& params) { return meta_field(params, kVersionKey) != nullptr; }

std::string requested_version(const json::Object& params) {
  const json::Value* version = meta_field(params, kVersionKey);
  return version != nullptr && version->if_string() != nullptr ? *version->if_string() : std::string{};
}

Result<RequestMeta> decode_meta(const json::Object& params, Revision revision) {
  SLUICE_TRY(const json::ObjectReader meta, json::ObjectReader(params, "params").required_object("_meta"));
  const json::Value* capabilities = meta.find(kClientCapabilitiesKey);
  if (capabilities == nullptr)
    return invalid_input(fmt::format("{}: required, but missing", meta.path_of(kClientCapabilitiesKey)));
  RequestMeta decoded{.revision = revision, .client_name = {}, .client = {}, .log_level = std::nullopt};
  SLUICE_TRY(decoded.client, decode_client_capabilities(*capabilities, meta.path_of(kClientCapabilitiesKey)));
  SLUICE_TRY(decoded.client_name, decode_client_name(meta));
  SLUICE_TRY(const std::optional<std::string> level, meta.optional_string(kLogLevelKey));
  if (level) {
    decoded.log_level = parse_log_level(*level);
    if (!decoded.log_level)
      return invalid_input(fmt::format("{}: unknown level: {}", meta.path_of(kLogLevelKey), excerpt(*level)));
  }
  return decoded;
}

WireError to_wire(const Error& error) {
  WireError wire{
      .code = kInternalError, .message = error.message, .data = error_data(error), .http_status = 200};
  switch (error.kind) {  // No default: a new kind must stop the build here, not turn into -32603.
    case ErrorKind::kInvalidInput:
      wire.code = kInvalidParams;
      break;
    case ErrorKind::kNotFound:
      wire.code = kInvalidParams;
      break;
    case ErrorKind::kMissingCapability:
      return missing_capability(error.data);
    case ErrorKind::kUnauthenticated:
      wire.code = kInvalidRequest;
      wire.http_status = 401;
      break;
    case ErrorKind::kForbidden:
      wire.code = kInvalidRequest;
      wire.http_status = 403;
      break;
    case ErrorKind::kLimitReached:
      // A server that is busy is unavailable as a whole; any other limit belongs to this one request.
      if (error.code == kTooBusy) wire.http_status = 503;
      break;
    case ErrorKind::kUnsupported:  // Something the handler cannot do. The method itself exists.
    case ErrorKind::kUnavailable:
    case ErrorKind::kConflict:
    case ErrorKind::kCancelled:
    case ErrorKind::kDeadline:
    case ErrorKind::kInputRequired:
    case ErrorKind::kInternal:
      break;
  }
  return wire;
}

WireError header_mismatch(std::string_view message) {
  return WireError{.code = kHeaderMismatch,
                   .message = fmt::format("Header mismatch: {}", message),
                   .data = {},
                   .http_status = kBadRequest};
}

WireError missing_capability(std::string_view required_capabilities) {
  // A handler may have left it out, or written something else: the message stays valid.
  const Result<json::Value> read = json::read(required_capabilities);
  if (!read.ok() || !read->is_object()) required_capabilities = "{}";
  return WireError{.code = kMissingRequiredClientCapability,
                   .message = "Missing required client capability",
                   .data = fmt::format(R"({{"requiredCapabilities":{}}})", required_capabilities),
                   .http_status = kBadRequest};
}

WireError unsupported_version(std::string_view requested) {
  json::Writer data;
  data.begin_object().key("supported").begin_array();
  for (const Revision revision : kAllRevisions) data.string(to_string(revision));
  data.end_array().field("requested", requested).end_object();
  return WireError{.code = kUnsupportedProtocolVersion,
                   .message = "Unsupported protocol version",
                   .data = std::move(data).take(),
                   .http_status = kBadRequest};
}

WireError method_not_found(std::string_view method) {
  return WireError{.code = kMethodNotFound,
                   .message = fmt::format("Method not found: {}", excerpt(method)),
                   .data = {},
                   .http_status = kNotFoundStatus};
}

WireError malformed(const Error& error) {
  return WireError{.code = kInvalidParams,
                   .message = error.message,
                   .data = error_data(error),
                   .http_status = kBadRequest};
}

}  // namespace sluice::protocol::modern
