#include "tools/list_portals.h"

#include <utility>

#include "sluice/json/schema_words.h"

namespace sluice::ckan {

namespace {

using json::schema::described;
using json::schema::one_of;

}  // namespace

protocol::Tool list_portals_tool() {
  protocol::Tool tool;
  tool.name = std::string(kListPortals);
  tool.title = "List portals";
  tool.description =
      "The CKAN portals that this server knows: what server_url and ckan:// URIs may name. Others may be "
      "reachable, too.";
  tool.input_schema = json::Object{
      {"type", "object"},
      {"properties",
       json::Object{{"offset", number_schema(kStart, "To go on at: next_offset")},
                    {"response_format", described(one_of({"markdown", "json"}), "Default markdown")}}},
      {"additionalProperties", false}};
  tool.output_schema = json::Object{{"type", "object"}};
  tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  return tool;
}

Result<ToolAnswer> found_portals(const Directory& directory, const Arguments& in) {
  SLUICE_TRY(const std::int64_t offset, in.number("offset", kStart));
  json::Array portals;
  for (const PortalPtr& portal : directory.portals()) {
    json::Object one{{"host", portal->spec.host}, {"server_url", portal->server_url()}};
    if (!portal->spec.aliases.empty()) {
      json::Array aliases;
      for (const std::string& alias : portal->spec.aliases) aliases.emplace_back(alias);
      one.set("aliases", std::move(aliases));
    }
    portals.push_back(std::move(one));
  }
  const std::size_t count = portals.size();
  skip_rows(portals, static_cast<std::uint64_t>(offset));
  ToolAnswer found{.value = json::Object{{"count", count}},
                   .title = "Portals",
                   .facts = {directory.takes_others() ? "Any other public CKAN portal can be asked as well"
                                                      : "No other portal can be asked"},
                   .page = {.key = "portals",
                            .offset = static_cast<std::uint64_t>(offset),
                            .total = count,
                            .argument = "offset"}};
  found.value.set("others", directory.takes_others());
  found.value.set("portals", std::move(portals));
  return found;
}

}  // namespace sluice::ckan
