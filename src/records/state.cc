#include "state.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "sluice/records/name.h"

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
  if (error.kind == ErrorKind::kCancelled || error.kind == ErrorKind::kDeadline) return error;
  if (error.code == to_string(error.kind)) error = std::move(error).with_code("storage_failed");
  if (!error.hint.empty()) return error;
  return std::move(error).with_hint(
      "Nothing was changed. See to the disk's space and health, then try again.");
}

const engine::Field* View::find(std::string_view name) const {
  const auto at = std::find_if(columns.begin(), columns.end(),
                               [&](const engine::Field& one) { return one.name == name; });
  return at == columns.end() ? nullptr : &*at;
}

DataType::State::State(std::shared_ptr<StoreDependencies> dependencies, std::string name)
    : dependencies_(std::move(dependencies)),
      name_(std::move(name)),
      path_(file_path(name_)),
      journal_(dependencies_->root, name_) {}

Error DataType::State::replaced() const {
  return conflict(fmt::format(
                      "another program has replaced {} while operations were waiting to be written into it",
                      path_))
      .with_code("file_replaced")
      .with_hint(
          "Nothing was merged. restore_snapshot with `version` brings the records back as they were and "
          "keeps the "
          "other file in snapshots/; with `keep_file: true` it goes on from the other file. Or put the old "
          "file "
          "back.");
}

View DataType::State::make_view(const OverlayState& records) const {
  View view;
  view.data_type = name_;
  view.relation = records.relation(view.is_ordered);
  view.columns = records.columns();
  view.rows = records.rows();
  view.version = records.sequence();
  view.id_column = id_column_of(name_, view.columns);
  view.last_id = last_id_;
  view.pin = records.pin();
  view.engine = dependencies_->engine;
  return view;
}

// The holder of mutex_ has refreshed what is known.
View DataType::State::current_view() const {
  View view = make_view(*records_);
  if (is_adopted_) ++view.version;  // The journal will say so once something is written.
  if (place_.segment == 0 || is_adopted_) view.file_digest = records_->base().id.digest;
  return view;
}

DataType::State::~State() { release_kept(); }

void DataType::State::release_kept() { dependencies_->kept_bytes -= std::exchange(kept_bytes_, 0); }

// Small files that are read again and again. One that cannot be kept is read from the disk.
void DataType::State::keep_if_small() {
  constexpr std::uint64_t kFileBytesMax = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kAllBytesMax = std::uint64_t{48} << 20U;
  const std::uint64_t bytes = records_->base().id.bytes;
  if (records_->is_in_memory() || bytes > kFileBytesMax || dependencies_->kept_bytes + bytes > kAllBytesMax)
    return;
  if (!records_->keep_in_memory({}).ok()) return;
  kept_bytes_ = bytes;
  dependencies_->kept_bytes += bytes;
  is_popular_ = true;
}

std::string DataType::State::fingerprint() {
  // Between the line of the journal and the schema file an operation is half done. Whoever asks in between
  // waits, so that subscribers are notified once.
  const MutexLock writer(writing_);
  const MutexLock guard(mutex_);
  if (const Status status = refresh({}); !status.ok()) return "error " + status.error().code;
  const View view = current_view();
  return view.file_digest.empty() ? fmt::format("version {}", view.version) : view.file_digest;
}

Result<View> DataType::State::view(const engine::RunLimits& limits, Reader reader) {
  constexpr unsigned kViewsOfAPopularFile = 3;
  const MutexLock guard(mutex_);
  SLUICE_CHECK(refresh(limits));
  if (reader == Reader::kRecords && ++views_ == kViewsOfAPopularFile) keep_if_small();
  return current_view();
}

Result<std::int64_t> DataType::State::current_version(const engine::RunLimits& limits) {
  {
    const MutexLock guard(mutex_);
    if (refresh(limits).ok()) return current_view().version;
  }
  return last_version();
}

Result<View> DataType::State::view_of(std::int64_t sequence, const engine::RunLimits& limits) {
  {
    // A file that the journal does not know yet has no snapshot; as it is now it needs none.
    const MutexLock guard(mutex_);
    if (refresh(limits).ok()) {
      View now = current_view();
      if (now.version == sequence) return now;
    }
  }
  SLUICE_TRY(const OverlayState records, state_after(sequence, limits));
  const MutexLock guard(mutex_);
  return make_view(records);
}

Result<View> DataType::State::prepared_view() {
  const MutexLock guard(mutex_);
  if (!records_) return unavailable("read records: they changed meanwhile").with_code("try_again");
  return current_view();
}

Result<View> DataType::State::replacement(const engine::RunLimits& limits) {
  const MutexLock guard(mutex_);
  if (const Status status = refresh(limits); status.ok() || status.error().code != "file_replaced")
    return status.ok() ? not_replaced() : status.error();
  SLUICE_TRY(BaseFile found, open_base(dependencies_->root, path_, *dependencies_->engine, limits));
  SLUICE_TRY(const std::int64_t last, last_version());
  return make_view(
      OverlayState(dependencies_->engine, std::make_shared<const BaseFile>(std::move(found)), last));
}

std::uint64_t DataType::State::waiting() {
  const MutexLock guard(mutex_);
  return records_ ? records_->waiting() : 0;
}

double DataType::State::next_row() {
  const MutexLock guard(mutex_);
  return records_ ? records_->next_row() : 0;
}

void DataType::State::start_from(std::shared_ptr<const BaseFile> base, std::int64_t sequence) {
  records_ = std::make_unique<OverlayState>(dependencies_->engine, std::move(base), sequence);
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
  last_id_ = 0;
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
  Result<BaseFile> base = open_base(dependencies_->root, path_, *dependencies_->engine, limits);
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
    note(operation);
  }
  return {};
}

// What an operation of the journal says beside its records.
void DataType::State::note(const Operation& operation) {
  if (!operation.snapshot.empty()) snapshot_ = operation.snapshot;
  if (!operation.schema_after.empty()) schema_change_ = operation;
  last_id_ = std::max(last_id_, operation.last_id);
}

// The file that the journal means. It waits beside the journal while it has not taken the old one's place.
Result<std::shared_ptr<const BaseFile>> DataType::State::file_of(const Checkpoint& checkpoint,
                                                                 bool has_operations,
                                                                 const engine::RunLimits& limits) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    Result<BaseFile> found = open_base(dependencies_->root, path_, *dependencies_->engine, limits);
    if (found.ok()) seen_ = found->status;
    if (found.ok() && found->id == checkpoint.base)
      return std::make_shared<const BaseFile>(*std::move(found));
    const bool is_old = !found.ok() || found->id == checkpoint.previous;
    if (!checkpoint.file.empty() && is_old) {
      Result<BaseFile> next =
          open_base(dependencies_->root, journal_path(checkpoint.file), *dependencies_->engine, limits);
      if (next.ok() && next->id == checkpoint.base) return std::make_shared<const BaseFile>(*std::move(next));
      if (attempt == 0) continue;  // It took its place just now.
    }
    // A file that still waits holds operations that no other file has.
    const bool waits =
        !checkpoint.file.empty() && dependencies_->root.stat(journal_path(checkpoint.file)).ok();
    if (has_operations || waits ||
        (!checkpoint.file.empty() && !checkpoint.previous.digest.empty() && !found.ok()))
      return replaced();
    if (!found.ok()) return found.error();
    return std::make_shared<const BaseFile>(*std::move(found));
  }
  return replaced();
}

Status DataType::State::begin_with(Checkpoint checkpoint, const std::vector<Operation>& operations,
                                   const engine::RunLimits& limits) {
  // First: it is needed also where the file turns out to be another's.
  last_id_ = std::max(last_id_, checkpoint.last_id);
  for (const Operation& operation : operations) last_id_ = std::max(last_id_, operation.last_id);
  SLUICE_TRY(std::shared_ptr<const BaseFile> base,
             file_of(checkpoint, !operations.empty() || !checkpoint.carried.empty(), limits));
  const bool is_foreign = base->id != checkpoint.base;
  start_from(std::move(base), checkpoint.sequence);
  schema_change_.reset();               // Whoever wrote this file has completed what came before it,
  if (!checkpoint.operation.empty()) {  // but maybe not what it stands for itself.
    SLUICE_TRY(Operation own, operation_of(checkpoint.operation));
    if (own.kind == "restore" && !own.schema_after.empty()) schema_change_ = std::move(own);
  }
  is_adopted_ = is_foreign;
  is_rewritable_ = !checkpoint.file.empty() && !is_foreign;  // We have written it.
  SLUICE_CHECK(records_->carry(checkpoint, limits));
  for (const Operation& operation : operations) {
    SLUICE_CHECK(records_->apply(operation, limits));
    note(operation);
  }
  checkpoint.carried.clear();
  checkpoint.operation.clear();
  checkpoint_ = std::move(checkpoint);
  return {};
}

Status DataType::State::check_file(const engine::RunLimits& limits) {
  const Result<fs::Entry> entry = dependencies_->root.stat(path_);
  if (entry.ok() && entry->identity == seen_.identity && entry->bytes == seen_.bytes &&
      entry->modified == seen_.modified)
    return {};
  Result<BaseFile> found = open_base(dependencies_->root, path_, *dependencies_->engine, limits);
  if (found.ok() && found->id == records_->base().id) {
    seen_ = found->status;
    return {};
  }
  // The new file has not taken the old one's place yet.
  const bool waits =
      !checkpoint_.file.empty() && dependencies_->root.stat(journal_path(checkpoint_.file)).ok();
  if (found.ok() && waits && found->id == checkpoint_.previous) return {};
  if (records_->waiting() > 0 || waits) return replaced();
  if (!found.ok()) {
    records_.reset();
    return found.error().kind == ErrorKind::kNotFound ? open_first(limits) : Status(found.error());
  }
  seen_ = found->status;
  start_from(std::make_shared<const BaseFile>(*std::move(found)), records_->sequence());
  is_adopted_ = place_.segment > 0;
  return {};
}

}  // namespace sluice::records
