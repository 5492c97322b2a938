#include "sluice/records/data_type.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/fs/file_moves.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"
#include "sluice/records/value.h"

#include "number_ids.h"
#include "state.h"

namespace sluice::records {

Result<DataType::State::Exclusive> DataType::State::lock(const engine::RunLimits& limits) {
  if (!dependencies_->writable) {
    return forbidden("change records: the store is read-only")
        .with_code("read_only")
        .with_hint("The operator allows changes with `records: { writable: true }`.");
  }
  MovableMutexLock mine(writing_);
  for (const std::string& folder : {std::string("_journal"), journal_.folder()}) {
    if (const Status made = fs::make_folder(dependencies_->root, folder); !made.ok())
      return storage_error(made.error());
  }
  SLUICE_TRY(fs::FileLock all, fs::FileLock::take(dependencies_->root, journal_path("write.lock"),
                                                  limits.deadline, limits.stop));
  return Exclusive{.mine = std::move(mine), .all = std::move(all)};
}

bool DataType::State::is_move_due() const {
  return !checkpoint_.file.empty() && !is_adopted_ && seen_.identity != records_->base().status.identity;
}

// A fold was cut short between its line and the move of its file.
Status DataType::State::finish_move(const engine::RunLimits& limits) {
  if (!is_move_due()) return {};
  Result<BaseFile> there = open_base(dependencies_->root, path_, *dependencies_->engine, limits);
  if (there.ok() && there->id == checkpoint_.base) return {};
  if (there.ok() && there->id != checkpoint_.previous) return replaced();
  if (const Status moved = fs::move_file(dependencies_->root, journal_path(checkpoint_.file), path_);
      !moved.ok())
    return storage_error(moved.error());
  seen_ = records_->base().status;
  return {};
}

Status DataType::State::prepare(const engine::RunLimits& limits, Intent intent) {
  const MutexLock guard(mutex_);
  SLUICE_CHECK(refresh(limits));
  SLUICE_CHECK(finish_move(limits));
  if (!is_rewritable_) {
    for (const engine::Field& column : records_->columns()) {
      if (is_storable(column.type)) continue;
      return unsupported("change records: the file has a column of a type that can only be read: " +
                         column.name)
          .with_code("unsupported_columns")
          .with_hint("Rewrite the file with plain Parquet types to change its records.");
    }
    const std::string trial = journal_path("trial.parquet");
    const Status checked = check_rewritable(records_->base(), *dependencies_->engine,
                                            dependencies_->folder + "/" + trial, limits);
    const Status removed = fs::remove_file(dependencies_->root, trial);
    if (!checked.ok() || !removed.ok())
      return checked.ok() ? storage_error(removed.error()) : checked.error();
    is_rewritable_ = true;
  }
  if (intent == Intent::kPreview) return {};
  SLUICE_CHECK(redo_schema());
  if (place_.segment > 0 && !is_adopted_) return {};
  Checkpoint first;
  first.sequence = place_.segment == 0 ? 0 : records_->sequence() + 1;
  first.base = records_->base().id;
  first.last_id = last_id_;
  if (const Status added = add_checkpoint(first); !added.ok()) return storage_error(added.error());
  const bool is_rewritable = is_rewritable_;
  *records_ = OverlayState(*records_, first.sequence);
  is_adopted_ = false;
  is_rewritable_ = is_rewritable;
  checkpoint_ = std::move(first);
  return {};
}

// Null where there is no id column.
const engine::Field* DataType::State::id_field() const {
  const std::vector<engine::Field>& columns = records_->columns();
  const std::string name = id_column_of(name_, columns);
  const auto field = std::find_if(columns.begin(), columns.end(),
                                  [&](const engine::Field& column) { return column.name == name; });
  return field == columns.end() ? nullptr : &*field;
}

Result<std::string> DataType::State::need_snapshot() {
  return snapshot_.empty() ? make_snapshot(records_->sequence()) : Result<std::string>(snapshot_);
}

Result<std::string> DataType::State::make_snapshot(std::int64_t sequence) const {
  SLUICE_CHECK(fs::make_folder(dependencies_->root, "snapshots"));
  const std::time_t now = std::chrono::system_clock::to_time_t(system_clock().wall());
  std::string name = fmt::format("snapshots/{}-{:%Y-%m-%d-%H%M%S}-{:06}", name_, fmt::gmtime(now), sequence);
  Status made = fs::snapshot_file(dependencies_->root, path_, name + ".parquet");
  if (!made.ok() && made.error().kind == ErrorKind::kConflict) {
    name += "-" + new_id();
    made = fs::snapshot_file(dependencies_->root, path_, name + ".parquet");
  }
  if (!made.ok()) return made.error();
  return name + ".parquet";
}

Result<Operation> DataType::State::commit(Operation operation, const engine::RunLimits& limits) {
  {
    const MutexLock guard(mutex_);
    if (!records_) SLUICE_CHECK(refresh(limits));
    operation.sequence = records_->sequence() + 1;
    operation.time = now_text();
    operation.last_id = removed_id(operation, id_field());
    Result<std::string> snapshot = need_snapshot();
    if (!snapshot.ok()) return storage_error(std::move(snapshot).error());
    operation.snapshot = *std::move(snapshot);
    // The overlay takes it first: what it cannot take never gets into the journal, where it would stay for
    // good.
    OverlayState after = *records_;
    const Status applied = after.apply(operation, limits);
    const Status added = applied.ok() ? journal_.append(place_, to_json(operation)) : applied;
    if (!added.ok()) {
      if (!records_->forget_later().ok()) records_.reset();
      return applied.ok() ? storage_error(added.error()) : applied.error();
    }
    snapshot_ = operation.snapshot;
    last_id_ = std::max(last_id_, operation.last_id);
    *records_ = std::move(after);
  }
  if (!operation.schema_after.empty()) SLUICE_CHECK(apply_schema(operation));
  if (dependencies_->on_commit) dependencies_->on_commit(name_, operation.sequence);
  return operation;
}

// The journal has the change already: should this fail, the next holder of the lock repeats it.
Status DataType::State::apply_schema(const Operation& operation) const {
  if (operation.schema_after == "null") return remove_schema_file(dependencies_->root, name_);
  SLUICE_TRY(const json::Value content, json::read(operation.schema_after, kJournalLimits));
  const json::Object* object = content.if_object();
  if (object == nullptr) return internal_error("change schema file: its content is no object: " + name_);
  return write_schema_file(dependencies_->root, name_, *object);
}

// A crash may have come between the journal's line and the schema file. A file that somebody has edited since
// is left as it is.
Status DataType::State::redo_schema() {
  if (!schema_change_) return {};
  const Operation change = *std::exchange(schema_change_, std::nullopt);
  const Result<std::string> now = schema_text(dependencies_->root, name_);
  if (!now.ok()) return {};
  return *now == change.schema_before ? apply_schema(change) : Status();
}

Error version_conflict(std::int64_t expected, std::int64_t found) {
  return conflict(
             fmt::format("the records have changed: version {} was expected, they have {}", expected, found))
      .with_code("version_conflict")
      .with_hint("Read the records again, and repeat the change with their version.");
}

DataType::DataType(std::shared_ptr<StoreDependencies> dependencies, std::string name)
    : state_(std::make_unique<State>(std::move(dependencies), std::move(name))) {}
DataType::~DataType() = default;

const std::string& DataType::name() const { return state_->name(); }
const fs::Root& DataType::root() const { return state_->root(); }
Result<View> DataType::view(const engine::RunLimits& limits) {
  return state_->view(limits, State::Reader::kRecords);
}
Result<View> DataType::glance(const engine::RunLimits& limits) {
  return state_->view(limits, State::Reader::kGlance);
}
std::string DataType::fingerprint() { return state_->fingerprint(); }
Result<CreatedType> DataType::create(const CreateRequest& request, const engine::RunLimits& limits) {
  return state_->create(request, limits);
}
Status DataType::finish_creation() { return state_->finish_creation(); }
Result<View> DataType::replacement(const engine::RunLimits& limits) { return state_->replacement(limits); }
Status DataType::fold(const engine::RunLimits& limits) { return state_->fold(limits); }
std::uint64_t DataType::waiting() const { return state_->waiting(); }
Result<Operation> DataType::restore(std::int64_t sequence, Operation operation,
                                    const engine::RunLimits& limits,
                                    std::optional<std::int64_t> expected_version) {
  Result<Operation> restored = state_->restore(sequence, std::move(operation), limits, expected_version);
  // What has no code of its own comes from the disk.
  if (!restored.ok() && restored.error().code == to_string(restored.error().kind))
    return storage_error(std::move(restored).error());
  return restored;
}

Result<Operation> DataType::accept_file(Operation operation, const engine::RunLimits& limits,
                                        std::optional<std::int64_t> expected_version) {
  return state_->accept_file(std::move(operation), limits, expected_version);
}
Result<View> DataType::view_of(std::int64_t sequence, const engine::RunLimits& limits) {
  return state_->view_of(sequence, limits);
}
Result<std::int64_t> DataType::last_version() { return state_->current_version({}); }
Result<bool> DataType::restores_schema(std::int64_t sequence) const {
  SLUICE_TRY(const std::optional<std::string> then, state_->schema_at(sequence));
  if (!then) return false;
  SLUICE_TRY(const std::string now, schema_text(root(), name()));
  return *then != now;
}

struct WriteTransaction::LockedType {
  DataType::State* state;  // The data type's, which outlives its writers.
  DataType::State::Exclusive lock;
  engine::RunLimits limits;
  View view;
  double next_row = 0;
};

Result<std::unique_ptr<WriteTransaction>> DataType::write(const engine::RunLimits& limits,
                                                          std::optional<std::int64_t> expected_version,
                                                          Intent intent) {
  SLUICE_TRY(State::Exclusive lock, state_->lock(limits));
  SLUICE_CHECK(state_->prepare(limits, intent));
  SLUICE_TRY(View view, state_->prepared_view());
  if (expected_version && *expected_version != view.version)
    return version_conflict(*expected_version, view.version);
  std::unique_ptr<WriteTransaction> out(new WriteTransaction);
  const double next_row = state_->next_row();
  out->locked_ =
      std::make_unique<WriteTransaction::LockedType>(WriteTransaction::LockedType{.state = state_.get(),
                                                                                  .lock = std::move(lock),
                                                                                  .limits = limits,
                                                                                  .view = std::move(view),
                                                                                  .next_row = next_row});
  return out;
}

WriteTransaction::WriteTransaction() = default;
WriteTransaction::~WriteTransaction() = default;
const View& WriteTransaction::view() const { return locked_->view; }
double WriteTransaction::next_row() const { return locked_->next_row; }
Result<Operation> WriteTransaction::commit(Operation operation) {
  return locked_->state->commit(std::move(operation), locked_->limits);
}

}  // namespace sluice::records
