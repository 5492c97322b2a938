#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/database.h"
#include "sluice/plan/fragment.h"
#include "sluice/plan/overload.h"

namespace sluice::plan {

// A column of a table, as the database and as callers know it.
struct DatabaseColumn {
  const engine::TableColumn* theirs = nullptr;
  const engine::Field* ours = nullptr;
  std::string_view alias;  // Of its table; empty: the statement reads one table only.

  Support support(Function function, engine::Dialect dialect) const {
    return plan::support(function, class_of(*theirs, dialect), dialect);
  }
  // The column itself, whatever kind of value it holds.
  std::string reference() const {
    if (theirs->name.empty()) return theirs->select;  // Computed.
    return (alias.empty() ? "" : std::string(alias) + ".") + engine::quote_name(theirs->name);
  }
};

// Prints conditions in the dialect of a database.
class DatabaseConditions {
 public:
  // Values are added to `parameters`. What is given must outlive it.
  DatabaseConditions(const Target& target, std::vector<engine::Parameter>& parameters)
      : target_(target), parameters_(parameters) {}

  // A condition that keeps exactly the rows that the engine would keep. Nullopt if the database evaluates it
  // differently; then no value was added.
  std::optional<std::string> print(const Condition& condition);

  DatabaseColumn column(std::size_t position) const {
    return {.theirs = &target_.layout.columns[position],
            .ours = &target_.columns[position],
            .alias = target_.aliases == nullptr ? std::string_view() : (*target_.aliases)[position]};
  }

 private:
  std::optional<std::string> print_all(const Condition& condition);

  const Target& target_;
  std::vector<engine::Parameter>& parameters_;
};

// The column as text is compared and ordered: byte by byte, whatever collation it was declared with.
std::string by_bytes(const DatabaseColumn& column, engine::Dialect dialect);

}  // namespace sluice::plan
