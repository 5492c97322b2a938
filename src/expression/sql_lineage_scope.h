#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sluice/expression/lineage.h"

namespace sluice::expression {

// Columns of tables by the table's name in the question's SQL and their place in it.
using Origins = std::map<std::pair<std::string, std::size_t>, Derivation>;

void add_origins(const Origins& more, Origins& out);
// None of them is less than that.
Origins at_least(Origins origins, Derivation how);

// A column of a query or a table inside a statement. Names are in lower case.
struct LineageColumn {
  std::string name;
  Origins origins;
};
using LineageColumns = std::vector<LineageColumn>;

struct LineageTable {
  std::string name;
  LineageColumns columns;
  std::set<std::string> hidden;  // Columns that USING merges with those of a table before it.
  bool is_open = false;          // It may have more columns, all of them made of the first one's origins.

  const LineageColumn* find(const std::string& column) const;
  Origins all() const;
};

// What names mean inside one query.
struct LineageScope {
  const LineageScope* outer = nullptr;
  std::map<std::string, LineageColumns> with;
  std::vector<LineageTable> tables;
  std::map<std::string, Origins> aliases;
  std::set<std::string> parameters;  // Of lambdas.

  // What `column`, `table.column` or `column.member` is made of. Nullopt: it is not known.
  std::optional<Origins> find(const std::vector<std::string>& parts) const;
  const LineageColumns* find_with(const std::string& name) const;

 private:
  std::optional<Origins> find_here(const std::vector<std::string>& parts) const;
};

}  // namespace sluice::expression
