#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/engine.h"
#include "sluice/engine/type.h"

namespace sluice::records {

// A row's place in its data type: rows are in ascending order of it. Every view has it as a column beside its
// own.
inline constexpr std::string_view kRowColumn = "__sluice_row";

// The records of a data type at one moment: what a statement selects from. Later changes do not show in it.
struct View {
  std::string data_type;
  std::string relation;                       // What stands behind FROM; it has `columns` and kRowColumn.
  std::vector<engine::Parameter> parameters;  // Of the relation: $1, $2, ….
  bool is_ordered = false;             // Rows come in order by themselves; else ORDER BY kRowColumn gives it.
  std::vector<engine::Field> columns;  // Without kRowColumn.
  std::uint64_t rows = 0;
  std::int64_t version = 0;
  std::string file_digest;   // Of a file that the journal does not know: the version does not tell it apart.
  std::string id_column;     // "" where there is none.
  std::int64_t last_id = 0;  // The largest whole number that was an id and is none any more; 0: none.
  std::shared_ptr<const void> pin;  // Keeps the files of the relation open.
  std::shared_ptr<engine::Engine> engine;

  const engine::Field* find(std::string_view name) const;  // By its exact name.
};

}  // namespace sluice::records
