#include "offer.h"

#include <utility>

#include "result_shaper.h"

namespace sluice::gateway {
namespace {

// A tool's page of the Apps extension: {"ui":{"resourceUri":…}}, and as it was spelled before.
void rename_member(json::Object& object, std::string_view key, const UriSpace& space) {
  const json::Value* value = object.find(key);
  const std::string* uri = value != nullptr ? value->if_string() : nullptr;
  if (uri == nullptr) return;
  if (std::optional<std::string> renamed = space.encode(*uri))
    object.set(std::string(key), *std::move(renamed));
}

std::size_t member_of(const std::vector<Member>& members, const std::string& name_space) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].node->name_space() == name_space) return i;
  }
  return 0;  // Not reached: the names come from the members.
}

template <typename Definition>
const Definition* by_name(const std::vector<Definition>& all, const std::string& name) {
  for (const Definition& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

void add_tools(const std::vector<Member>& members, NameStyle style, Offer& offer) {
  std::vector<NameTable::Thing> things;
  std::map<std::pair<std::string, std::string>, std::pair<protocol::Tool, bool>> definitions;
  for (const Member& member : members) {
    const std::string& name_space = member.node->name_space();
    const auto known = member.node->discovery();
    for (protocol::Tool& tool : member.node->generated_tools()) {
      things.push_back({.name_space = name_space, .name = tool.name, .is_generated = true});
      // A tool of the same name has to be told from it: its name is another one to the table.
      definitions.emplace(std::pair(name_space, "\x01" + tool.name), std::pair(tool, true));
    }
    const ToolFilter& filter = member.node->config().offer.tools;
    for (const protocol::Tool& tool : known->tools) {
      const std::string& name = filter.shown_name(tool.name);
      const bool is_new = definitions.emplace(std::pair(name_space, name), std::pair(tool, false)).second;
      if (is_new) things.push_back({.name_space = name_space, .name = name, .is_generated = false});
    }
  }
  offer.tool_names = NameTable(std::move(things), style);
  for (const auto& [listed, thing] : offer.tool_names.listed()) {
    const auto at = definitions.find({thing.name_space, (thing.is_generated ? "\x01" : "") + thing.name});
    if (at == definitions.end()) continue;
    const std::size_t member = member_of(members, thing.name_space);
    protocol::Tool tool = at->second.first;
    std::string own = tool.name;
    if (!thing.is_generated) members[member].node->config().offer.tools.describe_tool(tool);
    tool.name = listed;
    rename_ui(tool.meta, members[member].space);
    offer.tools.emplace(listed, Offer::One<protocol::Tool>{.member = member,
                                                           .own = std::move(own),
                                                           .definition = std::move(tool),
                                                           .is_generated = thing.is_generated});
  }
}

void add_prompts(const std::vector<Member>& members, NameStyle style, Offer& offer) {
  std::vector<NameTable::Thing> things;
  for (const Member& member : members) {
    for (const protocol::Prompt& prompt : member.node->discovery()->prompts)
      things.push_back({.name_space = member.node->name_space(), .name = prompt.name, .is_generated = false});
  }
  const NameTable names(std::move(things), style);
  for (const auto& [listed, thing] : names.listed()) {
    const std::size_t member = member_of(members, thing.name_space);
    const auto known = members[member].node->discovery();
    const protocol::Prompt* found = by_name(known->prompts, thing.name);
    if (found == nullptr) continue;
    protocol::Prompt prompt = *found;
    prompt.name = listed;
    offer.prompts.emplace(
        listed,
        Offer::One<protocol::Prompt>{
            .member = member, .own = thing.name, .definition = std::move(prompt), .is_generated = false});
  }
}

}  // namespace

void rename_ui(json::Object& meta, const UriSpace& space) {
  rename_member(meta, "ui/resourceUri", space);
  if (json::Value* ui = meta.find("ui"); ui != nullptr && ui->if_object() != nullptr)
    rename_member(*ui->if_object(), "resourceUri", space);
}

void rename_uris(protocol::Content& content, const UriSpace& space,
                 const std::function<bool(const std::string& uri)>& is_ours) {
  if (auto* link = std::get_if<protocol::ResourceLink>(&content.body)) {
    if (is_ours(link->resource.uri)) return;
    if (std::optional<std::string> uri = space.encode(link->resource.uri))
      link->resource.uri = *std::move(uri);
  } else if (auto* embedded = std::get_if<protocol::EmbeddedResource>(&content.body)) {
    if (std::optional<std::string> uri = space.encode(embedded->contents.uri))
      embedded->contents.uri = *std::move(uri);
  }
}

void rename_notes(std::string& text, const UriSpace& space,
                  const std::function<bool(const std::string& uri)>& is_ours) {
  constexpr std::string_view kScheme = "artifact://";
  const auto is_note = [&](std::string_view begins) { return text.starts_with(begins); };
  if (!is_note("[Truncated: ") && !is_note("[structuredContent was cut") && !is_note(R"({"artifact":{)"))
    return;
  // A URI may have namespaces in front already, of the gateways behind.
  constexpr std::string_view kEnds = "?;\" []";
  for (std::size_t at = text.find(kScheme); at != std::string::npos; at = text.find(kScheme, at)) {
    const std::size_t begin = text.find_last_of(kEnds, at) + 1;
    const std::string uri = text.substr(begin, text.find_first_of(kEnds, at) - begin);
    const std::optional<std::string> renamed = is_ours(uri) ? std::nullopt : space.encode(uri);
    if (renamed) text.replace(begin, uri.size(), *renamed);
    at = begin + (renamed ? renamed->size() : uri.size());
  }
}

void rename_truncated(json::Object& meta, const UriSpace& space,
                      const std::function<bool(const std::string& uri)>& is_ours) {
  json::Value* note = meta.find(kTruncatedKey);
  json::Object* object = note == nullptr ? nullptr : note->if_object();
  json::Value* artifact = object == nullptr ? nullptr : object->find("artifact");
  const std::string* uri = artifact == nullptr ? nullptr : artifact->if_string();
  if (uri == nullptr || is_ours(*uri)) return;
  if (std::optional<std::string> renamed = space.encode(*uri)) *artifact = *std::move(renamed);
}

Offer make_offer(const std::vector<Member>& members, NameStyle style) {
  Offer offer;
  add_tools(members, style, offer);
  add_prompts(members, style, offer);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const UriSpace& space = members[i].space;
    const auto known = members[i].node->discovery();
    for (const protocol::Resource& resource : known->resources) {
      const std::optional<std::string> uri = space.encode(resource.uri);
      if (!uri) continue;
      protocol::Resource renamed = resource;
      renamed.uri = *uri;
      offer.resources.emplace(*uri, std::move(renamed));
    }
    for (const protocol::ResourceTemplate& one : known->templates) {
      const std::optional<std::string> text = space.encode_template(one.uri_template);
      if (!text) continue;
      protocol::ResourceTemplate renamed = one;
      renamed.uri_template = *text;
      offer.templates.emplace(
          *text,
          Offer::One<protocol::ResourceTemplate>{
              .member = i, .own = one.uri_template, .definition = std::move(renamed), .is_generated = false});
    }
  }
  return offer;
}

}  // namespace sluice::gateway
