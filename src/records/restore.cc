#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/file_moves.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "number_ids.h"
#include "state.h"

namespace sluice::records {

namespace {

// One way to the records of a moment: a file, and the operations behind it.
struct Way {
  Checkpoint checkpoint;
  std::vector<Operation> operations;
  std::string snapshot;  // Of the checkpoint's file; "" where nothing was changed in it yet.

  // The checkpoint only wrote what was there before into a new file: who has the old one comes to the same
  // records.
  bool has_older(std::int64_t sequence) const {
    return checkpoint.renumbering && checkpoint.sequence == sequence;
  }
};

// The ways that a part of the journal knows, the shortest first.
Result<std::vector<Way>> ways_to(const std::vector<std::string>& lines, std::int64_t sequence) {
  std::vector<Way> out;
  for (const std::string& line : lines) {
    if (is_checkpoint(line)) {
      Way way;
      SLUICE_TRY(way.checkpoint, checkpoint_of(line));
      if (!way.checkpoint.operation.empty() && !out.empty()) {
        SLUICE_TRY(const Operation restoring, operation_of(way.checkpoint.operation));
        if (!restoring.snapshot.empty()) out.back().snapshot = restoring.snapshot;
      }
      if (way.checkpoint.sequence > sequence) break;
      if (!way.has_older(sequence)) out.clear();
      out.push_back(std::move(way));
      continue;
    }
    if (out.empty()) break;
    SLUICE_TRY(Operation operation, operation_of(line));
    out.back().snapshot = operation.snapshot;
    if (operation.sequence > sequence) break;
    out.back().operations.push_back(std::move(operation));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// Both kinds of lines begin with what they are and their sequence number.
std::int64_t sequence_in(std::string_view line) {
  constexpr std::string_view kKey = "\"sequence\":";
  const std::size_t at = line.find(kKey);
  std::int64_t out = 0;
  if (at == std::string_view::npos) return out;
  std::from_chars(line.data() + at + kKey.size(), line.data() + line.size(), out);
  return out;
}

}  // namespace

// The records as they were after the operation with this sequence number.
Result<OverlayState> DataType::State::state_after(std::int64_t sequence, const engine::RunLimits& limits) {
  SLUICE_TRY(std::vector<std::uint64_t> segments, journal_.segments());
  std::reverse(segments.begin(), segments.end());
  for (const std::uint64_t segment : segments) {
    JournalPlace place{.segment = segment, .offset = 0, .last = 0, .mark = {}};
    SLUICE_TRY(const std::vector<std::string> lines, journal_.read_on(place));
    SLUICE_TRY(const std::vector<Way> ways, ways_to(lines, sequence));
    for (const Way& way : ways) {
      // The third: a fold was cut short, and its file still waits.
      const std::string& waiting = way.checkpoint.file;
      for (const std::string& path :
           {way.snapshot, path_, waiting.empty() ? waiting : journal_path(waiting)}) {
        if (path.empty()) continue;
        Result<BaseFile> base = open_base(dependencies_->root, path, *dependencies_->engine, limits);
        if (!base.ok() || base->id != way.checkpoint.base) continue;
        OverlayState out(dependencies_->engine, std::make_shared<const BaseFile>(*std::move(base)),
                         way.checkpoint.sequence);
        SLUICE_CHECK(out.carry(way.checkpoint, limits));
        for (const Operation& operation : way.operations) SLUICE_CHECK(out.apply(operation, limits));
        return out;
      }
    }
    if (!ways.empty() && !ways.back().has_older(sequence))
      break;  // Else it lies before this part of the journal.
  }
  return not_found(fmt::format("restore {}: there is no snapshot of that moment any more", name_))
      .with_code("snapshot_not_found")
      .with_hint("Snapshots are kept for a while only; read_audit_log shows what happened since.");
}

Result<std::int64_t> DataType::State::last_version() const {
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal_.segments());
  if (segments.empty()) return 0;
  std::int64_t last = 0;
  Status failed;
  SLUICE_CHECK(journal_.read_back(segments.back(), [&](std::string_view line) {
    if (is_checkpoint(line)) {
      const Result<Checkpoint> checkpoint = checkpoint_of(line);
      if (checkpoint.ok()) last = checkpoint->sequence;
      if (!checkpoint.ok()) failed = checkpoint.error();
    } else {
      const Result<Operation> operation = operation_of(line);
      if (operation.ok()) last = operation->sequence;
      if (!operation.ok()) failed = operation.error();
    }
    return false;
  }));
  if (!failed.ok()) return failed.error();
  return last;
}

// The file of another program stands in the way: it is kept, and `previous` of what follows.
Status DataType::State::keep_foreign() {
  SLUICE_TRY(const std::int64_t last, last_version());
  if (!dependencies_->root.stat(path_).ok()) return {};
  SLUICE_TRY(const std::string kept, make_snapshot(last));
  log::warning("records.replaced", {{"data_type", name_}, {"kept_as", kept}});
  return {};
}

Result<std::optional<std::string>> DataType::State::schema_at(std::int64_t sequence) const {
  SLUICE_TRY(std::vector<std::uint64_t> segments, journal_.segments());
  std::optional<std::string> found;  // What the oldest change behind that moment found.
  Status failed;
  bool is_reached = false;
  const auto visit = [&](std::string_view line) {
    is_reached = sequence_in(line) <= sequence;
    if (is_reached || line.find("\"schema_after\":") == std::string_view::npos) return !is_reached;
    Result<std::optional<Operation>> operation = operation_in(line, 0);
    if (!operation.ok()) failed = operation.error();
    if (operation.ok() && *operation && !(*operation)->schema_after.empty())
      found = std::move((*operation)->schema_before);
    return failed.ok();
  };
  for (auto segment = segments.rbegin(); segment != segments.rend() && !is_reached; ++segment) {
    SLUICE_CHECK(journal_.read_back(*segment, visit));
    if (!failed.ok()) return failed.error();
  }
  return found;
}

// Makes the schema file a part of a restored state, unless the operation has one of its own. A file that is
// no schema is left as it is.
Status DataType::State::restore_schema(std::int64_t sequence, Operation& operation) const {
  if (!operation.schema_after.empty()) return {};
  SLUICE_TRY(std::optional<std::string> then, schema_at(sequence));
  Result<std::string> now = schema_text(dependencies_->root, name_);
  if (!then || !now.ok() || *then == *now) return {};
  operation.schema_before = *std::move(now);
  operation.schema_after = *std::move(then);
  return {};
}

// The largest id that a restored state may leave behind, with those that were gone before.
Result<std::int64_t> DataType::State::last_id_before_restore(const engine::RunLimits& limits) const {
  const engine::Field* column = id_field();
  if (column == nullptr || !engine::is_number(column->type.id)) return last_id_;
  const Result<std::int64_t> largest = largest_id(current_view(), *column, limits);
  if (largest.ok()) return std::max(last_id_, *largest);
  if (largest.error().code != "id_needed") return largest.error();
  return last_id_;  // It has more than 64 bits: no id can be made from it anyway.
}

Result<Operation> DataType::State::restore(std::int64_t sequence, Operation operation,
                                           const engine::RunLimits& limits,
                                           std::optional<std::int64_t> expected_version) {
  SLUICE_TRY(const Exclusive lock, this->lock(limits));
  const Status prepared = prepare(limits);
  const bool is_replaced = !prepared.ok() && (prepared.error().code == "file_replaced" ||
                                              prepared.error().code == "unreadable_file");
  if (!prepared.ok() && !is_replaced) return prepared.error();
  SLUICE_TRY(const std::int64_t last, last_version());
  if (expected_version && *expected_version != last) return version_conflict(*expected_version, last);
  // While the file is another's, one that waits beside the journal may be the only one with our records.
  if (!is_replaced) SLUICE_CHECK(remove_leftovers());
  SLUICE_TRY(const OverlayState wanted, state_after(sequence, limits));
  bool is_ordered = false;
  const std::string relation = wanted.relation(is_ordered);
  const std::string select =
      fmt::format("SELECT * EXCLUDE ({0}) FROM {1} ORDER BY {0}", kRowColumn, relation);
  const std::string file = fmt::format("next-restored-{}-{}.parquet", sequence, new_id());
  SLUICE_TRY(const BaseFile next, write_next(file, select, limits));
  if (next.rows != wanted.rows()) return internal_error("restore records: another number of rows: " + name_);
  operation.sequence = last + 1;
  operation.time = now_text();
  SLUICE_CHECK(restore_schema(sequence, operation));
  Checkpoint checkpoint{.sequence = operation.sequence, .base = next.id, .previous = {}, .file = file};
  if (is_replaced) {
    SLUICE_CHECK(keep_foreign());
    const MutexLock guard(mutex_);
    checkpoint.last_id = last_id_;
    const Result<BaseFile> foreign = open_base(dependencies_->root, path_, *dependencies_->engine, limits);
    if (foreign.ok()) checkpoint.previous = foreign->id;
  } else {
    const MutexLock guard(mutex_);
    if (!records_) SLUICE_CHECK(refresh(limits));
    SLUICE_TRY(operation.snapshot, need_snapshot());
    checkpoint.previous = records_->base().id;
    SLUICE_TRY(checkpoint.last_id, last_id_before_restore(limits));
  }
  checkpoint.operation = to_json(operation);
  SLUICE_CHECK(install(std::move(checkpoint), limits));
  if (!operation.schema_after.empty()) {
    SLUICE_CHECK(apply_schema(operation));
    const MutexLock guard(mutex_);
    schema_change_.reset();
  }
  if (dependencies_->on_commit) dependencies_->on_commit(name_, operation.sequence);
  return operation;
}

Error not_replaced() {
  return conflict("accept the file: no other program has replaced it")
      .with_code("not_replaced")
      .with_hint("Give version, time or audit_id instead.");
}

Result<Operation> DataType::State::accept_file(Operation operation, const engine::RunLimits& limits,
                                               std::optional<std::int64_t> expected_version) {
  SLUICE_TRY(const Exclusive lock, this->lock(limits));
  const Status prepared = prepare(limits);
  if (prepared.ok() || prepared.error().code != "file_replaced") {
    return prepared.ok() ? not_replaced() : prepared.error();
  }
  SLUICE_TRY(const BaseFile found, open_base(dependencies_->root, path_, *dependencies_->engine, limits));
  SLUICE_TRY(const std::int64_t last, last_version());
  if (expected_version && *expected_version != last) return version_conflict(*expected_version, last);
  operation.sequence = last + 1;
  operation.time = now_text();
  Checkpoint checkpoint{.sequence = operation.sequence, .base = found.id, .previous = {}, .file = {}};
  checkpoint.operation = to_json(operation);
  const MutexLock guard(mutex_);
  checkpoint.last_id = last_id_;
  JournalPlace end;
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal_.segments());
  end.segment = segments.back();
  SLUICE_CHECK(journal_.read_on(end));
  SLUICE_CHECK(journal_.append(end, to_json(checkpoint)));
  records_.reset();
  SLUICE_CHECK(reload(limits));
  if (dependencies_->on_commit) dependencies_->on_commit(name_, operation.sequence);
  return operation;
}

}  // namespace sluice::records
