#include "sluice/gateway/resource_info.h"

#include <utility>

namespace sluice::gateway {
namespace {

json::Object annotations_json(const protocol::Annotations& annotations) {
  json::Object out;
  if (!annotations.audience.empty()) {
    json::Array audience;
    for (const protocol::Role role : annotations.audience)
      audience.emplace_back(role == protocol::Role::kUser ? "user" : "assistant");
    out.set("audience", std::move(audience));
  }
  if (annotations.priority) out.set("priority", *annotations.priority);
  if (annotations.last_modified) out.set("lastModified", *annotations.last_modified);
  return out;
}

}  // namespace

ResourceInfo info_of(const protocol::Resource& resource) {
  ResourceInfo info{.uri = resource.uri,
                    .name = resource.name,
                    .description = resource.description,
                    .mime_type = resource.mime_type,
                    .size_bytes = resource.size,
                    .annotations = {}};
  if (resource.annotations) info.annotations = annotations_json(*resource.annotations);
  return info;
}

ResourceTemplateInfo info_of(const protocol::ResourceTemplate& resource_template) {
  return {.uri_template = resource_template.uri_template,
          .name = resource_template.name,
          .description = resource_template.description,
          .mime_type = resource_template.mime_type};
}

json::Object to_json(const ResourceInfo& info) {
  json::Object out{{"uri", info.uri}, {"name", info.name}};
  if (info.description) out.set("description", *info.description);
  if (info.mime_type) out.set("mime_type", *info.mime_type);
  if (info.size_bytes) out.set("size_bytes", *info.size_bytes);
  if (!info.annotations.empty()) out.set("annotations", info.annotations);
  return out;
}

json::Object to_json(const ResourceTemplateInfo& info) {
  json::Object out{{"uri_template", info.uri_template}, {"name", info.name}};
  if (info.description) out.set("description", *info.description);
  if (info.mime_type) out.set("mime_type", *info.mime_type);
  return out;
}

}  // namespace sluice::gateway
