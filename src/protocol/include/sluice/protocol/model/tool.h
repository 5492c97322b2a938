#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/json/value.h"
#include "sluice/protocol/model/annotations.h"
#include "sluice/protocol/model/content.h"

namespace sluice::protocol {

// True statements about what a tool does; hosts decide with them what to ask the user.
struct ToolAnnotations {
  std::optional<std::string> title;
  std::optional<bool> read_only;
  std::optional<bool> destructive;
  std::optional<bool> idempotent;
  std::optional<bool> open_world;
};

// Whether a call may answer with a task handle and go on in the background.
enum class TaskSupport : std::uint8_t { kForbidden, kOptional, kRequired };

struct Tool {
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  json::Value input_schema = json::Object{{"type", "object"}};  // JSON Schema 2020-12 of type object.
  std::optional<json::Value> output_schema;
  std::optional<ToolAnnotations> annotations;
  std::vector<Icon> icons;
  TaskSupport task_support = TaskSupport::kForbidden;
  json::Object meta;
};

struct ToolResult {
  std::vector<Content> content;
  std::optional<json::Value> structured;
  std::string structured_text;  // Instead of `structured`: an object as JSON text, written as it is.
  bool is_error = false;
  json::Object meta;
};

ToolResult text_result(std::string text);
// `value` as structured content and, as compact text, as the first content block: complete on each channel
// alone.
ToolResult structured_result(json::Value value);
// The same for an object that is text already: rows are never made into a tree.
ToolResult json_text_result(std::string object);

}  // namespace sluice::protocol
