#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/json/value.h"
#include "sluice/protocol/model/tool.h"

#include "tools.h"

namespace sluice::records_provider {

struct ToolDefinition {
  protocol::Tool tool;
  ToolFunction function = nullptr;
};

// What a tool is made of; `required` names arguments, `answers` the members that every answer has.
struct ToolText {
  std::string name;
  std::string title;
  std::string description;
  json::Object properties;
  std::vector<std::string> required;
  std::vector<std::string> answers;
};
ToolDefinition define(ToolText text, protocol::ToolAnnotations annotations, ToolFunction function);

// Of tools that change nothing.
inline constexpr protocol::ToolAnnotations kReads{
    .read_only = true, .destructive = false, .idempotent = true, .open_world = false};

// What a store allows.
struct Offer {
  bool is_writable = false;
  bool has_exchange = false;  // A folder for imports and exports.
};

void add_read_definitions(std::vector<ToolDefinition>& out, const Offer& offer);
// Tools that change records where the store is writable; what only reads the journal of changes always.
void add_write_definitions(std::vector<ToolDefinition>& out, const Offer& offer);

// All tools of a store, by name.
std::vector<ToolDefinition> tool_definitions(const Offer& offer);

}  // namespace sluice::records_provider
