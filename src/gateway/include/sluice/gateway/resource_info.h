#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/json/value.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::gateway {

// What a server says of one of its resources.
struct ResourceInfo {
  std::string uri;
  std::string name;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::uint64_t> size_bytes;
  json::Object annotations;
};

// URIs that are made from values: db://users/{user_id}.
struct ResourceTemplateInfo {
  std::string uri_template;
  std::string name;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
};

ResourceInfo info_of(const protocol::Resource& resource);
ResourceTemplateInfo info_of(const protocol::ResourceTemplate& resource_template);

// As the generated tools give them; what is absent is left out.
json::Object to_json(const ResourceInfo& info);
json::Object to_json(const ResourceTemplateInfo& info);

}  // namespace sluice::gateway
