#include "sluice/protocol/model/tool.h"

#include <utility>

namespace sluice::protocol {

ToolResult text_result(std::string text) {
  ToolResult result;
  result.content.push_back(text_content(std::move(text)));
  return result;
}

ToolResult structured_result(json::Value value) {
  ToolResult result = text_result(json::to_text(value));
  result.structured = std::move(value);
  return result;
}

ToolResult json_text_result(std::string object) {
  ToolResult result = text_result(object);
  result.structured_text = std::move(object);
  return result;
}

}  // namespace sluice::protocol
