#include <algorithm>

#include <fmt/format.h>

#include "sluice/databases/databases.h"
#include "sluice/json/writer.h"
#include "sluice/render/cell.h"

#include "database_connection.h"

namespace sluice::databases {

namespace {

// Where a value of a later row is of another kind than that of the first, all of its column is text.
void make_text(std::vector<engine::Field>& columns) {
  for (engine::Field& column : columns) column.type = {.id = engine::TypeId::kText};
}

std::string record_json(const std::vector<engine::Field>& columns, const engine::Batch& batch,
                        std::size_t row) {
  std::string out = "{";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += ',';
    json::append_string(out, columns[i].name);
    out += ':';
    render::append_json(out, batch.columns[i], row);
  }
  return out + "}";
}

struct Bounds {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

Result<std::vector<std::string>> collect(engine::Database& database, const engine::Select& select,
                                         bool is_json, const Bounds& bounds,
                                         const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, database.query(select, limits));
  std::vector<std::string> out;
  std::uint64_t bytes = 0;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      out.push_back(is_json ? std::string(batch->columns[0].text(row))
                            : record_json(select.columns, *batch, row));
      bytes += out.back().size() + 1;
      if (out.size() > bounds.rows || bytes > bounds.bytes) {
        return limit_reached(out.size() > bounds.rows ? "rows of a template" : "bytes of a template",
                             out.size() > bounds.rows ? bounds.rows : bounds.bytes)
            .with_code("oversize_result")
            .with_hint("Ask for the rows of the table with a tool instead: it answers page by page.");
      }
    }
  }
}

}  // namespace

bool Databases::has(std::string_view name) const {
  return std::any_of(connected_.begin(), connected_.end(),
                     [&](const auto& one) { return one->name() == name; });
}

Result<std::vector<std::string>> Databases::ask(const Ask& ask, const engine::RunLimits& limits) const {
  const auto found = std::find_if(connected_.begin(), connected_.end(),
                                  [&](const auto& one) { return one->name() == ask.database; });
  if (found == connected_.end()) return not_found("no such database");
  engine::Database& database = (*found)->database();
  engine::Select select{.statement = {.sql = ask.sql, .parameters = {}}, .columns = {}, .table = {}};
  for (const std::string& value : ask.parameters) select.statement.parameters.emplace_back(value);
  const Bounds bounds{.rows = ask.rows_max, .bytes = ask.bytes_max};
  if (!(*found)->is_sqlite()) {
    select.statement.sql = fmt::format("SELECT row_to_json(answer)::text FROM ({}\n) AS answer", ask.sql);
    select.columns = {{.name = "row", .type = {.id = engine::TypeId::kText}}};
    return collect(database, select, true, bounds, limits);
  }
  SLUICE_TRY(select.columns, database.columns(select.statement, limits));
  Result<std::vector<std::string>> rows = collect(database, select, false, bounds, limits);
  if (rows.ok() || rows.error().kind != ErrorKind::kConflict) return rows;
  make_text(select.columns);
  return collect(database, select, false, bounds, limits);
}

}  // namespace sluice::databases
