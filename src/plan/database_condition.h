#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/plan/condition.h"
#include "sluice/plan/overload.h"

namespace sluice::plan {

// A column of a table, as the database and as callers know it.
struct DatabaseColumn {
  const engine::TableColumn* theirs = nullptr;
  const engine::Field* ours = nullptr;

  Support support(Function function, engine::Dialect dialect) const {
    return plan::support(function, class_of(*theirs, dialect), dialect);
  }
};

// Prints conditions in the dialect of a database.
class DatabaseConditions {
 public:
  // Values are added to `parameters`. What is given must outlive it.
  DatabaseConditions(const engine::TableLayout& layout, const Columns& columns, engine::Dialect dialect,
                     std::vector<engine::Parameter>& parameters)
      : layout_(layout), columns_(columns), dialect_(dialect), parameters_(parameters) {}

  // A condition that keeps exactly the rows that the engine would keep. Nullopt if the database evaluates it
  // differently; then no value was added.
  std::optional<std::string> print(const Condition& condition);

  DatabaseColumn column(std::size_t position) const {
    return {.theirs = &layout_.columns[position], .ours = &columns_[position]};
  }

 private:
  std::optional<std::string> print_all(const Condition& condition);

  const engine::TableLayout& layout_;
  const Columns& columns_;
  const engine::Dialect dialect_;
  std::vector<engine::Parameter>& parameters_;
};

// The column as text is compared and ordered: byte by byte, whatever collation it was declared with.
std::string by_bytes(const DatabaseColumn& column, engine::Dialect dialect);

}  // namespace sluice::plan
