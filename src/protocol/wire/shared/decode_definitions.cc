#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/protocol/wire/decode.h"

#include "wire/shared/decode_fields.h"

namespace sluice::protocol {

Result<std::vector<Icon>> decode_icons(const json::ObjectReader& in) {
  std::vector<Icon> icons;
  SLUICE_TRY(const json::Array* given, in.optional_array("icons"));
  if (given == nullptr) return icons;
  for (const json::Value& item : *given) {
    SLUICE_TRY(const json::ObjectReader icon, json::ObjectReader::of(item, in.path_of("icons[]")));
    Icon decoded;
    SLUICE_TRY(decoded.src, icon.required_string("src"));
    SLUICE_TRY(decoded.mime_type, icon.optional_string("mimeType"));
    SLUICE_TRY(decoded.theme, icon.optional_string("theme"));
    // One text in the revision that introduced icons, a list in the next.
    if (const json::Value* sizes = icon.find("sizes"); sizes != nullptr && sizes->if_string() != nullptr) {
      decoded.sizes.push_back(*sizes->if_string());
    } else {
      SLUICE_TRY(decoded.sizes, icon.optional_strings("sizes"));
    }
    icons.push_back(std::move(decoded));
  }
  return icons;
}

Result<std::optional<Annotations>> decode_annotations(const json::ObjectReader& in) {
  SLUICE_TRY(const std::optional<json::ObjectReader> given, in.optional_object("annotations"));
  if (!given) return std::optional<Annotations>{};
  Annotations annotations;
  SLUICE_TRY(const std::vector<std::string> audience, given->optional_strings("audience"));
  for (const std::string& role : audience) {
    if (role == "user") annotations.audience.push_back(Role::kUser);
    if (role == "assistant") annotations.audience.push_back(Role::kAssistant);
  }
  SLUICE_TRY(annotations.priority, given->optional_number("priority"));
  SLUICE_TRY(annotations.last_modified, given->optional_string("lastModified"));
  return std::optional<Annotations>(std::move(annotations));
}

json::Object decode_meta_field(const json::ObjectReader& in) {
  const json::Value* meta = in.find("_meta");
  const json::Object* object = meta == nullptr ? nullptr : meta->if_object();
  return object == nullptr ? json::Object{} : *object;
}

namespace {

Result<std::optional<ToolAnnotations>> decode_tool_annotations(const json::ObjectReader& in) {
  SLUICE_TRY(const std::optional<json::ObjectReader> given, in.optional_object("annotations"));
  if (!given) return std::optional<ToolAnnotations>{};
  ToolAnnotations annotations;
  SLUICE_TRY(annotations.title, given->optional_string("title"));
  SLUICE_TRY(annotations.read_only, given->optional_bool("readOnlyHint"));
  SLUICE_TRY(annotations.destructive, given->optional_bool("destructiveHint"));
  SLUICE_TRY(annotations.idempotent, given->optional_bool("idempotentHint"));
  SLUICE_TRY(annotations.open_world, given->optional_bool("openWorldHint"));
  return std::optional<ToolAnnotations>(std::move(annotations));
}

TaskSupport decode_task_support(const json::ObjectReader& in) {
  const json::Value* execution = in.find("execution");
  const json::Value* support = execution == nullptr ? nullptr : execution->find("taskSupport");
  const std::string* word = support == nullptr ? nullptr : support->if_string();
  if (word != nullptr && *word == "required") return TaskSupport::kRequired;
  if (word != nullptr && *word == "optional") return TaskSupport::kOptional;
  return TaskSupport::kForbidden;
}

Result<std::vector<PromptArgument>> decode_arguments(const json::ObjectReader& in) {
  std::vector<PromptArgument> arguments;
  SLUICE_TRY(const json::Array* given, in.optional_array("arguments"));
  if (given == nullptr) return arguments;
  for (const json::Value& item : *given) {
    SLUICE_TRY(const json::ObjectReader argument, json::ObjectReader::of(item, in.path_of("arguments[]")));
    PromptArgument decoded;
    SLUICE_TRY(decoded.name, argument.required_string("name"));
    SLUICE_TRY(decoded.title, argument.optional_string("title"));
    SLUICE_TRY(decoded.description, argument.optional_string("description"));
    SLUICE_TRY(const std::optional<bool> required, argument.optional_bool("required"));
    decoded.required = required.value_or(false);
    arguments.push_back(std::move(decoded));
  }
  return arguments;
}

}  // namespace

Result<Tool> decode_tool(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "tool"));
  Tool tool;
  SLUICE_TRY(tool.name, in.required_string("name"));
  SLUICE_TRY(tool.title, in.optional_string("title"));
  SLUICE_TRY(tool.description, in.optional_string("description"));
  SLUICE_TRY(const json::ObjectReader input, in.required_object("inputSchema"));
  tool.input_schema = input.object();
  if (const json::Value* output = in.find("outputSchema")) tool.output_schema = *output;
  SLUICE_TRY(tool.annotations, decode_tool_annotations(in));
  SLUICE_TRY(tool.icons, decode_icons(in));
  tool.task_support = decode_task_support(in);
  tool.meta = decode_meta_field(in);
  return tool;
}

Result<Resource> decode_resource_fields(const json::ObjectReader& in) {
  Resource resource;
  SLUICE_TRY(resource.uri, in.required_string("uri"));
  SLUICE_TRY(resource.name, in.required_string("name"));
  SLUICE_TRY(resource.title, in.optional_string("title"));
  SLUICE_TRY(resource.description, in.optional_string("description"));
  SLUICE_TRY(resource.mime_type, in.optional_string("mimeType"));
  SLUICE_TRY(const std::optional<std::int64_t> size, in.optional_int("size"));
  if (size && *size >= 0) resource.size = static_cast<std::uint64_t>(*size);
  SLUICE_TRY(resource.icons, decode_icons(in));
  SLUICE_TRY(resource.annotations, decode_annotations(in));
  resource.meta = decode_meta_field(in);
  return resource;
}

Result<Resource> decode_resource(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "resource"));
  return decode_resource_fields(in);
}

Result<ResourceTemplate> decode_template(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "template"));
  ResourceTemplate decoded;
  SLUICE_TRY(decoded.uri_template, in.required_string("uriTemplate"));
  SLUICE_TRY(decoded.name, in.required_string("name"));
  SLUICE_TRY(decoded.title, in.optional_string("title"));
  SLUICE_TRY(decoded.description, in.optional_string("description"));
  SLUICE_TRY(decoded.mime_type, in.optional_string("mimeType"));
  SLUICE_TRY(decoded.icons, decode_icons(in));
  SLUICE_TRY(decoded.annotations, decode_annotations(in));
  decoded.meta = decode_meta_field(in);
  return decoded;
}

Result<Prompt> decode_prompt(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "prompt"));
  Prompt prompt;
  SLUICE_TRY(prompt.name, in.required_string("name"));
  SLUICE_TRY(prompt.title, in.optional_string("title"));
  SLUICE_TRY(prompt.description, in.optional_string("description"));
  SLUICE_TRY(prompt.arguments, decode_arguments(in));
  SLUICE_TRY(prompt.icons, decode_icons(in));
  prompt.meta = decode_meta_field(in);
  return prompt;
}

Result<Implementation> decode_implementation(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "serverInfo"));
  Implementation decoded;
  SLUICE_TRY(decoded.name, in.required_string("name"));
  SLUICE_TRY(const std::optional<std::string> version, in.optional_string("version"));
  decoded.version = version.value_or("");
  SLUICE_TRY(decoded.title, in.optional_string("title"));
  SLUICE_TRY(decoded.description, in.optional_string("description"));
  SLUICE_TRY(decoded.website_url, in.optional_string("websiteUrl"));
  SLUICE_TRY(decoded.icons, decode_icons(in));
  return decoded;
}

}  // namespace sluice::protocol
