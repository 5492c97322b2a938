#include "sluice/protocol/wire/header_parameters.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/protocol/wire/header_value.h"

namespace sluice::protocol {
namespace {

constexpr std::string_view kAnnotation = "x-mcp-header";

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_mirrored_type(const json::Value& schema) {
  const json::Value* type = schema.find("type");
  const std::string* name = type == nullptr ? nullptr : type->if_string();
  return name != nullptr && (*name == "string" || *name == "integer" || *name == "boolean");
}

// How many annotations there are anywhere below: more than were reached by `properties` means a misplaced
// one.
std::size_t count_annotations(const json::Value& schema) {
  std::size_t count = 0;
  if (const json::Array* items = schema.if_array()) {
    for (const json::Value& item : *items) count += count_annotations(item);
  }
  if (const json::Object* object = schema.if_object()) {
    for (const json::Member& member : *object)
      count += (member.key == kAnnotation ? 1 : 0) + count_annotations(member.value);
  }
  return count;
}

Status collect(const json::Value& schema, std::vector<std::string>& path,
               std::vector<HeaderParameter>& found) {
  const json::Value* properties = schema.find("properties");
  if (properties == nullptr || !properties->is_object()) return {};
  for (const json::Member& property : *properties->if_object()) {
    path.push_back(property.key);
    if (const json::Value* annotation = property.value.find(kAnnotation)) {
      const std::string* name = annotation->if_string();
      if (name == nullptr || !is_token(*name)) {
        return invalid_input(
            fmt::format("x-mcp-header of \"{}\" must be an HTTP token", excerpt(property.key)));
      }
      if (!is_mirrored_type(property.value)) {
        return invalid_input(fmt::format("x-mcp-header of \"{}\" needs type string, integer or boolean",
                                         excerpt(property.key)));
      }
      found.push_back(HeaderParameter{.header = to_lower_ascii(*name), .path = path});
    }
    SLUICE_CHECK(collect(property.value, path, found));
    path.pop_back();
  }
  return {};
}

const json::Value* value_at(const json::Object& arguments, const std::vector<std::string>& path) {
  const json::Value* value = arguments.find(path.front());
  for (std::size_t i = 1; i < path.size() && value != nullptr; ++i) value = value->find(path[i]);
  return value;
}

bool matches(const json::Value& value, const std::string& header) {
  if (const std::string* text = value.if_string()) return *text == header;
  if (const bool* flag = value.if_bool()) return header == (*flag ? "true" : "false");
  if (const json::Number* number = value.if_number()) {
    if (header.empty() || header.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
    return json::equal(json::Value(*number), json::Value(json::Number{header}));
  }
  return true;  // Not a kind that is mirrored; the schema check will refuse it.
}

}  // namespace

Result<std::vector<HeaderParameter>> find_header_parameters(const json::Value& input_schema) {
  std::vector<HeaderParameter> found;
  std::vector<std::string> path;
  SLUICE_CHECK(collect(input_schema, path, found));
  if (found.size() != count_annotations(input_schema)) {
    return invalid_input("x-mcp-header may only stand on a property that is reached by \"properties\" alone");
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (found[i].header == found[k].header)
        return invalid_input(fmt::format("x-mcp-header stands twice: {}", found[i].header));
    }
  }
  return found;
}

std::string check_header_parameters(const std::vector<HeaderParameter>& parameters,
                                    const json::Object& arguments,
                                    const std::vector<std::pair<std::string, std::string>>& headers) {
  for (const HeaderParameter& parameter : parameters) {
    const json::Value* value = value_at(arguments, parameter.path);
    const bool expected = value != nullptr && !value->is_null();
    const auto sent = std::find_if(headers.begin(), headers.end(),
                                   [&](const auto& header) { return header.first == parameter.header; });
    if (sent == headers.end()) {
      if (expected)
        return fmt::format("Mcp-Param-{} is missing, but the body has a value for it", parameter.header);
      continue;
    }
    const std::optional<std::string> decoded = protocol::decode_header_value(sent->second);
    if (!decoded)
      return fmt::format("Mcp-Param-{} has invalid characters or invalid base64", parameter.header);
    if (!expected)
      return fmt::format("Mcp-Param-{} is set, but the body has no value for it", parameter.header);
    if (!matches(*value, *decoded))
      return fmt::format("Mcp-Param-{} does not match the body", parameter.header);
  }
  return {};
}

}  // namespace sluice::protocol
