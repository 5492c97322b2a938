#include "sluice/protocol/wire/legacy.h"

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/protocol/wire/capabilities.h"

#include "wire/shared/error_data.h"

namespace sluice::protocol::legacy {
namespace {

constexpr std::int64_t kResourceNotFound = -32002;

// A revision cannot ask what it has no words for, whatever the client says it can be asked.
void drop_unknown(Revision revision, ClientCapabilities& client) {
  if (revision < Revision::k2025_11_25) {
    client.elicit_form |= client.elicit_url;  // Elicitation had one mode.
    client.elicit_url = false;
  }
  if (revision < Revision::k2025_06_18) client.elicit_form = false;
}

}  // namespace

Result<InitializeParams> decode_initialize(const json::Object& params) {
  const json::ObjectReader in(params, "params");
  InitializeParams decoded;
  SLUICE_TRY(const std::string version, in.required_string("protocolVersion"));
  const std::optional<Revision> asked = parse_revision(version);
  decoded.revision = asked && !is_modern(*asked) ? *asked : kNewestLegacy;
  const json::Value* capabilities = in.find("capabilities");
  if (capabilities == nullptr) return invalid_input("params.capabilities: required, but missing");
  SLUICE_TRY(decoded.client, decode_client_capabilities(*capabilities, "params.capabilities"));
  drop_unknown(decoded.revision, decoded.client);
  SLUICE_TRY(const json::ObjectReader info, in.required_object("clientInfo"));
  SLUICE_TRY(const std::string name, info.required_string("name"));
  SLUICE_TRY(const std::string client_version, info.required_string("version"));
  decoded.client_name = excerpt(fmt::format("{} {}", name, client_version));
  return decoded;
}

Result<LogLevel> decode_set_level(const json::Object& params) {
  SLUICE_TRY(const std::string text, json::ObjectReader(params, "params").required_string("level"));
  const std::optional<LogLevel> level = parse_log_level(text);
  if (!level) return invalid_input(fmt::format("params.level: unknown level: {}", excerpt(text)));
  return *level;
}

WireError to_wire(const Error& error) {
  WireError wire{
      .code = kInternalError, .message = error.message, .data = error_data(error), .http_status = 200};
  switch (error.kind) {  // No default: a new kind must stop the build here, not turn into -32603.
    case ErrorKind::kInvalidInput:
      wire.code = kInvalidParams;
      break;
    case ErrorKind::kNotFound:
      wire.code = kResourceNotFound;
      break;
    case ErrorKind::kMissingCapability:
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kForbidden:
      wire.code = kInvalidRequest;
      break;
    case ErrorKind::kLimitReached:
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

WireError method_not_found(std::string_view method) {
  return WireError{.code = kMethodNotFound,
                   .message = fmt::format("Method not found: {}", excerpt(method)),
                   .data = {},
                   .http_status = 200};
}

}  // namespace sluice::protocol::legacy
