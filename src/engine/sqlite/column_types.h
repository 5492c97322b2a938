#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/database.h"

#include "session.h"

namespace sluice::engine::sqlite {

// What a sample of a column's values was.
struct Seen {
  bool text = false;
  bool blob = false;
  bool real = false;
  bool integer = false;
  bool large = false;  // Integers that a double does not hold.
  bool other = false;  // Integers besides 0 and 1.
};

// The type of a column by its declared type and by what was seen in it. Declared types bind nobody in
// SQLite, so what was seen decides where they differ.
Type type_of_column(std::string_view declared, const Seen& seen);

// Whether SQLite makes text of every number that is written to a column declared so.
bool keeps_text_only(std::string_view declared);

// Looks at some rows of the table, for a short time. What was not seen in time stays unseen.
Result<std::vector<Seen>> sample_columns(Session& session, const TableLayout& layout,
                                         const RunLimits& limits);

}  // namespace sluice::engine::sqlite
