#include "source_reports.h"

#include <utility>

#include "sluice/wiring/wire_upstreams.h"

#include "source_kind.h"
#include "wire_databases.h"

namespace sluice::wiring {
namespace {

constexpr std::size_t kUnreadableListed = 20;

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

}  // namespace

json::Array describe_sources(const config::Config& config, const DataWiring* data, records::Store* records,
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
  for (const SourceKind& kind : source_kinds()) {
    if (kind.describe == nullptr) continue;
    for (json::Value& one : kind.describe(config)) out.push_back(std::move(one));
  }
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

}  // namespace sluice::wiring
