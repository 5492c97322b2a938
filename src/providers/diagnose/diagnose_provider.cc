#include "sluice/diagnose/diagnose_provider.h"

#include <utility>

#include "sluice/base/version.h"
#include "sluice/catalog/registry.h"
#include "sluice/protocol/revision.h"

namespace sluice::diagnose {
namespace {

json::Value describe(const Budget& limits, json::Array sources) {
  json::Array revisions;
  for (const protocol::Revision revision : protocol::kAllRevisions)
    revisions.emplace_back(protocol::to_string(revision));
  const json::Object caps{{"max_rows", limits.rows},
                          {"max_cells", limits.cells},
                          {"max_bytes", limits.bytes},
                          {"max_tokens", limits.tokens}};
  return json::Object{{"status", "ok"},
                      {"version", product_version()},
                      {"protocol_revisions", std::move(revisions)},
                      {"limits", caps},
                      {"sources", std::move(sources)}};
}

}  // namespace

std::shared_ptr<catalog::Provider> make_diagnose_provider(const Budget& limits, DescribeSources sources) {
  protocol::Tool tool;
  tool.name = "diagnose";
  tool.title = "Diagnose the server";
  tool.description =
      "Reports the version, the limits, and the state of every source this server was given. Call it when "
      "another tool is missing or fails.";
  tool.input_schema = json::Object{{"type", "object"}, {"additionalProperties", false}};
  tool.output_schema =
      json::Object{{"type", "object"},
                   {"properties", json::Object{{"status", json::Object{{"type", "string"}}},
                                               {"version", json::Object{{"type", "string"}}},
                                               {"protocol_revisions", json::Object{{"type", "array"}}},
                                               {"limits", json::Object{{"type", "object"}}},
                                               {"sources", json::Object{{"type", "array"}}}}},
                   {"required", json::Array{"status", "version", "sources"}}};
  tool.annotations = protocol::ToolAnnotations{
      .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  auto provider = std::make_shared<catalog::Registry>("diagnose");
  provider->add_tool(std::move(tool),
                     [limits, sources = std::move(sources)](
                         const json::Object&, catalog::Context& context) -> Result<protocol::ToolResult> {
                       return protocol::structured_result(describe(limits, sources(context)));
                     });
  return provider;
}

}  // namespace sluice::diagnose
