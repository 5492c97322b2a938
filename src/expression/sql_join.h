#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "sluice/json/value.h"

#include "sql_join_scope.h"

namespace sluice::expression {

// The joins of one FROM clause as a tree of tables: each table but the first is joined to one that stands
// before it, by equalities that compare a value of each.
class JoinTree {
 public:
  struct Key {
    const json::Value* parent = nullptr;  // An expression over the parent,
    const json::Value* own = nullptr;     // and one over the table.
    bool is_null_safe = false;
  };
  struct Node {
    std::size_t table = 0;   // In scope().tables().
    std::size_t parent = 0;  // In nodes(). Of no meaning for the first.
    std::vector<Key> keys;
    std::vector<const json::Value*> filters;  // Conditions over the table alone.
    bool keeps_unmatched = false;             // A left join.
  };

  // Nullopt: FROM has a single table, or joins of other kinds than inner, cross, left and right.
  static std::optional<JoinTree> read(const json::Value& from, const json::Value* where,
                                      const ColumnsByTable& tables, const WithTables& with);

  const JoinScope& scope() const { return scope_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  bool is_exact() const { return is_exact_; }  // Whether every condition is a key or a filter.

 private:
  using Conditions = std::vector<const json::Value*>;
  struct Joined {  // What is known of a table of the scope while conditions are read.
    bool keeps_unmatched = false;
    Conditions on;  // Of its left join.
    Conditions filters;
    std::vector<Key> keys;  // Of a left join.
    std::optional<std::size_t> parent;
  };
  struct Equality {  // Between two tables of inner joins.
    std::size_t left = 0;
    std::size_t right = 0;
    const json::Value* left_value = nullptr;
    const json::Value* right_value = nullptr;
    bool is_null_safe = false;
    bool is_used = false;
  };

  bool flatten(const json::Value& reference, const ColumnsByTable& tables, const WithTables& with);
  bool flatten_join(const json::Value& join, const ColumnsByTable& tables, const WithTables& with);
  bool merge_columns(const json::Value& join, std::size_t left, std::size_t right, Conditions& out);
  std::vector<std::string> merged_names(const json::Value& join, std::size_t left, std::size_t right) const;
  const json::Value* equality_of(std::size_t left, std::size_t right, const std::string& column);
  void promote();
  bool rejects_nulls(const json::Value& condition, std::size_t table) const;
  bool is_column_of(const json::Value* value, std::size_t table) const;
  std::optional<Equality> equality(const json::Value& condition) const;
  void place(const json::Value& condition);
  void place_left(const json::Value& condition, std::size_t table);
  void grow();
  void attach(std::size_t table, std::size_t parent);
  void attach_left();

  JoinScope scope_;
  std::deque<json::Value> made_;  // Equalities of USING and NATURAL.
  std::vector<Joined> joined_;    // By table.
  Conditions conditions_;         // Of WHERE and of inner joins.
  std::vector<Equality> equalities_;
  std::vector<std::optional<std::size_t>> places_;  // Of tables in nodes_.
  std::vector<Node> nodes_;
  bool is_exact_ = true;
};

}  // namespace sluice::expression
