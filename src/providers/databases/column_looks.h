#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sluice/plan/plan.h"
#include "sluice/query/dataset.h"

#include "database_connection.h"

namespace sluice::databases {

// The columns as callers know them. The engine takes names that differ only in case for one.
expression::Columns visible_columns(const engine::TableLayout& layout);

// Columns of a table that a statement reads, by the names that callers know.
struct LookedAt {
  engine::TableName table;
  std::set<std::string> columns;
};

// The columns of the table that Scans call `name`.
LookedAt looked_at(const plan::Node& plan, const std::string& name, const query::Table& table);

// Called if a value refutes what was thought of its column.
using OnMisfit = std::function<void()>;

// Answers of groups do not tell which value it was: the columns are read from beginning to end. That is done
// later, by a question that holds no connection: this one may hold several.
OnMisfit look_later(const std::shared_ptr<DatabaseConnection>& database, std::vector<LookedAt> columns);

}  // namespace sluice::databases
