#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/records/operation.h"
#include "sluice/records/view.h"

#include "base_file.h"

namespace sluice::records {

// Where rows stand in a file that was written from a state, by where they stood in that state and its file.
struct Renumbering {
  double base_rows = 0;
  double next_row = 0;
  std::vector<double> gone;   // Rows of the file that were deleted, ascending.
  std::vector<double> added;  // Living rows that were not the file's, ascending.

  double place_of(double row) const;
};

// A row as a checkpoint carries it over to the next file: it changed while that file was being written.
struct CarriedRow {
  double row = 0;
  bool is_gone = false;
  std::string values;  // JSON; "" where it is gone.
};

// The first line of every part of a journal: which file the operations behind it apply to.
struct Checkpoint {
  std::int64_t sequence = 0;  // Of the last operation that it covers.
  BaseId base;
  BaseId previous;  // What the file was before, while `file` has not taken its place.
  std::string
      file;  // The name in the journal's folder under which the new file waits; "" where it is in place.
  std::vector<NewColumn> new_columns;  // Of carried rows, beside those of the file.
  std::vector<CarriedRow> carried;
  std::optional<Renumbering> renumbering;  // Where the file was written from the operations before.
  std::string operation;     // Where the file holds an operation of its own (a restored state): its JSON.
  std::int64_t last_id = 0;  // The largest number that was an id of a record which is gone.
};
std::string to_json(const Checkpoint& checkpoint);
Result<Checkpoint> checkpoint_of(std::string_view json);
bool is_checkpoint(std::string_view json);
// The operation of a journal's line; nothing where the line only says which file is meant.
Result<std::optional<Operation>> operation_in(std::string_view line, std::size_t rows_max = SIZE_MAX);

// A table of the engine that goes when nobody uses it any more.
class OverlayTable {
 public:
  static Result<std::shared_ptr<OverlayTable>> create(std::shared_ptr<engine::Engine> engine,
                                                      const std::string& as_sql);
  ~OverlayTable();
  OverlayTable(const OverlayTable&) = delete;
  OverlayTable& operator=(const OverlayTable&) = delete;
  const std::string& name() const { return name_; }

 private:
  OverlayTable(std::shared_ptr<engine::Engine> engine, std::string name)
      : engine_(std::move(engine)), name_(std::move(name)) {}
  std::shared_ptr<engine::Engine> engine_;  // Shared: the table is in it.
  std::string name_;
};

// A Parquet file and the operations that are not in it yet, which stand in a table of the engine: every
// version of a row that they touched, with the sequence number of its operation. So a view of any moment
// stays as it was.
class OverlayState {
 public:
  OverlayState(std::shared_ptr<engine::Engine> engine, std::shared_ptr<const BaseFile> base,
               std::int64_t sequence);
  // The same file under another sequence number, without operations.
  OverlayState(const OverlayState& other, std::int64_t sequence)
      : OverlayState(other.engine_, other.base_, sequence) {}

  // Keeps the file's rows in memory from here on: pages of it are then read in a fraction of the time.
  Status keep_in_memory(const engine::RunLimits& limits);
  bool is_in_memory() const { return kept_ != nullptr; }

  Status carry(const Checkpoint& checkpoint, const engine::RunLimits& limits);
  Status apply(const Operation& operation, const engine::RunLimits& limits);

  // Undoes an apply on a copy of this: rows of operations that this does not have go from the table.
  Status forget_later() const;

  const BaseFile& base() const { return *base_; }
  const std::vector<engine::Field>& columns() const { return columns_; }
  std::int64_t sequence() const { return sequence_; }
  std::uint64_t rows() const { return rows_; }
  double next_row() const { return next_row_; }
  std::uint64_t waiting() const {
    return waiting_;
  }  // Operations that are not in the file, carried rows included.
  std::vector<NewColumn> new_columns() const;

  // What a statement selects from, as of now. `is_ordered`: rows come in order by themselves.
  std::string relation(bool& is_ordered) const;
  std::shared_ptr<const void> pin() const;

  Result<Renumbering> renumbering(const engine::RunLimits& limits) const;

  // The latest versions of the rows that operations after `sequence` touched.
  Result<std::vector<CarriedRow>> touched_after(std::int64_t sequence, const engine::RunLimits& limits) const;

 private:
  Status add_columns(const std::vector<NewColumn>& columns, const engine::RunLimits& limits);
  Status need_table(const engine::RunLimits& limits);
  // `used`: the columns that rows name, or empty where that is not known.
  Status insert(std::int64_t sequence, std::vector<std::string> rows, const std::vector<std::string>& used,
                const engine::RunLimits& limits);
  Status insert_gone(std::int64_t sequence, std::vector<std::string> rows, const engine::RunLimits& limits);
  std::string from_file() const;
  std::string latest(std::string_view columns) const;
  std::string column_list(std::string_view prefix) const;

  std::shared_ptr<engine::Engine> engine_;
  std::shared_ptr<const BaseFile> base_;
  std::vector<engine::Field> columns_;  // The file's, then new ones.
  std::shared_ptr<OverlayTable> table_;
  std::shared_ptr<OverlayTable> kept_;  // The file's rows, where they are kept.
  std::int64_t sequence_;
  std::uint64_t rows_;
  double next_row_;
  std::uint64_t waiting_ = 0;
  bool only_added_ = true;  // Behind the file's rows, and nothing else happened.
};

}  // namespace sluice::records
