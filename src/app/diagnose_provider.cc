#include "diagnose_provider.h"

#include "sluice/app/serve.h"
#include "sluice/catalog/registry.h"
#include "sluice/protocol/revision.h"

namespace sluice::app {
namespace {

json::Value describe(const Config& config) {
  json::Array revisions;
  for (const protocol::Revision revision : protocol::kAllRevisions)
    revisions.emplace_back(protocol::to_string(revision));
  const json::Object limits{{"max_rows", config.limits.rows},
                            {"max_cells", config.limits.cells},
                            {"max_bytes", config.limits.bytes},
                            {"max_tokens", config.limits.tokens}};
  return json::Object{{"status", "ok"},
                      {"version", kVersion},
                      {"protocol_revisions", std::move(revisions)},
                      {"limits", limits},
                      {"sources", json::Array{}}};
}

}  // namespace

std::shared_ptr<catalog::Provider> make_diagnose_provider(const Config& config) {
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
  auto registry = std::make_shared<catalog::Registry>("diagnose");
  registry->add_tool(
      std::move(tool),
      [answer = describe(config)](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
        return protocol::structured_result(answer);
      });
  return registry;
}

}  // namespace sluice::app
