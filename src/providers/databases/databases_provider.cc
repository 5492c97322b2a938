#include "sluice/databases/databases_provider.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/mutex.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/uri_query.h"

#include "table_contents.h"
#include "table_dataset.h"

namespace sluice::databases {

namespace {

using TablePtr = std::shared_ptr<const TableDataset>;

constexpr std::array<std::string_view, 6> kParameters = {"limit",   "offset", "length",
                                                         "columns", "order",  "format"};

// db://shop/orders/data?limit=20
struct TableUri {
  std::string table;  // As the tables' own URIs have it: percent-encoded, with a slash at its end.
  std::string part;   // "data" or "schema".
  contents::UriQuery query;
};

std::optional<TableUri> parse_uri(const ResourceUri& uri) {
  std::string_view text = uri.text();
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos) return std::nullopt;
  const std::size_t question = text.find('?');
  std::optional<contents::UriQuery> query = contents::UriQuery();
  if (question != std::string_view::npos)
    query = contents::UriQuery::parse(text.substr(question + 1), kParameters);
  if (!query) return std::nullopt;
  std::string path(text.substr(0, question));
  TableUri out{.table = {}, .part = "data", .query = *std::move(query)};
  for (const std::string_view part : {"schema", "data"}) {
    if (!path.ends_with("/" + std::string(part))) continue;
    out.part = part;
    path.resize(path.size() - part.size());
    out.table = std::move(path);
    return out;
  }
  out.table = path + (path.ends_with('/') ? "" : "/");
  return out;
}

engine::RunLimits limits_of(const catalog::Context& context) {
  return {.deadline = context.deadline(), .stop = context.stop()};
}

class DatabasesProvider final : public catalog::Provider,
                                public catalog::ResourceProvider,
                                public catalog::CompletionProvider {
 public:
  DatabasesProvider(const Databases& databases, query::Registry& registry, Policies policies)
      : Provider({.name = std::string(kCollection)}),
        databases_(databases),
        registry_(registry),
        policies_(std::move(policies)) {}
  ~DatabasesProvider() override { registry_.unlisten(listening_); }

  catalog::ResourceProvider* resources() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    listening_ = registry_.listen([this, &sink](const query::InventoryChange& change) {
      if (change.list_changed) sink.resources_changed();
      for (const query::DatasetPtr& dataset : change.updated) {
        if (dataset->collection().name != kCollection) continue;
        for (const std::string_view part : {"data", "schema"}) sink.resource_updated(dataset->uri(part));
        for (const std::string& uri : watched(dataset->uri(""))) sink.resource_updated(uri);
      }
    });
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    std::vector<protocol::Resource> all;
    for (const TablePtr& table : tables()) {
      for (const std::string_view part : {"data", "schema"}) {
        std::string uri = table->uri(part);
        if (uri <= query.after) continue;
        protocol::Resource resource;
        resource.uri = std::move(uri);
        resource.name = fmt::format("{} {}", table->identity().dimensions.back(), part);
        resource.description = part == "data" ? "Its first 100 rows" : "Columns, keys and indexes";
        resource.mime_type = part == "data" ? "application/json" : "text/plain";
        all.push_back(std::move(resource));
      }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.uri < b.uri; });
    if (all.size() > query.limit) all.resize(query.limit);
    return all;
  }

  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    std::vector<protocol::ResourceTemplate> out;
    const auto add = [&](std::string_view part, std::string name, std::string description, std::string type) {
      protocol::ResourceTemplate made;
      made.uri_template = fmt::format("db://{}{{table}}/{}", databases_.has_one() ? "" : "{database}/", part);
      made.name = std::move(name);
      made.description = std::move(description);
      made.mime_type = std::move(type);
      if (made.uri_template > query.after && out.size() < query.limit) out.push_back(std::move(made));
    };
    add("data{?limit,offset,columns,order}", "Rows of a table",
        "The first 100 rows as JSON; limit up to 1000; columns and order are names separated by commas, "
        "order=-created_at has the newest first",
        "application/json");
    add("schema{?format,offset,length}", "Schema of a table",
        "Columns, keys and indexes; format=json for programs; offset and length in bytes", "text/plain");
    return out;
  }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    const std::optional<TableUri> asked = parse_uri(uri);
    const TablePtr table = asked ? find(asked->table) : nullptr;
    if (!table) return protocol::resource_not_found(uri.text());
    Result<protocol::ReadResult> result = answer(uri, *asked, *table, context);
    // A column had other values than was thought; now it is known.
    if (!result.ok() && result.error().kind == ErrorKind::kConflict)
      result = answer(uri, *asked, *table, context);
    return result;
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& /*context*/) override {
    if (request.argument == "columns" || request.argument == "order") return complete_columns(request);
    std::set<std::string> values;
    const auto database = request.resolved.find("database");
    for (const TablePtr& table : tables()) {
      const std::vector<std::string>& names = table->identity().dimensions;
      if (request.argument == "database") values.insert(names[0]);
      if (request.argument != "table") continue;
      if (database == request.resolved.end() || database->second == names[0]) values.insert(names[1]);
    }
    return contents::complete_among({values.begin(), values.end()}, request.typed);
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == kScheme; }
  Status can_watch(const ResourceUri& uri) const override {
    const std::optional<TableUri> asked = parse_uri(uri);
    const TablePtr table = asked ? find(asked->table) : nullptr;
    if (!table) return protocol::resource_not_found(uri.text());
    if (table->announces_changes()) return {};
    return unsupported("watch a resource: its database does not announce changes: " + excerpt(uri.text()))
        .with_code("changes_not_announced")
        .with_hint(
            "Read the resource again when it is needed. The operator can configure `channel` for the "
            "database, and NOTIFY it when data changes.");
  }
  void watch(const ResourceUri& uri) override {
    const MutexLock lock(mutex_);
    watched_.insert(std::string(uri.text()));
  }
  void unwatch(const ResourceUri& uri) override {
    const MutexLock lock(mutex_);
    watched_.erase(std::string(uri.text()));
  }

 private:
  std::vector<TablePtr> tables() const {
    std::vector<TablePtr> out;
    const query::Inventory inventory = registry_.inventory();
    for (const query::DatasetPtr& dataset : inventory.datasets()) {
      if (TablePtr table = std::dynamic_pointer_cast<const TableDataset>(dataset))
        out.push_back(std::move(table));
    }
    return out;
  }

  TablePtr find(std::string_view base) const {
    for (const TablePtr& table : tables()) {
      if (table->uri("") == base) return table;
    }
    return nullptr;
  }

  Result<protocol::ReadResult> answer(const ResourceUri& uri, const TableUri& asked,
                                      const TableDataset& table, const catalog::Context& context) const {
    protocol::ReadResult result;
    result.cache = {.ttl = table.ttl(), .shared = false};
    const TableContentsRequest request{.uri = uri,
                                       .query = asked.query,
                                       .table = table,
                                       .limits = limits_of(context),
                                       .guard = plan::Guard(policy_of(policies_, context.principal())),
                                       .room = contents::read_room(context)};
    Result<protocol::ResourceContents> contents =
        asked.part == "schema" ? read_schema(request) : read_rows(request);
    if (!contents.ok()) {
      const ErrorKind kind = contents.error().kind;
      if (kind == ErrorKind::kConflict || kind == ErrorKind::kInvalidInput) return contents.error();
      return contents::read_failure(contents.error(), std::string(uri.text()));
    }
    result.contents.push_back(*std::move(contents));
    return result;
  }

  Result<protocol::Completion> complete_columns(const protocol::CompletionRequest& request) const {
    const auto wanted = request.resolved.find("table");
    const auto database = request.resolved.find("database");
    for (const TablePtr& table : tables()) {
      const std::vector<std::string>& names = table->identity().dimensions;
      if (wanted == request.resolved.end() || names[1] != wanted->second) continue;
      if (database != request.resolved.end() && names[0] != database->second) continue;
      const Result<query::Table> known = table->inspect({});
      if (!known.ok()) break;
      const std::size_t comma = request.typed.rfind(',');
      std::string before = comma == std::string::npos ? "" : request.typed.substr(0, comma + 1);
      if (request.argument == "order" && request.typed.substr(before.size()).starts_with('-')) before += '-';
      std::vector<std::string> values;
      for (const engine::Field& column : known->columns) values.push_back(before + column.name);
      return contents::complete_among(std::move(values), request.typed);
    }
    return protocol::Completion{.values = {}, .total = 0};
  }

  // Those that are watched with parameters, of one table.
  std::vector<std::string> watched(const std::string& base) const {
    const MutexLock lock(mutex_);
    std::vector<std::string> out;
    for (auto place = watched_.lower_bound(base); place != watched_.end() && place->starts_with(base);
         ++place) {
      if (place->find('?') != std::string::npos) out.push_back(*place);
    }
    return out;
  }

  const Databases& databases_;
  query::Registry& registry_;
  const Policies policies_;
  std::uint64_t listening_ = 0;
  mutable Mutex mutex_;
  std::set<std::string> watched_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<catalog::Provider> make_databases_provider(const Databases& databases,
                                                           query::Registry& registry, Policies policies) {
  return std::make_shared<DatabasesProvider>(databases, registry, std::move(policies));
}

}  // namespace sluice::databases
