#pragma once

#include "sluice/base/result.h"
#include "sluice/json/value.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/model/ask.h"
#include "sluice/protocol/revision.h"

namespace sluice::protocol {

// What a server offers. Lists that a server has may change while it runs.
struct ServerCapabilities {
  bool tools = false;
  bool resources = false;
  bool prompts = false;
  bool completions = false;
  bool logging = false;
  json::Object extensions;  // Extension id to its settings; modern era only.
};

void encode(const ServerCapabilities& capabilities, Revision revision, json::Writer& out);
Result<ClientCapabilities> decode_client_capabilities(const json::Value& value, std::string path);

}  // namespace sluice::protocol
