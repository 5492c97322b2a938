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

// What only the revisions up to 2025-11-25 say: the opening handshake, and their errors.
namespace sluice::protocol::legacy {

struct InitializeParams {
  Revision revision =
      kNewestLegacy;        // The one that was agreed: as asked where we know it, else our newest legacy one.
  std::string client_name;  // "name version", for logs.
  ClientCapabilities client;
};

Result<InitializeParams> decode_initialize(const json::Object& params);
Result<LogLevel> decode_set_level(const json::Object& params);

WireError to_wire(const Error& error);
WireError method_not_found(std::string_view method);

}  // namespace sluice::protocol::legacy
