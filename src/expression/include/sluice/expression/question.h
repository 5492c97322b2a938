#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/engine/sql.h"
#include "sluice/engine/type.h"
#include "sluice/expression/knobs.h"

namespace sluice::expression {

// The columns that a question may name, in the order of the file.
using Columns = std::vector<engine::Field>;

// A validated question: one SELECT over the relation `data`, whatever way it was asked. Every value of the
// caller is a parameter. `sql` is made by this program from what was checked, never from the caller's text.
struct Question {
  std::string sql;  // Placeholders $1, $2, … stand for `parameters`.
  std::vector<engine::Parameter> parameters;
  std::vector<std::string> warnings;  // What the caller should know about the answer.
  // Sums, averages and medians over columns of the data itself, whose rows are neither grouped nor made
  // distinct before.
  std::vector<Aggregate> totals;
  std::optional<std::uint64_t> rows_max;  // Proven by a limit or a total, whatever the data holds.
  // Rows before `offset` and behind `limit` are not part of the answer; `sql` does not know of them.
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;
  // Values that medians and quantiles keep in memory for each row of the data, which the engine does not
  // count.
  std::uint64_t kept_values = 0;
  bool is_grouped = false;  // Rows are groups of rows.
  bool is_lossy = false;    // Rows of the data are dropped that a reader of the answer cannot know of.
  bool keeps_rows = false;  // Without limit and offset, the answer has as many rows as the data.
  // The same question before it became SQL, where it was asked so: a source with a language of its own can be
  // asked in that. It is the same only as long as `sql` is that SQL. Shared by the copies of the question.
  struct Asked {
    Knobs knobs;  // Their limit and offset are those of the question.
    std::string sql;
  };
  std::shared_ptr<const Asked> asked;
};

}  // namespace sluice::expression
