#include "column_looks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/plan/fragment.h"

namespace sluice::databases {

namespace {

Status read_all(engine::Database& database, const engine::Select& select, const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, database.query(select, limits));
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return {};
  }
}

// Reads columns from beginning to end, again after each value that did not fit its type: the database
// remembers the types that it had to widen. Answers of groups do not tell which value it was.
void look_at_columns(engine::Database& database, const engine::TableName& table,
                     const std::set<std::string>& names, const engine::RunLimits& limits) {
  constexpr int kLooksMax = 12;
  for (int look = 0; look < kLooksMax; ++look) {
    const Result<engine::TableLayout> layout = database.describe(table, limits);
    if (!layout.ok()) return;
    const expression::Columns columns = visible_columns(*layout);
    const plan::Target target{.dialect = database.dialect(), .layout = *layout, .columns = columns};
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (names.contains(columns[i].name)) wanted.push_back(i);
    }
    const engine::Select select = plan::scan_select({}, target, wanted);
    const Status read = read_all(database, select, limits);
    if (read.ok() || read.error().kind != ErrorKind::kConflict) return;
  }
}

}  // namespace

expression::Columns visible_columns(const engine::TableLayout& layout) {
  expression::Columns out;
  for (const engine::TableColumn& column : layout.columns) {
    std::string visible = encode_controls(column.name);
    const auto is_taken = [&] {
      return std::any_of(out.begin(), out.end(), [&](const engine::Field& other) {
        return equal_ignoring_case(other.name, visible);
      });
    };
    while (is_taken()) visible += '_';
    out.push_back({.name = std::move(visible), .type = column.type});
  }
  return out;
}

LookedAt looked_at(const plan::Node& plan, const std::string& name, const query::Table& table) {
  LookedAt out{.table = table.layout->summary.name, .columns = {}};
  const std::map<std::string, std::set<std::size_t>> read = plan::columns_read(plan);
  const auto columns = read.find(name);
  if (columns == read.end()) return out;
  for (const std::size_t column : columns->second) out.columns.insert(table.columns[column].name);
  return out;
}

OnMisfit look_later(const std::shared_ptr<DatabaseConnection>& database, std::vector<LookedAt> columns) {
  return [database, columns = std::move(columns)] {
    for (const LookedAt& one : columns) {
      if (one.columns.empty()) continue;
      database->look_later([one](engine::Database& asked, const engine::RunLimits& bounds) {
        look_at_columns(asked, one.table, one.columns, bounds);
      });
    }
  };
}

}  // namespace sluice::databases
