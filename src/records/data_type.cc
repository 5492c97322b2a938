#include "sluice/records/data_type.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/fs/file_moves.h"
#include "sluice/records/name.h"
#include "sluice/records/value.h"

#include "state.h"

namespace sluice::records {

std::string now_text() {
  using namespace std::chrono;
  const auto now = time_point_cast<microseconds>(system_clock().wall());
  const auto second =
      time_point_cast<seconds>(now) - (now < time_point_cast<seconds>(now) ? seconds(1) : seconds(0));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(second)),
                     (now - second).count());
}

// What a disk does to us is not the caller's fault, and leaves everything as it was.
Error storage_error(Error error) {
  if (error.hint.empty())
    error.hint = "Nothing was changed. See to the disk's space and health, then try again.";
  if (error.code == to_string(error.kind)) error.code = "storage_failed";
  return error;
}

const engine::Field* View::find(std::string_view name) const {
  const auto at = std::find_if(columns.begin(), columns.end(),
                               [&](const engine::Field& one) { return one.name == name; });
  return at == columns.end() ? nullptr : &*at;
}

DataType::State::State(std::shared_ptr<Ground> ground, std::string name)
    : ground_(std::move(ground)),
      name_(std::move(name)),
      path_(file_path(name_)),
      journal_(ground_->root, name_) {}

Error DataType::State::replaced() const {
  return conflict(fmt::format(
                      "another program has replaced {} while operations were waiting to be written into it",
                      path_))
      .with_code("file_replaced")
      .with_hint(
          "Nothing was merged. restore_snapshot brings the records back as they were, and the other file "
          "with them "
          "into snapshots/; or put the old file back.");
}

View DataType::State::make_view(const Overlaid& records) const {
  View view;
  view.data_type = name_;
  view.relation = records.relation(view.is_ordered);
  view.columns = records.columns();
  view.rows = records.rows();
  view.version = records.sequence();
  view.id_column = id_column_of(name_, view.columns);
  view.pin = records.pin();
  view.engine = ground_->engine;
  return view;
}

DataType::State::~State() { release_kept(); }

void DataType::State::release_kept() { ground_->kept_bytes -= std::exchange(kept_bytes_, 0); }

// Small files that are read again and again. One that cannot be kept is read from the disk.
void DataType::State::keep_if_small() {
  constexpr std::uint64_t kFileBytesMax = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kAllBytesMax = std::uint64_t{48} << 20U;
  const std::uint64_t bytes = records_->base().id.bytes;
  if (records_->is_in_memory() || bytes > kFileBytesMax || ground_->kept_bytes + bytes > kAllBytesMax) return;
  if (!records_->keep_in_memory({}).ok()) return;
  kept_bytes_ = bytes;
  ground_->kept_bytes += bytes;
  is_popular_ = true;
}

Result<View> DataType::State::view(const engine::RunLimits& limits) {
  constexpr unsigned kViewsOfAPopularFile = 3;
  const std::lock_guard guard(mutex_);
  SLUICE_CHECK(refresh(limits));
  if (++views_ == kViewsOfAPopularFile) keep_if_small();
  View view = make_view(*records_);
  if (is_adopted_) ++view.version;  // The journal will say so once something is written.
  return view;
}

Result<View> DataType::State::view_of(std::int64_t sequence, const engine::RunLimits& limits) {
  SLUICE_TRY(const Overlaid records, state_after(sequence, limits));
  return make_view(records);
}

Result<View> DataType::State::prepared_view() {
  const std::lock_guard guard(mutex_);
  if (!records_) return unavailable("read records: they changed meanwhile").with_code("try_again");
  return make_view(*records_);
}

std::uint64_t DataType::State::waiting() {
  const std::lock_guard guard(mutex_);
  return records_ ? records_->waiting() : 0;
}

double DataType::State::next_row() {
  const std::lock_guard guard(mutex_);
  return records_ ? records_->next_row() : 0;
}

void DataType::State::start_from(std::shared_ptr<const BaseFile> base, std::int64_t sequence) {
  records_ = std::make_unique<Overlaid>(ground_->engine, std::move(base), sequence);
  snapshot_.clear();
  is_adopted_ = false;
  is_rewritable_ = false;
  release_kept();
  views_ = 0;
  if (std::exchange(is_popular_, false)) keep_if_small();
}

Status DataType::State::refresh(const engine::RunLimits& limits) {
  if (!records_) return reload(limits);
  Result<Lines> lines = new_lines();
  if (!lines.ok()) {
    const bool is_gone =
        lines.error().kind == ErrorKind::kConflict || lines.error().kind == ErrorKind::kNotFound;
    return is_gone ? reload(limits) : Status(lines.error());
  }
  if (place_.segment == 0 && lines->checkpoint) return reload(limits);  // Somebody has begun a journal.
  if (Status status = follow(*std::move(lines), limits); !status.ok()) {
    records_.reset();
    return status;
  }
  return check_file(limits);
}

Status DataType::State::reload(const engine::RunLimits& limits) {
  records_.reset();
  place_ = {};
  checkpoint_ = {};
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal_.segments());
  if (segments.empty()) return open_first(limits);
  place_.segment = segments.back();
  SLUICE_TRY(Lines lines, new_lines());
  if (!lines.checkpoint) return open_first(limits);
  Status status = begin_with(*std::move(lines.checkpoint), lines.operations, limits);
  if (!status.ok()) records_.reset();
  return status;
}

Status DataType::State::open_first(const engine::RunLimits& limits) {
  Result<BaseFile> base = open_base(ground_->root, path_, *ground_->engine, limits);
  if (!base.ok()) {
    if (base.error().kind != ErrorKind::kNotFound) return base.error();
    return not_found("Parquet file not found: " + path_)
        .with_code("data_type_not_found")
        .with_hint("list_data_types lists what there is.");
  }
  seen_ = base->status;
  start_from(std::make_shared<const BaseFile>(*std::move(base)), 0);
  return {};
}

Result<DataType::State::Lines> DataType::State::new_lines() {
  Lines out;
  if (place_.segment == 0) {
    SLUICE_TRY(const std::vector<std::uint64_t> segments, journal_.segments());
    if (!segments.empty()) out.checkpoint.emplace();
    return out;
  }
  std::vector<std::string> texts;
  while (true) {
    const bool goes_on = journal_.has_segment(place_.segment + 1);  // Asked first: it is then complete.
    SLUICE_TRY(std::vector<std::string> some, journal_.read_on(place_));
    std::move(some.begin(), some.end(), std::back_inserter(texts));
    if (!goes_on) break;
    place_ = {.segment = place_.segment + 1, .offset = 0, .last = 0, .mark = {}};
  }
  const auto last =
      std::find_if(texts.rbegin(), texts.rend(), [](const std::string& text) { return is_checkpoint(text); });
  auto text = texts.begin();
  if (last != texts.rend()) {
    SLUICE_TRY(out.checkpoint, checkpoint_of(*last));
    text = last.base();
  }
  for (; text != texts.end(); ++text) {
    SLUICE_TRY(Operation operation, operation_of(*text));
    out.operations.push_back(std::move(operation));
  }
  return out;
}

Status DataType::State::follow(Lines lines, const engine::RunLimits& limits) {
  if (lines.checkpoint) return begin_with(*std::move(lines.checkpoint), lines.operations, limits);
  for (const Operation& operation : lines.operations) {
    SLUICE_CHECK(records_->apply(operation, limits));
    if (!operation.snapshot.empty()) snapshot_ = operation.snapshot;
  }
  return {};
}

// The file that the journal means. It waits beside the journal while it has not taken the old one's place.
Result<std::shared_ptr<const BaseFile>> DataType::State::file_of(const Checkpoint& checkpoint,
                                                                 bool has_operations,
                                                                 const engine::RunLimits& limits) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<BaseFile> found = open_base(ground_->root, path_, *ground_->engine, limits);
    if (found.ok()) seen_ = found->status;
    if (found.ok() && found->id == checkpoint.base)
      return std::make_shared<const BaseFile>(*std::move(found));
    const bool is_old = !found.ok() || found->id == checkpoint.previous;
    if (!checkpoint.file.empty() && is_old) {
      Result<BaseFile> next =
          open_base(ground_->root, journal_path(checkpoint.file), *ground_->engine, limits);
      if (next.ok() && next->id == checkpoint.base) return std::make_shared<const BaseFile>(*std::move(next));
      if (attempt == 0) continue;  // It took its place just now.
    }
    if (has_operations || (!checkpoint.file.empty() && !checkpoint.previous.digest.empty() && !found.ok()))
      return replaced();
    if (!found.ok()) return found.error();
    return std::make_shared<const BaseFile>(*std::move(found));
  }
  return replaced();
}

Status DataType::State::begin_with(Checkpoint checkpoint, const std::vector<Operation>& operations,
                                   const engine::RunLimits& limits) {
  SLUICE_TRY(std::shared_ptr<const BaseFile> base,
             file_of(checkpoint, !operations.empty() || !checkpoint.carried.empty(), limits));
  const bool is_foreign = base->id != checkpoint.base;
  start_from(std::move(base), checkpoint.sequence);
  is_adopted_ = is_foreign;
  is_rewritable_ = !checkpoint.file.empty() && !is_foreign;  // We have written it.
  SLUICE_CHECK(records_->carry(checkpoint, limits));
  for (const Operation& operation : operations) {
    SLUICE_CHECK(records_->apply(operation, limits));
    if (!operation.snapshot.empty()) snapshot_ = operation.snapshot;
  }
  checkpoint.carried.clear();
  checkpoint.operation.clear();
  checkpoint_ = std::move(checkpoint);
  return {};
}

Status DataType::State::check_file(const engine::RunLimits& limits) {
  const Result<fs::Entry> entry = ground_->root.stat(path_);
  if (entry.ok() && entry->identity == seen_.identity && entry->bytes == seen_.bytes &&
      entry->modified == seen_.modified)
    return {};
  Result<BaseFile> found = open_base(ground_->root, path_, *ground_->engine, limits);
  if (found.ok() && found->id == records_->base().id) {
    seen_ = found->status;
    return {};
  }
  // The new file has not taken the old one's place yet.
  if (found.ok() && !checkpoint_.file.empty() && found->id == checkpoint_.previous) return {};
  if (records_->waiting() > 0) return replaced();
  if (!found.ok()) {
    records_.reset();
    return found.error().kind == ErrorKind::kNotFound ? open_first(limits) : Status(found.error());
  }
  seen_ = found->status;
  start_from(std::make_shared<const BaseFile>(*std::move(found)), records_->sequence());
  is_adopted_ = place_.segment > 0;
  return {};
}

Result<DataType::State::Exclusive> DataType::State::lock(const engine::RunLimits& limits) {
  if (!ground_->writable) {
    return forbidden("change records: the store is read-only")
        .with_code("read_only")
        .with_hint("The operator allows changes with `records: { writable: true }`.");
  }
  std::unique_lock mine(writing_);
  for (const std::string& folder : {std::string("_journal"), journal_.folder()}) {
    if (const Status made = fs::make_folder(ground_->root, folder); !made.ok())
      return storage_error(made.error());
  }
  SLUICE_TRY(fs::FileLock all,
             fs::FileLock::take(ground_->root, journal_path("write.lock"), limits.deadline, limits.stop));
  return Exclusive{.mine = std::move(mine), .all = std::move(all)};
}

bool DataType::State::is_move_due() const {
  return !checkpoint_.file.empty() && !is_adopted_ && seen_.identity != records_->base().status.identity;
}

// A fold was cut short between its line and the move of its file.
Status DataType::State::finish_move(const engine::RunLimits& limits) {
  if (!is_move_due()) return {};
  Result<BaseFile> there = open_base(ground_->root, path_, *ground_->engine, limits);
  if (there.ok() && there->id == checkpoint_.base) return {};
  if (there.ok() && there->id != checkpoint_.previous) return replaced();
  if (const Status moved = fs::move_file(ground_->root, journal_path(checkpoint_.file), path_); !moved.ok())
    return storage_error(moved.error());
  seen_ = records_->base().status;
  return {};
}

Status DataType::State::prepare(const engine::RunLimits& limits) {
  const std::lock_guard guard(mutex_);
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
    const Status checked =
        check_rewritable(records_->base(), *ground_->engine, ground_->folder + "/" + trial, limits);
    const Status removed = fs::remove_file(ground_->root, trial);
    if (!checked.ok() || !removed.ok())
      return checked.ok() ? storage_error(removed.error()) : checked.error();
    is_rewritable_ = true;
  }
  if (place_.segment > 0 && !is_adopted_) return {};
  Checkpoint first;
  first.sequence = place_.segment == 0 ? 0 : records_->sequence() + 1;
  first.base = records_->base().id;
  if (const Status added = add_checkpoint(first); !added.ok()) return storage_error(added.error());
  const bool is_rewritable = is_rewritable_;
  *records_ = Overlaid(*records_, first.sequence);
  is_adopted_ = false;
  is_rewritable_ = is_rewritable;
  checkpoint_ = std::move(first);
  return {};
}

Result<std::string> DataType::State::need_snapshot() {
  return snapshot_.empty() ? make_snapshot(records_->sequence()) : Result<std::string>(snapshot_);
}

Result<std::string> DataType::State::make_snapshot(std::int64_t sequence) const {
  SLUICE_CHECK(fs::make_folder(ground_->root, "snapshots"));
  const std::time_t now = std::chrono::system_clock::to_time_t(system_clock().wall());
  std::string name = fmt::format("snapshots/{}-{:%Y-%m-%d-%H%M%S}-{:06}", name_, fmt::gmtime(now), sequence);
  Status made = fs::snapshot_file(ground_->root, path_, name + ".parquet");
  if (!made.ok() && made.error().kind == ErrorKind::kConflict) {
    name += "-" + new_id();
    made = fs::snapshot_file(ground_->root, path_, name + ".parquet");
  }
  if (!made.ok()) return made.error();
  return name + ".parquet";
}

Result<Operation> DataType::State::commit(Operation operation, const engine::RunLimits& limits) {
  {
    const std::lock_guard guard(mutex_);
    if (!records_) SLUICE_CHECK(refresh(limits));
    operation.sequence = records_->sequence() + 1;
    operation.time = now_text();
    Result<std::string> snapshot = need_snapshot();
    if (!snapshot.ok()) return storage_error(std::move(snapshot).error());
    operation.snapshot = *std::move(snapshot);
    // The overlay takes it first: what it cannot take never gets into the journal, where it would stay for
    // good.
    Overlaid after = *records_;
    const Status applied = after.apply(operation, limits);
    const Status added = applied.ok() ? journal_.append(place_, to_json(operation)) : applied;
    if (!added.ok()) {
      if (!records_->forget_later().ok()) records_.reset();
      return applied.ok() ? storage_error(added.error()) : applied.error();
    }
    snapshot_ = operation.snapshot;
    *records_ = std::move(after);
  }
  if (ground_->on_commit) ground_->on_commit(name_);
  return operation;
}

DataType::DataType(std::shared_ptr<Ground> ground, std::string name)
    : state_(std::make_unique<State>(std::move(ground), std::move(name))) {}
DataType::~DataType() = default;

const std::string& DataType::name() const { return state_->name(); }
const fs::Root& DataType::root() const { return state_->root(); }
Result<View> DataType::view(const engine::RunLimits& limits) { return state_->view(limits); }
Status DataType::fold(const engine::RunLimits& limits) { return state_->fold(limits); }
std::uint64_t DataType::waiting() const { return state_->waiting(); }
Result<Operation> DataType::restore(std::int64_t sequence, Operation operation,
                                    const engine::RunLimits& limits) {
  return state_->restore(sequence, std::move(operation), limits);
}

Result<Operation> DataType::accept_file(Operation operation, const engine::RunLimits& limits) {
  return state_->accept_file(std::move(operation), limits);
}
Result<View> DataType::view_of(std::int64_t sequence, const engine::RunLimits& limits) {
  return state_->view_of(sequence, limits);
}
Result<std::int64_t> DataType::last_version() { return state_->last_version(); }

struct Writing::Held {
  DataType::State* state;  // The data type's, which outlives its writers.
  DataType::State::Exclusive lock;
  engine::RunLimits limits;
  View view;
  double next_row = 0;
};

Result<std::unique_ptr<Writing>> DataType::write(const engine::RunLimits& limits,
                                                 std::optional<std::int64_t> expected_version) {
  SLUICE_TRY(State::Exclusive lock, state_->lock(limits));
  SLUICE_CHECK(state_->prepare(limits));
  SLUICE_TRY(View view, state_->prepared_view());
  if (expected_version && *expected_version != view.version) {
    return conflict(fmt::format("the records have changed: version {} was expected, they have {}",
                                *expected_version, view.version))
        .with_code("version_conflict")
        .with_hint("Read the records again, and repeat the change with their version.");
  }
  std::unique_ptr<Writing> out(new Writing);
  const double next_row = state_->next_row();
  out->held_ = std::make_unique<Writing::Held>(Writing::Held{.state = state_.get(),
                                                             .lock = std::move(lock),
                                                             .limits = limits,
                                                             .view = std::move(view),
                                                             .next_row = next_row});
  return out;
}

Writing::Writing() = default;
Writing::~Writing() = default;
const View& Writing::view() const { return held_->view; }
double Writing::next_row() const { return held_->next_row; }
Result<Operation> Writing::commit(Operation operation) {
  return held_->state->commit(std::move(operation), held_->limits);
}

}  // namespace sluice::records
