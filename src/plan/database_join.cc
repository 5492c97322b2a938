#include "database_join.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "database_aggregate.h"
#include "database_condition.h"
#include "joined_scans.h"
#include "sqlite_text.h"

namespace sluice::plan {

namespace {

using engine::Dialect;
using engine::TypeId;

// What is selected of a column, which may be an expression over it, with the alias of its table before each
// mention of the column. In PostgreSQL a collation may follow, whose name is quoted, too.
std::string qualified(const engine::TableColumn& column, std::string_view alias, Dialect dialect) {
  const std::string name = engine::quote_name(column.name);
  std::string out = column.select;
  std::size_t at = out.find('"');
  while (at != std::string::npos) {
    out.insert(at, fmt::format("{}.", alias));
    at += alias.size() + 1 + name.size();
    at = dialect == Dialect::kSqlite ? out.find('"', at) : std::string::npos;
  }
  return out;
}

bool is_plain(const DatabaseColumn& column) { return column.theirs->select == column.reference(); }

// A text that stands in an integer column of SQLite by exception would be found equal to another one. The
// check of all rows of the left side lets no index of it serve, which a LEFT JOIN does not use anyway.
std::optional<std::string> sqlite_equality(const DatabaseColumn& left, const DatabaseColumn& right,
                                           JoinKind kind) {
  switch (left.ours->type.id) {
    case TypeId::kInt64:
    case TypeId::kBool:
      if (!has_numeric_affinity(left.theirs->declared) || !has_numeric_affinity(right.theirs->declared))
        return std::nullopt;
      if (kind == JoinKind::kLeft)
        return fmt::format("{} = {}", checked(left, Dialect::kSqlite), right.reference());
      return fmt::format("{} = {} AND {} IS NOT NULL", left.reference(), right.reference(),
                         checked(left, Dialect::kSqlite));
    case TypeId::kText:
      // Numbers and blobs among texts are shown as text, and equal to it.
      if (!is_plain(left) || !is_plain(right)) return std::nullopt;
      return fmt::format("{} COLLATE BINARY = {} COLLATE BINARY", left.reference(), right.reference());
    default:
      return std::nullopt;
  }
}

// Without a collation, an index of the column serves. Equality is that of bytes for all collations but those
// that make another form of the column be selected.
std::optional<std::string> postgres_text_equality(const DatabaseColumn& left, const DatabaseColumn& right) {
  for (const DatabaseColumn* column : {&left, &right}) {
    if (is_plain(*column) && column->theirs->collation.empty()) return std::nullopt;  // "char".
  }
  if (is_plain(left) && is_plain(right) && left.theirs->collation == right.theirs->collation)
    return fmt::format("{} = {}", left.reference(), right.reference());
  return fmt::format("{} = {}", by_bytes(left, Dialect::kPostgres), by_bytes(right, Dialect::kPostgres));
}

std::optional<std::string> postgres_equality(const DatabaseColumn& left, const DatabaseColumn& right) {
  switch (left.ours->type.id) {
    case TypeId::kText:
      return postgres_text_equality(left, right);
    case TypeId::kDecimal:
      // The digits of a numeric that declares none come from a sample.
      if (left.theirs->declared.find('(') == std::string::npos ||
          right.theirs->declared.find('(') == std::string::npos)
        return std::nullopt;
      [[fallthrough]];
    case TypeId::kBool:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kUInt32:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestampUs:
    case TypeId::kTimestampTz:
    case TypeId::kUuid:
      return fmt::format("{} = {}", left.theirs->select, right.theirs->select);
    default:
      return std::nullopt;
  }
}

class JoinPrinter {
 public:
  JoinPrinter(const Node& from, const Targets& targets, std::vector<engine::Parameter> parameters)
      : scans_(joined_scans(from)),
        targets_(targets),
        target_{.dialect = targets.begin()->second.dialect,
                .layout = out_.layout,
                .columns = from.columns,
                .aliases = &out_.aliases},
        conditions_(target_, out_.parameters) {
    out_.parameters = std::move(parameters);
  }

  std::optional<DatabaseJoin> print() {
    if (!add_columns()) return std::nullopt;
    for (std::size_t i = 0; i < scans_.size(); ++i) {
      if (!add_table(scans_[i], fmt::format("t{}", i))) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  bool add_columns() {
    for (std::size_t i = 0; i < scans_.size(); ++i) {
      const auto found = targets_.find(scans_[i].table());
      if (found == targets_.end() || found->second.columns.size() != scans_[i].scan->columns.size())
        return false;
      const std::string alias = fmt::format("t{}", i);
      for (engine::TableColumn column : found->second.layout.columns) {
        column.select = qualified(column, alias, target_.dialect);
        out_.layout.columns.push_back(std::move(column));
        out_.aliases.push_back(alias);
      }
    }
    return out_.layout.columns.size() == target_.columns.size();
  }

  bool add_table(const JoinedScan& scan, const std::string& alias) {
    std::string filter;
    if (scan.filter != nullptr) {
      std::vector<std::size_t> positions(scan.scan->columns.size());
      for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = scan.first + i;
      std::optional<std::string> sql = conditions_.print(with_columns(*scan.filter, positions));
      if (!sql) return false;
      filter = *std::move(sql);
    }
    if (scan.join != nullptr) out_.from += scan.join->kind == JoinKind::kInner ? " JOIN " : " LEFT JOIN ";
    out_.from +=
        engine::quote_table(targets_.find(scan.table())->second.layout.summary.name) + " AS " + alias;
    if (scan.join == nullptr) {
      if (!filter.empty()) out_.where = " WHERE " + filter;
      return true;
    }
    std::string on;
    for (const JoinKey& key : scan.join->keys) {
      const DatabaseColumn left = conditions_.column(key.left);
      const DatabaseColumn right = conditions_.column(scan.first + key.right);
      const std::optional<std::string> equality = target_.dialect == Dialect::kSqlite
                                                      ? sqlite_equality(left, right, scan.join->kind)
                                                      : postgres_equality(left, right);
      if (!equality) return false;
      on += (on.empty() ? "" : " AND ") + *equality;
    }
    if (!filter.empty()) on += " AND " + filter;
    out_.from += " ON " + on;
    return true;
  }

  const std::vector<JoinedScan> scans_;
  const Targets& targets_;
  DatabaseJoin out_;
  const Target target_;  // All tables as one.
  DatabaseConditions conditions_;
};

}  // namespace

std::optional<DatabaseJoin> database_join(const Node& from, const Targets& targets,
                                          std::vector<engine::Parameter> parameters) {
  if (targets.empty()) return std::nullopt;
  return JoinPrinter(from, targets, std::move(parameters)).print();
}

}  // namespace sluice::plan
