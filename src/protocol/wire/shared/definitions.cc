#include "sluice/protocol/wire/definitions.h"

#include "wire/shared/fields.h"

namespace sluice::protocol {
namespace {

void write_annotations_field(const ToolAnnotations& annotations, json::Writer& out) {
  out.key("annotations").begin_object();
  out.field_if("title", annotations.title);
  out.field_if("readOnlyHint", annotations.read_only);
  out.field_if("destructiveHint", annotations.destructive);
  out.field_if("idempotentHint", annotations.idempotent);
  out.field_if("openWorldHint", annotations.open_world);
  out.end_object();
}

bool is_object_schema(const json::Value& schema) {
  const json::Value* type = schema.find("type");
  return type != nullptr && type->if_string() != nullptr && *type->if_string() == "object";
}

}  // namespace

void write_annotations(const std::optional<Annotations>& annotations, json::Writer& out) {
  if (!annotations) return;
  out.key("annotations").begin_object();
  if (!annotations->audience.empty()) {
    out.key("audience").begin_array();
    for (const Role role : annotations->audience) out.string(to_string(role));
    out.end_array();
  }
  out.field_if("priority", annotations->priority);
  out.field_if("lastModified", annotations->last_modified);
  out.end_object();
}

void write_icons(const std::vector<Icon>& icons, Revision revision, json::Writer& out) {
  if (icons.empty() || !has_icons(revision)) return;
  out.key("icons").begin_array();
  for (const Icon& icon : icons) {
    out.begin_object().field("src", icon.src).field_if("mimeType", icon.mime_type);
    if (!icon.sizes.empty()) {
      out.key("sizes").begin_array();
      for (const std::string& size : icon.sizes) out.string(size);
      out.end_array();
    }
    out.field_if("theme", icon.theme).end_object();
  }
  out.end_array();
}

void write_meta(const json::Object& meta, Revision revision, json::Writer& out) {
  if (!meta.empty() && has_meta_everywhere(revision)) out.field("_meta", json::Value(meta));
}

void encode(const Tool& tool, Revision revision, json::Writer& out) {
  out.begin_object().field("name", tool.name);
  if (has_titles(revision)) out.field_if("title", tool.title);
  out.field_if("description", tool.description);
  out.field("inputSchema", tool.input_schema);
  if (tool.output_schema && has_structured_content(revision) &&
      (has_any_structured_value(revision) || is_object_schema(*tool.output_schema))) {
    out.field("outputSchema", *tool.output_schema);
  }
  if (tool.annotations && has_tool_annotations(revision)) write_annotations_field(*tool.annotations, out);
  write_icons(tool.icons, revision, out);
  write_meta(tool.meta, revision, out);
  out.end_object();
}

void encode(const Resource& resource, Revision revision, json::Writer& out) {
  out.begin_object().field("uri", resource.uri).field("name", resource.name);
  if (has_titles(revision)) out.field_if("title", resource.title);
  out.field_if("description", resource.description);
  out.field_if("mimeType", resource.mime_type);
  out.field_if("size", resource.size);
  write_icons(resource.icons, revision, out);
  write_annotations(resource.annotations, out);
  write_meta(resource.meta, revision, out);
  out.end_object();
}

void encode(const ResourceTemplate& resource_template, Revision revision, json::Writer& out) {
  out.begin_object()
      .field("uriTemplate", resource_template.uri_template)
      .field("name", resource_template.name);
  if (has_titles(revision)) out.field_if("title", resource_template.title);
  out.field_if("description", resource_template.description);
  out.field_if("mimeType", resource_template.mime_type);
  write_icons(resource_template.icons, revision, out);
  write_annotations(resource_template.annotations, out);
  write_meta(resource_template.meta, revision, out);
  out.end_object();
}

void encode(const Prompt& prompt, Revision revision, json::Writer& out) {
  out.begin_object().field("name", prompt.name);
  if (has_titles(revision)) out.field_if("title", prompt.title);
  out.field_if("description", prompt.description);
  if (!prompt.arguments.empty()) {
    out.key("arguments").begin_array();
    for (const PromptArgument& argument : prompt.arguments) {
      out.begin_object().field("name", argument.name);
      if (has_titles(revision)) out.field_if("title", argument.title);
      out.field_if("description", argument.description);
      out.field("required", argument.required).end_object();
    }
    out.end_array();
  }
  write_icons(prompt.icons, revision, out);
  write_meta(prompt.meta, revision, out);
  out.end_object();
}

void encode(const Implementation& implementation, Revision revision, json::Writer& out) {
  out.begin_object().field("name", implementation.name);
  if (has_titles(revision)) out.field_if("title", implementation.title);
  out.field("version", implementation.version);
  if (has_icons(revision)) {
    out.field_if("description", implementation.description);
    out.field_if("websiteUrl", implementation.website_url);
    write_icons(implementation.icons, revision, out);
  }
  out.end_object();
}

}  // namespace sluice::protocol
