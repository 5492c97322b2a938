#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/expression/sql.h"
#include "sluice/json/value.h"
#include "sluice/plan/plan.h"

#include "sql_columns.h"
#include "sql_node.h"
#include "sql_tree.h"

namespace sluice::expression {

// The tables behind FROM, and the columns that names in the statement mean: those of the first table, then
// those of the next.
class SqlFrom final : public SqlColumns {
 public:
  // Nullopt for anything but tables, and joins of them that a plan may have. What is given must outlive it.
  static std::optional<SqlFrom> bind(const json::Value* from, const SqlFacts& facts);

  const plan::Columns& columns() const override { return columns_; }
  // Of `column` and `table.column`.
  std::optional<std::size_t> find(const json::Value& expression) const override;
  // What `*` stands for, or `table.*`.
  std::optional<std::vector<std::size_t>> star(std::string_view table) const;

  // The rows that meet WHERE, which may be null. Equalities in it between columns of two tables join them.
  // Parts of it that are no conditions on columns alone are left to the caller: they are added to `others`.
  // Null if there is no plan for them.
  plan::NodePtr rows(const json::Value* where, std::vector<const json::Value*>& others);

 private:
  struct Joined {
    const SqlTables::Table* table = nullptr;
    std::string visible;    // Its alias, or else its name.
    std::size_t first = 0;  // The position of its first column.
    plan::JoinKind kind = plan::JoinKind::kInner;
    std::vector<plan::JoinKey> keys;      // With the tables before it.
    std::vector<plan::Condition> filter;  // Over its own columns.
  };

  bool add(const json::Value* from, const SqlFacts& facts);
  bool add_table(SqlNode& node, const SqlFacts& facts);
  bool add_join(SqlNode& node, const SqlFacts& facts);
  bool add_using(const json::Array& names);
  bool add_condition(const json::Value& on);
  bool add_key(std::size_t left, std::size_t right);
  // The columns of an equality, in ascending order.
  std::optional<plan::JoinKey> equality(const json::Value& expression) const;
  std::size_t table_of(std::size_t column) const;
  std::optional<std::size_t> table_named(std::string_view name) const;
  std::optional<std::size_t> named(std::string_view name) const;
  std::optional<std::size_t> named_in(std::size_t table, std::string_view name) const;

  std::vector<Joined> tables_;
  plan::Columns columns_;
  std::map<std::string, std::set<std::size_t>> merged_;  // By USING: names in lower case, and their tables.
  std::vector<plan::Condition> conditions_;              // Of inner joins, and of WHERE.
};

}  // namespace sluice::expression
