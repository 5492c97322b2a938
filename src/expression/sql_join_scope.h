#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/expression/join_count.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// A WITH table that is in scope: an entry of the tree's cte_map.
using WithTables = std::vector<const json::Value*>;

// A table, a subquery or a list of values in FROM.
struct JoinedTable {
  const json::Value* reference = nullptr;  // Its place in the tree.
  std::string visible;                     // How conditions name it, in lower case. Empty: they cannot.
  std::string name;                        // Of a table that the question reads; else empty.
  std::optional<std::vector<std::string>> columns;  // In lower case. Nullopt: not known here.
};

// Reads a reference in FROM that is no join.
JoinedTable joined_table(const json::Value& reference, const ColumnsByTable& tables, const WithTables& with);

// The tables of one FROM clause, and which of them an expression reads.
class JoinScope {
 public:
  // False: another table has its name.
  bool add(JoinedTable table);
  void merge(std::string column) { merged_.insert(std::move(column)); }

  const std::vector<JoinedTable>& tables() const { return tables_; }
  // Places of the tables that an expression reads. Nullopt: that cannot be said, or it reads something else.
  std::optional<std::set<std::size_t>> tables_of(const json::Value& expression) const;
  // The table that a reference to a column belongs to.
  std::optional<std::size_t> owner_of(const json::Value& reference) const;
  // The first table from `begin` on, before `end`, that surely has a column.
  std::optional<std::size_t> find_column(std::string_view column, std::size_t begin, std::size_t end) const;

 private:
  std::optional<std::size_t> find_table(std::string_view visible) const;
  std::optional<std::size_t> owner_of_column(const std::string& column) const;
  bool collect(const json::Value& value, std::set<std::size_t>& out) const;

  std::vector<JoinedTable> tables_;
  std::set<std::string> merged_;  // Columns of USING and NATURAL joins, which stand for the first of them.
};

}  // namespace sluice::expression
