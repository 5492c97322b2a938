#pragma once

#include <optional>
#include <string>
#include <variant>

#include "sluice/json/value.h"
#include "sluice/protocol/model/annotations.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::protocol {

struct TextContent {
  std::string text;
};
struct ImageContent {
  std::string bytes;  // Raw.
  std::string mime_type;
};
struct AudioContent {
  std::string bytes;  // Raw.
  std::string mime_type;
};
struct ResourceLink {
  Resource resource;
};
struct EmbeddedResource {
  ResourceContents contents;
};

// One block of a tool result or a prompt message.
struct Content {
  std::variant<TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource> body;
  std::optional<Annotations> annotations;
  json::Object meta;
};

Content text_content(std::string text);

}  // namespace sluice::protocol
