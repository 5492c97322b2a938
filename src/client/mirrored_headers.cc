#include "mirrored_headers.h"

#include <array>
#include <optional>
#include <utility>

#include "sluice/protocol/wire/header_value.h"

namespace sluice::client {
namespace {

struct Named {
  std::string_view method;
  std::string_view key;  // Of the parameter that Mcp-Name repeats.
};
constexpr std::array kNamed{Named{"tools/call", "name"},     Named{"resources/read", "uri"},
                            Named{"prompts/get", "name"},    Named{"tasks/get", "taskId"},
                            Named{"tasks/update", "taskId"}, Named{"tasks/cancel", "taskId"}};

const std::string* text_at(const json::Object& params, std::string_view key) {
  const json::Value* value = params.find(key);
  return value == nullptr ? nullptr : value->if_string();
}

// Nothing for a value that is absent, null, or of a kind that is not mirrored.
std::optional<std::string> argument_text(const json::Object& params, const std::vector<std::string>& path) {
  const json::Value* value = params.find("arguments");
  for (std::size_t i = 0; i < path.size() && value != nullptr; ++i) value = value->find(path[i]);
  if (value == nullptr) return std::nullopt;
  if (const std::string* text = value->if_string()) return *text;
  if (const bool* flag = value->if_bool()) return *flag ? "true" : "false";
  if (const json::Number* number = value->if_number()) {
    const std::optional<std::int64_t> whole = number->as_int64();
    return whole ? std::to_string(*whole) : number->text;
  }
  return std::nullopt;
}

}  // namespace

fetch::Headers mirrored_headers(protocol::Revision revision, std::string_view method,
                                const json::Object& params,
                                const std::vector<protocol::HeaderParameter>* parameters) {
  fetch::Headers headers;
  headers.emplace_back("MCP-Protocol-Version", protocol::to_string(revision));
  if (!protocol::is_modern(revision)) return headers;
  headers.emplace_back("Mcp-Method", method);
  for (const Named& named : kNamed) {
    if (named.method != method) continue;
    if (const std::string* name = text_at(params, named.key))
      headers.emplace_back("Mcp-Name", protocol::encode_header_value(*name));
  }
  if (method != "tools/call" || parameters == nullptr) return headers;
  for (const protocol::HeaderParameter& parameter : *parameters) {
    if (std::optional<std::string> text = argument_text(params, parameter.path))
      headers.emplace_back("Mcp-Param-" + parameter.header, protocol::encode_header_value(*text));
  }
  return headers;
}

}  // namespace sluice::client
