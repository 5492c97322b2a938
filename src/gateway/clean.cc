#include <algorithm>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/base/utf8.h"
#include "sluice/gateway/discovery.h"
#include "sluice/json/schema.h"
#include "sluice/protocol/wire/header_parameters.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kNameBytesShown = 256;
constexpr std::size_t kDescriptionBytesShown = 8 * 1024;
constexpr std::size_t kIconBytesMax = 4 * 1024;
constexpr std::size_t kSchemaBytesMax = 256 * 1024;
constexpr std::size_t kMetaBytesMax = 16 * 1024;

void clean_text(std::string& text, std::size_t bytes_max) {
  text = strip_controls(text);
  if (text.size() <= bytes_max) return;
  text = std::string(first_bytes(text, bytes_max)) + "…";
}

void clean_text(std::optional<std::string>& text, std::size_t bytes_max) {
  if (text) clean_text(*text, bytes_max);
}

template <typename Definition>
void clean_common(Definition& definition) {
  clean_text(definition.title, kNameBytesShown);
  clean_text(definition.description, kDescriptionBytesShown);
  std::erase_if(definition.icons, [](const protocol::Icon& icon) { return icon.src.size() > kIconBytesMax; });
  if (json::to_text(definition.meta).size() > kMetaBytesMax) definition.meta = {};
}

// What a schema says in words is text like a description; its other values mean something as they are.
json::Value clean_schema(const json::Value& schema) {
  if (const json::Array* array = schema.if_array()) {
    json::Array out;
    for (const json::Value& item : *array) out.push_back(clean_schema(item));
    return out;
  }
  const json::Object* object = schema.if_object();
  if (object == nullptr) return schema;
  json::Object out;
  for (const json::Member& member : *object) {
    const std::string* text = member.value.if_string();
    const bool is_words = text != nullptr && (member.key == "description" || member.key == "title");
    if (is_words) {
      std::string cleaned = *text;
      clean_text(cleaned, kDescriptionBytesShown);
      out.append_unchecked(member.key, std::move(cleaned));
    } else {
      out.append_unchecked(member.key, clean_schema(member.value));
    }
  }
  return out;
}

bool is_object_schema(const json::Value& schema) {
  const json::Value* type = schema.find("type");
  return type != nullptr && type->if_string() != nullptr && *type->if_string() == "object";
}

// Whether no name or value of a schema has characters that nobody sees. They cannot be taken out: the
// upstream wants its names and values back as they are.
bool is_visible(const json::Value& schema) {
  const auto shows = [](const std::string& text) { return strip_controls(text) == text; };
  if (const std::string* text = schema.if_string()) return shows(*text);
  if (const json::Array* array = schema.if_array())
    return std::all_of(array->begin(), array->end(), is_visible);
  const json::Object* object = schema.if_object();
  if (object == nullptr) return true;
  return std::all_of(object->begin(), object->end(), [&](const json::Member& member) {
    return shows(member.key) && is_visible(member.value);
  });
}

bool is_usable(const json::Value& schema) {
  return is_visible(schema) && json::to_text(schema).size() <= kSchemaBytesMax &&
         json::Schema::compile(schema).ok();
}

template <typename Item, typename Key>
void sort_unique(std::vector<Item>& items, const Key& key) {
  std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
  items.erase(
      std::unique(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key(a) == key(b); }),
      items.end());
}

}  // namespace

std::vector<protocol::Tool> clean(std::vector<protocol::Tool> tools) {
  for (protocol::Tool& tool : tools) {
    clean_common(tool);
    if (tool.annotations) clean_text(tool.annotations->title, kNameBytesShown);
    tool.task_support = protocol::TaskSupport::kForbidden;  // The client waits for tasks itself.
    tool.input_schema = clean_schema(tool.input_schema);
    if (!is_object_schema(tool.input_schema) || !is_usable(tool.input_schema) ||
        !protocol::find_header_parameters(tool.input_schema).ok()) {
      log::warning("gateway.schema_replaced", {{"tool", excerpt(tool.name)}});
      tool.input_schema = json::Object{{"type", "object"}};
    }
    if (!tool.output_schema) continue;
    tool.output_schema = clean_schema(*tool.output_schema);
    if (!is_object_schema(*tool.output_schema) || !is_usable(*tool.output_schema)) tool.output_schema.reset();
  }
  sort_unique(tools, [](const protocol::Tool& tool) -> const std::string& { return tool.name; });
  return tools;
}

std::vector<protocol::Prompt> clean(std::vector<protocol::Prompt> prompts) {
  for (protocol::Prompt& prompt : prompts) {
    clean_common(prompt);
    for (protocol::PromptArgument& argument : prompt.arguments) {
      clean_text(argument.title, kNameBytesShown);
      clean_text(argument.description, kDescriptionBytesShown);
    }
  }
  sort_unique(prompts, [](const protocol::Prompt& prompt) -> const std::string& { return prompt.name; });
  return prompts;
}

std::vector<protocol::Resource> clean(std::vector<protocol::Resource> resources) {
  for (protocol::Resource& resource : resources) {
    clean_common(resource);
    clean_text(resource.name, kNameBytesShown);
    clean_text(resource.mime_type, kNameBytesShown);
  }
  sort_unique(resources,
              [](const protocol::Resource& resource) -> const std::string& { return resource.uri; });
  return resources;
}

std::vector<protocol::ResourceTemplate> clean(std::vector<protocol::ResourceTemplate> templates) {
  for (protocol::ResourceTemplate& one : templates) {
    clean_common(one);
    clean_text(one.name, kNameBytesShown);
    clean_text(one.mime_type, kNameBytesShown);
  }
  sort_unique(templates,
              [](const protocol::ResourceTemplate& one) -> const std::string& { return one.uri_template; });
  return templates;
}

}  // namespace sluice::gateway
