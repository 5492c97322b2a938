#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/expression/question.h"
#include "sluice/json/value.h"

#include "sql_function.h"
#include "sql_growth.h"
#include "sql_node.h"
#include "sql_place.h"
#include "sql_scan_filters.h"
#include "sql_shape.h"
#include "sql_tree.h"

namespace sluice::expression {

// The check of one statement. Recursion is bounded by the depth of the tree, which its reader bounds.
class SqlTreeCheck {
 public:
  SqlTreeCheck(SqlTables& tables, SqlScanFilters filters) : tables_(tables), filters_(std::move(filters)) {}

  Result<SqlFacts> check(const json::Value& serialized);
  // Where the innermost part begins that the check has refused.
  const SqlPlace& refused_at() const { return refused_at_; }

 private:
  struct Relation {  // What a query or a table gives.
    std::uint64_t width = 0;
    Growth growth;  // Of its longest column.
    Cost cost;
    std::uint64_t rows = 1;  // At most so many times the rows of the tables that it reads, without joins.
    ColumnShapes shapes;
  };
  struct Item {  // An expression.
    Cost cost;
    Growth growth;
    Shape shape;

    void include(const Item& other) {  // As an argument: the cost of both, and the size of the larger.
      cost += other.cost;
      growth = growth.larger(other.growth);
      shape = shape | other.shape;
    }
  };
  // What names mean inside one query. Names are in lower case, as the engine does not tell them apart.
  struct Scope {
    const Scope* outer = nullptr;
    std::map<std::string, Relation> with;
    std::vector<std::string> relations;
    std::set<std::string> self_named;  // Relations with a column of their own name, which such a name means.
    std::uint64_t width = 0;
    Growth growth;
    std::uint64_t rows = 1;           // As Relation::rows, of what stands in FROM.
    std::uint64_t grouping_sets = 1;  // Each has groups of its own, and each group keeps its values.
    std::map<std::string, Item> aliases;
    bool has_aggregate = false;
    std::set<std::string> columns;  // Of the tables that it reads directly.
    ColumnShapes shapes;
    std::set<std::string> parameters;  // Of a lambda.
    bool has_nested_elements = true;   // The parameters may be lists themselves.
    bool uses_columns = false;         // In a lambda: other names than its parameters.
    bool repeats_rows = false;         // By a join, unnest or a query around it.
    bool has_unnest = false;           // In its SELECT.
    Shape used;                        // Of columns of FROM, where the value is copied.
  };

  // Queries: sql_tree.cc.
  Result<Relation> query(const json::Value* node, const Scope* outer, SqlFacts* facts = nullptr);
  Result<Relation> select(SqlNode& node, Scope& scope, SqlFacts* facts);
  Result<Relation> set_operation(SqlNode& node, Scope& scope);
  Result<Relation> nested(const json::Value* statement, const Scope* outer);
  Result<Cost> with(SqlNode& node, Scope& scope);
  Result<Cost> select_list(SqlNode& node, Scope& scope, Relation& out);
  Result<Cost> grouping(SqlNode& node, Scope& scope);
  Result<Cost> modifiers(SqlNode& node, Scope& scope, SqlFacts* facts);
  Result<Cost> modifier(const json::Value& value, Scope& scope, SqlFacts* facts);
  // What a key of ORDER BY means if it is an alias of the SELECT; null: something else.
  static const Item* ordered_alias(const json::Value* key, const Scope& scope);
  Result<Cost> orders(const json::Array& items, Scope& scope);

  // Tables: sql_tree_table.cc.
  Result<Cost> table(const json::Value* value, Scope& scope);
  Result<Cost> table_of(const json::Value* value, Scope& scope);
  Result<Cost> base_table(SqlNode& node, Scope& scope);
  Result<Cost> join(SqlNode& node, Scope& scope);
  Result<Cost> values(SqlNode& node, Scope& scope);
  Result<Cost> table_function(SqlNode& node, Scope& scope);
  Result<Cost> pivot(SqlNode& node, Scope& scope);
  Result<Cost> pivot_columns(const json::Value& value, Scope& scope, std::uint64_t& width);
  void enter(Scope& scope, std::string_view name, const Relation& relation);

  // Expressions: sql_tree_expression.cc.
  Result<Item> expression(const json::Value* value, Scope& scope);
  Result<Item> expression_of(const json::Value* value, Scope& scope);
  Result<Item> optional(const json::Value* value, Scope& scope);
  Result<Item> all(const json::Array& values, Scope& scope);
  Result<Item> members(SqlNode& node, Scope& scope, std::initializer_list<std::string_view> keys);
  Result<Item> column(SqlNode& node, Scope& scope);
  Result<Item> star(SqlNode& node, Scope& scope, std::uint64_t& width);
  Result<Item> constant(SqlNode& node);
  Result<Item> case_of(SqlNode& node, Scope& scope);
  Result<Item> cast(SqlNode& node, Scope& scope);
  Result<Item> collate(SqlNode& node, Scope& scope);
  Result<Item> operation(SqlNode& node, Scope& scope);
  Result<Item> subquery(SqlNode& node, Scope& scope);

  // Functions: sql_tree_function.cc.
  Result<Item> function(SqlNode& node, Scope& scope);
  Result<Item> window(SqlNode& node, Scope& scope);
  Result<const SqlFunction*> named_function(SqlNode& node, std::size_t arguments);
  Result<Item> call(const SqlFunction& function, const json::Array& arguments, Scope& scope);
  void note(const SqlFunction& function, Item& out, Scope& scope);
  Result<Item> arrow(SqlNode& node, Scope& scope);
  Result<Item> lambda(const json::Value& value, const Shape& list, Scope& scope, FunctionKind kind);

  void refuse_at(const json::Value* value);

  // Whether a column surely belongs to the query that names it, and not to one around it.
  bool is_local(const json::Array& column, const Scope& scope) const;

  SqlTables& tables_;
  const SqlScanFilters filters_;
  std::map<const json::Object*, const SqlTables::Table*> found_;
  std::set<std::string> names_;  // Of the columns of all tables that were found, in lower case.
  bool has_join_ = false;        // Or a correlated subquery, which is run as one.
  bool has_holistic_ = false;
  SqlPlace refused_at_;
};

template <std::size_t kSize>
bool is_one_of(std::string_view word, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Fails if a value of the tree is not one text, number, date or boolean.
Status check_constant(const json::Value* value);
// The text of a constant of the tree, or null where it is something else.
const std::string* constant_text(const json::Value& expression);

}  // namespace sluice::expression
