#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/protocol/jsonrpc/message.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/model/log_level.h"
#include "sluice/protocol/revision.h"

// What only revision 2026-07-28 and later say: metadata on every request, and its errors.
namespace sluice::protocol::modern {

// Whether `_meta` opens a request in the modern way: it names a protocol version.
bool opens_modern(const json::Object& params);

// The version that `_meta` names, whatever it is; empty where there is none.
std::string requested_version(const json::Object& params);

struct RequestMeta {
  Revision revision = kNewest;
  std::string client_name;  // "name version", for logs; empty where the client did not say.
  ClientCapabilities client;
  std::optional<LogLevel> log_level;
};

// The version must already be known to be supported.
Result<RequestMeta> decode_meta(const json::Object& params, Revision revision);

WireError to_wire(const Error& error);
WireError header_mismatch(std::string_view message);                   // -32020
WireError missing_capability(std::string_view required_capabilities);  // -32021
WireError unsupported_version(std::string_view requested);             // -32022
WireError method_not_found(std::string_view method);                   // -32601, HTTP 404
WireError malformed(const Error& error);                               // -32602, HTTP 400

}  // namespace sluice::protocol::modern
