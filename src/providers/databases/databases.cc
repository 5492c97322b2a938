#include "sluice/databases/databases.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/sleep.h"
#include "sluice/base/text.h"
#include "sluice/engine/postgres.h"
#include "sluice/engine/sqlite.h"
#include "sluice/json/regular_expression.h"
#include "sluice/query/functions.h"

#include "database_connection.h"
#include "table_dataset.h"

namespace sluice::databases {

namespace {

constexpr std::chrono::seconds kLookTime{10};
constexpr std::chrono::seconds kShortPause{1};  // For what is cheap to look at, or not there.
constexpr std::chrono::seconds kPostgresPause{15};
constexpr std::chrono::milliseconds kBurst{50};  // What happens within it is one notification.

Result<std::function<bool(std::string_view)>> compile_matcher(std::string_view pattern) {
  SLUICE_TRY(json::RegularExpression compiled, json::RegularExpression::compile(pattern));
  // Shared by the copies of the function.
  const auto regex = std::make_shared<const json::RegularExpression>(std::move(compiled));
  return std::function<bool(std::string_view)>(
      [regex](std::string_view text) { return regex->matches(text); });
}

Result<std::unique_ptr<engine::Database>> open_database(const DatabaseSpec& spec) {
  if (!spec.sqlite_path.empty()) {
    engine::SqliteOptions options{.path = spec.sqlite_path, .functions = query::engine_functions()};
    // `text REGEXP pattern` calls regexp(pattern, text).
    for (const char* name : {"regexp", "regex"})
      options.matchers.push_back({.name = name, .compile = compile_matcher});
    return engine::open_sqlite(options);
  }
  return engine::open_postgres(spec.postgres);
}

// `orders`, and with its schema where that is not the usual one.
std::string visible_name(const engine::TableName& table) {
  const bool is_usual = table.schema.empty() || table.schema == "public";
  return encode_controls(is_usual ? table.name : table.schema + "." + table.name);
}

std::shared_ptr<const query::Collection> make_collection(const std::vector<DatabaseSpec>& specs) {
  query::Collection out;
  out.name = kCollection;
  out.scheme = kScheme;
  out.handle_scheme = "rows";
  out.is_uniform = false;
  out.description = "Tables and views of databases, as they are now";
  query::Dimension database{.name = "database", .description = "Name of the database"};
  if (specs.size() == 1) database.usual = specs.front().name;
  out.dimensions = {std::move(database), {.name = "table", .description = "Table or view"}};
  return std::make_shared<const query::Collection>(std::move(out));
}

}  // namespace

Databases::Databases(query::Registry& registry, std::shared_ptr<engine::Sources> sources)
    : registry_(registry), sources_(std::move(sources)) {}

Databases::~Databases() {
  listeners_.clear();
  thread_.request_stop();
}

Result<std::unique_ptr<Databases>> Databases::open(const std::vector<DatabaseSpec>& specs,
                                                   query::Registry& registry,
                                                   std::shared_ptr<engine::Sources> sources) {
  std::unique_ptr<Databases> out(new Databases(registry, std::move(sources)));
  out->collection_ = make_collection(specs);
  for (const DatabaseSpec& spec : specs) {
    SLUICE_TRY(std::unique_ptr<engine::Database> database, open_database(spec));
    auto connected = std::make_shared<DatabaseConnection>(spec, std::move(database));
    connected->on_outdated([self = out.get()] {
      {
        const MutexLock lock(self->mutex_);
        self->has_news_ = true;
      }
      self->woken_.notify_all();
    });
    out->connected_.push_back(std::move(connected));
  }
  registry.replace(out->collection_, {});  // What the tools ask for is known before the first look.
  return out;
}

void Databases::begin() {
  for (const auto& one : connected_) one->look({.deadline = system_clock().now() + kLookTime, .stop = {}});
  publish();
  for (const auto& one : connected_) {
    if (one->spec().channel.empty()) continue;
    Result<std::unique_ptr<engine::Listener>> listener =
        engine::listen_postgres(one->spec().postgres, one->spec().channel,
                                [connected = one](const engine::Notification&) { connected->outdate(); });
    if (listener.ok()) {
      listeners_.push_back(*std::move(listener));
    } else {
      log::warning("database.not_heard", {{"database", one->name()}, {"reason", listener.error().message}});
    }
  }
  thread_ = BackgroundThread("databases", [this](const std::stop_token& stop) { follow(stop); });
}

// Datasets that are as they were stay what they are, with their row counts.
void Databases::publish() {
  std::map<std::string, query::DatasetPtr> before;
  const query::Inventory inventory = registry_.inventory();
  for (const query::DatasetPtr& dataset : inventory.datasets()) {
    if (dataset->collection().name == kCollection) before.emplace(dataset->name(), dataset);
  }
  std::vector<query::DatasetPtr> datasets;
  std::set<std::string> taken;
  for (const auto& database : connected_) {
    const DatabaseConnection::Known known = database->known();
    for (const engine::TableSummary& table : known.tables) {
      std::string visible = visible_name(table.name);
      // The table "a.b" and the table "b" of schema "a" are two.
      while (!taken.insert(database->name() + "/" + visible).second) visible += '_';
      query::Dataset::Identity identity{.collection = collection_,
                                        .name = database->name() + "/" + visible,
                                        .dimensions = {database->name(), visible},
                                        .path = {},
                                        .bytes = table.bytes.value_or(0),
                                        .modified = {},
                                        .version = fmt::format("{}.{}", known.version, database->edition()),
                                        .is_followed = database->is_sqlite()};
      const auto old = before.find(identity.name);
      if (old != before.end() && old->second->identity().version == identity.version) {
        datasets.push_back(old->second);
        continue;
      }
      const bool is_counted = database->is_sqlite();
      auto dataset =
          std::make_shared<const TableDataset>(std::move(identity), table.name, database, sources_);
      if (!is_counted) dataset->set_row_guess(table.rows_guess);
      datasets.push_back(std::move(dataset));
    }
  }
  registry_.replace(collection_, std::move(datasets));
}

bool Databases::is_any_away() const {
  return std::any_of(connected_.begin(), connected_.end(), [](const auto& one) { return one->is_away(); });
}

void Databases::follow(const std::stop_token& stop) {
  const bool has_sqlite =
      std::any_of(connected_.begin(), connected_.end(), [](const auto& one) { return one->is_sqlite(); });
  Monotonic next_postgres = system_clock().now() + kPostgresPause;
  while (!stop.stop_requested()) {
    bool changed = false;
    {
      const MutexLock lock(mutex_);
      const auto pause = has_sqlite || is_any_away() ? kShortPause : kPostgresPause;
      woken_.wait_for(mutex_, stop, pause, [this]() SLUICE_REQUIRES(mutex_) { return has_news_; });
      changed = std::exchange(has_news_, false);
    }
    if (stop.stop_requested()) return;
    const Monotonic now = system_clock().now();
    const bool asks_postgres = changed || now >= next_postgres;
    if (asks_postgres) next_postgres = now + kPostgresPause;
    for (const auto& one : connected_) {
      if (!one->is_sqlite() && !asks_postgres && !one->is_away()) continue;
      changed = one->look({.deadline = now + kLookTime, .stop = stop}) || changed;
    }
    if (!changed) continue;
    publish();
    // Another change within a moment is told with the next.
    sleep_unless_stopped(kBurst, stop);
  }
}

std::vector<Databases::Health> Databases::check(const engine::RunLimits& limits) const {
  std::vector<Health> out;
  for (const auto& one : connected_) {
    Result<engine::DatabaseHealth> health = one->database().check(limits);
    std::size_t tables = 0;
    if (health.ok()) {
      if (const auto listed = one->tables(limits); listed.ok()) tables = listed->size();
    }
    out.push_back({.name = one->name(), .health = std::move(health), .tables = tables});
  }
  return out;
}

}  // namespace sluice::databases
