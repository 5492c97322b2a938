#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/gateway/name_table.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// One upstream of a gateway.
struct Member {
  std::shared_ptr<ToolNode> node;  // Shared with the gateway of another generation.
  UriSpace space;
};

// What is offered at one moment, under the names that callers use.
struct Offer {
  template <typename Definition>
  struct One {
    std::size_t member = 0;
    std::string own;  // What the upstream calls it.
    Definition definition;
    bool is_generated = false;
  };
  template <typename Definition>
  using ByName = std::map<std::string, One<Definition>, std::less<>>;

  NameTable tool_names;
  ByName<protocol::Tool> tools;
  ByName<protocol::Prompt> prompts;
  std::map<std::string, protocol::Resource, std::less<>> resources;
  ByName<protocol::ResourceTemplate> templates;
};

Offer make_offer(const std::vector<Member>& members, NameStyle style);

// Results with URIs as callers know them.
void rename_uris(protocol::Content& content, const UriSpace& space,
                 const std::function<bool(const std::string& uri)>& is_ours);
// The artifacts that a gateway behind us names in its notes about what it has cut.
void rename_notes(std::string& text, const UriSpace& space,
                  const std::function<bool(const std::string& uri)>& is_ours);
// The same for the artifact that `_meta` of a result names.
void rename_truncated(json::Object& meta, const UriSpace& space,
                      const std::function<bool(const std::string& uri)>& is_ours);
void rename_ui(json::Object& meta, const UriSpace& space);

}  // namespace sluice::gateway
