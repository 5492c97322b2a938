#include "sluice/query/tables.h"

#include <chrono>
#include <utility>

namespace sluice::query {

namespace {

std::size_t weight(const Table& table) {
  std::size_t bytes = sizeof(Table) + table.reader.size() + table.columns_sql.size();
  for (const engine::Field& column : table.columns) bytes += sizeof(column) + column.name.size();
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const Table>> Tables::get(engine::Engine& engine, const Dataset& dataset,
                                                 const engine::RunLimits& limits) {
  // Shared by everybody whose rules show the same columns.
  const Dataset::Identity& identity = dataset.identity();
  const cache::Key key{.scope = cache::Scope::shared(),
                       .text = identity.name + '\0' + identity.version + '\0' + identity.policy.text};
  const auto load = [&](const std::stop_token& stop) -> Result<cache::Loaded<Table>> {
    SLUICE_TRY(Table table, dataset.inspect(engine, {.deadline = limits.deadline, .stop = stop}));
    const std::size_t bytes = weight(table);
    const std::chrono::seconds lifetime = table.lifetime;
    return cache::Loaded<Table>{.value = std::move(table), .bytes = bytes, .lifetime = lifetime};
  };
  return cache_.get_or_load(key, load, limits.stop);
}

}  // namespace sluice::query
