#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/file_moves.h"
#include "sluice/records/name.h"

#include "state.h"

namespace sluice::records {

namespace {

constexpr std::uint64_t kSegmentBytes = std::uint64_t{4}
                                        << 20U;  // Beyond, the next part of the journal begins.

std::string select_all(const OverlayState& records) {
  bool is_ordered = false;
  const std::string relation = records.relation(is_ordered);
  std::string columns;
  for (const engine::Field& column : records.columns())
    columns += (columns.empty() ? "" : ", ") + engine::quote_name(column.name);
  return fmt::format("SELECT {} FROM {}{}", columns, relation,
                     is_ordered ? std::string() : fmt::format(" ORDER BY {}", kRowColumn));
}

}  // namespace

Status DataType::State::remove_leftovers() {
  SLUICE_TRY(const fs::Listing listing, dependencies_->root.list(journal_.folder()));
  for (const fs::Entry& entry : listing.entries) {
    if (entry.name.starts_with("next-"))
      SLUICE_CHECK(fs::remove_file(dependencies_->root, journal_path(entry.name)));
  }
  return {};
}

// Two files may differ in values that their footers do not show. What the journal knows a file by is its
// footer, so each has a mark of its own there.
Result<BaseFile> DataType::State::write_next(const std::string& file, const std::string& select,
                                             const engine::RunLimits& limits) {
  const std::string path = journal_path(file);
  const std::string target = engine::quote_text(dependencies_->folder + "/" + path);
  const auto written = dependencies_->engine->execute(
      {.sql = fmt::format(
           "COPY ({}) TO {} (FORMAT parquet, COMPRESSION snappy, KV_METADATA {{sluice_file: {}}})", select,
           target, engine::quote_text(new_id())),
       .parameters = {}},
      limits);
  if (!written.ok()) {
    SLUICE_CHECK(fs::remove_file(dependencies_->root, path));
    if (written.error().kind != ErrorKind::kUnavailable) return written.error();
    return storage_error(unavailable("write records: the disk refused: " + name_));
  }
  SLUICE_CHECK(fs::sync_file(dependencies_->root, path));
  return open_base(dependencies_->root, path, *dependencies_->engine, limits);
}

Status DataType::State::add_checkpoint(const Checkpoint& checkpoint) {
  const std::string json = to_json(checkpoint);
  if (place_.segment == 0) return journal_.begin_segment(place_, json);
  SLUICE_TRY(const std::uint64_t bytes, journal_.bytes_of(place_.segment));
  return bytes > kSegmentBytes ? journal_.begin_segment(place_, json) : journal_.append(place_, json);
}

// The new file, the line that says so, the move: a crash in between leaves one of two states, and the next
// holder of the lock completes it.
Status DataType::State::install(Checkpoint checkpoint, const engine::RunLimits& limits) {
  const MutexLock guard(mutex_);
  const std::string file = checkpoint.file;
  Status added = add_checkpoint(checkpoint);
  if (!added.ok()) {
    records_.reset();  // The line may be there or not; what is on disk tells.
    return added;
  }
  const Status moved = fs::move_file(dependencies_->root, journal_path(file), path_);
  const Status begun = begin_with(std::move(checkpoint), {}, limits);
  if (!begun.ok()) records_.reset();
  return moved.ok() ? begun : moved;
}

Status DataType::State::fold(const engine::RunLimits& limits) {
  if (!dependencies_->writable) return {};
  {
    const MutexLock guard(mutex_);
    SLUICE_CHECK(refresh(limits));
    if (records_->waiting() == 0 && !is_move_due()) return {};
  }
  const std::optional<MovableMutexLock> folding = MovableMutexLock::try_lock(folding_);
  if (!folding) return {};
  const Result<fs::FileLock> all =
      fs::FileLock::take(dependencies_->root, journal_path("fold.lock"), Monotonic::min());
  if (!all.ok()) return all.error().kind == ErrorKind::kDeadline ? Status() : Status(all.error());
  std::optional<OverlayState> at;
  {
    SLUICE_TRY(const Exclusive lock, this->lock(limits));
    SLUICE_CHECK(prepare(limits));
    SLUICE_CHECK(remove_leftovers());
    const MutexLock guard(mutex_);
    if (!records_ || records_->waiting() == 0) return {};
    at = *records_;
  }
  // Others go on writing while the file is written; what they change is carried over.
  const std::string file = fmt::format("next-{}.parquet", at->sequence());
  SLUICE_TRY(const BaseFile next, write_next(file, select_all(*at), limits));
  if (next.rows != at->rows())
    return internal_error("fold records: the new file has another number of rows: " + name_);
  SLUICE_TRY(const Exclusive lock, this->lock(limits));
  Checkpoint checkpoint;
  {
    const MutexLock guard(mutex_);
    SLUICE_CHECK(refresh(limits));
    if (records_->base().id != at->base().id) return fs::remove_file(dependencies_->root, journal_path(file));
    checkpoint = {.sequence = records_->sequence(), .base = next.id, .previous = at->base().id, .file = file};
    checkpoint.last_id = last_id_;
    SLUICE_TRY(checkpoint.renumbering, at->renumbering(limits));
    SLUICE_TRY(checkpoint.carried, records_->touched_after(at->sequence(), limits));
    for (CarriedRow& row : checkpoint.carried) row.row = checkpoint.renumbering->place_of(row.row);
    for (std::size_t i = at->columns().size(); i < records_->columns().size(); ++i) {
      const engine::Field& column = records_->columns()[i];
      checkpoint.new_columns.push_back({.name = column.name, .type = engine::sql_name(column.type)});
    }
  }
  return install(std::move(checkpoint), limits);
}

}  // namespace sluice::records
