#include "diagnose_provider.h"

#include <utility>

#include "sluice/app/serve.h"
#include "sluice/base/version.h"
#include "sluice/catalog/registry.h"
#include "sluice/docs/docs_provider.h"
#include "sluice/protocol/revision.h"

#include "wire_apis.h"
#include "wire_ckan.h"
#include "wire_databases.h"
#include "wire_git.h"
#include "wire_upstreams.h"

namespace sluice::app {
namespace {

constexpr std::size_t kUnreadableListed = 20;

using UpstreamNodes = std::vector<std::shared_ptr<gateway::ToolNode>>;

json::Object describe_records(records::Store& store) {
  json::Object out{{"name", "records"}, {"kind", "records"}, {"scheme", "parquet"}};
  const Result<std::vector<std::string>> names = store.data_types();
  if (!names.ok()) {
    out.set("error", names.error().message);
    return out;
  }
  json::Array unreadable;
  for (const std::string& name : *names) {
    const Result<std::shared_ptr<records::DataType>> type = store.find(name);
    const Result<records::View> view = type.ok() ? (*type)->view({}) : Result<records::View>(type.error());
    if (!view.ok() && unreadable.size() < kUnreadableListed)
      unreadable.push_back(json::Object{{"data_type", name}, {"error", view.error().message}});
  }
  out.set("data_types", names->size());
  out.set("writable", store.is_writable());
  out.set("unreadable", std::move(unreadable));
  return out;
}

// Each source with what of it works, and what does not and why.
json::Array sources(const Config& config, const DataWiring* data, records::Store* records,
                    const UpstreamNodes& upstreams, const engine::RunLimits& limits) {
  json::Array out = diagnose_upstreams(upstreams);
  if (data != nullptr && data->databases() != nullptr) {
    for (const databases::Databases::Health& health : data->databases()->check(limits)) {
      CheckLine line = line_of(health);
      out.push_back(json::Object{{"name", health.name},
                                 {"kind", "database"},
                                 {"scheme", "db"},
                                 {line.ok ? "state" : "error", std::move(line.finding)}});
    }
  }
  if (records != nullptr) out.push_back(describe_records(*records));
  for (const files::FolderSpec& folder : config.files) {
    json::Object one{{"name", folder.name}, {"kind", "files"}, {"scheme", "file"}};
    if (const Result<files::FolderSummary> summary = files::summarize(folder); summary.ok()) {
      one.set("files", summary->files);
      one.set("folders", summary->folders);
    } else {
      one.set("error", summary.error().message);
    }
    out.push_back(std::move(one));
  }
  for (const contents::FolderSpec& folder : config.docs) {
    const Result<std::size_t> pages = docs::count_pages(folder);
    json::Object one{{"name", folder.name}, {"kind", "docs"}, {"scheme", "docs"}};
    if (pages.ok()) {
      one.set("pages", *pages);
    } else {
      one.set("error", pages.error().message);
    }
    out.push_back(std::move(one));
  }
  for (const git::RepositorySpec& repository : config.git) out.push_back(describe_repository(repository));
  for (json::Value& api : diagnose_apis(config)) out.push_back(std::move(api));
  for (json::Value& portal : diagnose_portals(config)) out.push_back(std::move(portal));
  if (data == nullptr) return out;
  const query::Inventory inventory = data->registry().inventory();
  for (const auto& collection : inventory.collections()) {
    std::uint64_t datasets = 0;
    std::uint64_t counted = 0;
    json::Array unreadable;
    for (const query::DatasetPtr& dataset : inventory.datasets()) {
      if (dataset->collection().name != collection->name) continue;
      ++datasets;
      if (dataset->count_state() == query::CountState::kExact) ++counted;
      if (dataset->count_state() == query::CountState::kFailed && unreadable.size() < kUnreadableListed) {
        unreadable.push_back(json::Object{{"dataset", dataset->name()}, {"error", dataset->count_error()}});
      }
    }
    out.push_back(json::Object{{"name", collection->name},
                               {"kind", "collection"},
                               {"scheme", collection->scheme},
                               {"datasets", datasets},
                               {"counted", counted},
                               {"unreadable", std::move(unreadable)}});
  }
  return out;
}

json::Value describe(const Config& config, const DataWiring* data, records::Store* records,
                     const UpstreamNodes& upstreams, const engine::RunLimits& limits) {
  json::Array revisions;
  for (const protocol::Revision revision : protocol::kAllRevisions)
    revisions.emplace_back(protocol::to_string(revision));
  const json::Object caps{{"max_rows", config.limits.rows},
                          {"max_cells", config.limits.cells},
                          {"max_bytes", config.limits.bytes},
                          {"max_tokens", config.limits.tokens}};
  return json::Object{{"status", "ok"},
                      {"version", product_version()},
                      {"protocol_revisions", std::move(revisions)},
                      {"limits", caps},
                      {"sources", sources(config, data, records, upstreams, limits)}};
}

}  // namespace

std::shared_ptr<catalog::Provider> make_diagnose_provider(const Config& config, const DataWiring* data,
                                                          records::Store* records, UpstreamNodes upstreams) {
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
  provider->add_tool(
      std::move(tool),
      [config, data, records, upstreams = std::move(upstreams)](
          const json::Object&, catalog::Context& context) -> Result<protocol::ToolResult> {
        return protocol::structured_result(describe(
            config, data, records, upstreams, {.deadline = context.deadline(), .stop = context.stop()}));
      });
  return provider;
}

}  // namespace sluice::app
