#include "sluice/query/spool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "sluice/crypto/random.h"
#include "sluice/fs/open_files.h"

#include "growth_guard.h"
#include "handle_card.h"
#include "snapshot_columns.h"

namespace sluice::query {

namespace {

using engine::quote_text;
constexpr std::size_t kCardBytesMax = std::size_t{4} << 20U;  // Thousands of columns with long names.
constexpr std::chrono::minutes kLeftoverGrace{5};
// Each holds an open file. A quarter of all that may be open leaves enough for requests.
std::uint64_t handles_max() { return std::max<std::uint64_t>(1, fs::open_files_max() / 4); }

std::string file_name(std::string_view id) { return fmt::format("{}.parquet", id); }

std::string rows_between(std::uint64_t offset, std::uint64_t count) {
  return fmt::format("file_row_number >= {} AND file_row_number < {}", offset, offset + count);
}

// The engine calls a full disk an I/O error. A database that the statement reads has an error of its own.
Error spool_error(Error error) {
  if (error.kind != ErrorKind::kUnavailable || error.code == "database_unavailable") return error;
  return make_error(ErrorKind::kUnavailable, "keep the result: " + error.message)
      .with_code("spool_failed")
      .with_hint(
          "The server's spool cannot take it now. Ask for less (fewer columns, a filter, an aggregate, a "
          "limit), or try later.");
}

Error no_room_in_spool(std::uint64_t bytes_max) {
  return limit_reached("bytes in the spool", bytes_max)
      .with_code("oversize_result")
      .with_hint("Ask for less: fewer columns, a filter, an aggregate or a limit.");
}

}  // namespace

Error unknown_handle() {
  return not_found("unknown handle: it never was, has expired, or is not yours")
      .with_code("unknown_handle")
      .with_hint("Ask again for a new result.");
}

Spool::Spool(fs::PrivateFolder folder, SpoolOptions options, const Clock& clock)
    : folder_(std::move(folder)), options_(options), clock_(clock) {
  if (options_.is_shared) remove_leftovers();
}

// Whoever wrote them would have given them up by now.
void Spool::remove_leftovers() const {
  const Result<fs::Listing> listing = folder_.root().list("");
  if (!listing.ok()) return;
  const WallTime oldest = clock_.wall() - options_.lifetime - kLeftoverGrace;
  for (const fs::Entry& entry : listing->entries) {
    const std::string_view id = std::string_view(entry.name).substr(0, entry.name.find('.'));
    const bool is_ours = is_handle_id(id) && has_our_ending(entry.name);
    if (is_ours && entry.kind == fs::EntryKind::kFile && entry.modified < oldest)
      (void)folder_.remove(entry.name);
  }
}

Result<SnapshotPtr> Spool::write(engine::Engine& engine, const WriteRequest& request,
                                 const engine::RunLimits& limits) {
  const std::string id = crypto::random_token();
  const std::string name = file_name(id);
  // Row groups are small, so that a page reads little of the file.
  const engine::Statement copy{
      .sql = fmt::format("COPY (SELECT {} FROM ({})) TO {} (FORMAT parquet, ROW_GROUP_SIZE 20480)",
                         stored_columns(request.columns), request.select.sql,
                         quote_text(folder_.path() + "/" + name)),
      .parameters = request.select.parameters};
  std::uint64_t rows = 0;
  const WriteBounds bounds{.limits = limits, .owner = request.owner, .bytes_max = request.bytes_max};
  SLUICE_TRY(const bool is_whole, write_within(name, bounds, [&](const engine::RunLimits& bounded) -> Status {
               SLUICE_TRY(rows, engine.execute(copy, bounded));
               return {};
             }));
  if (!is_whole) return SnapshotPtr();
  Result<fs::File> file = folder_.root().open_beneath(name);
  Result<fs::FileStatus> status = file.ok() ? file->status() : file.error();
  if (!status.ok()) {
    (void)folder_.remove(name);
    forget_growth(name);
    return spool_error(std::move(status).error());
  }
  const auto snapshot =
      std::make_shared<const Snapshot>(Snapshot{.id = id,
                                                .scheme = request.scheme,
                                                .owner = request.owner,
                                                .policy = request.policy,
                                                .columns = request.columns,
                                                .lineage = request.lineage,
                                                .rows = rows,
                                                .bytes = status->bytes,
                                                .expires = clock_.now() + options_.lifetime,
                                                .file = std::make_shared<const fs::File>(*std::move(file))});
  if (const Status card = write_card(*snapshot); !card.ok()) {
    (void)folder_.remove(name);
    forget_growth(name);
    return spool_error(card.error());
  }
  const MutexLock lock(mutex_);
  keep(snapshot, true);
  if (bounds.may_evict()) bound_handles();
  return snapshot;
}

// Its id is told to nobody before it is whole.
Status Spool::write_card(const Snapshot& snapshot) const {
  if (!options_.is_shared) return {};
  const HandleCard card{.scheme = snapshot.scheme,
                        .owner = snapshot.owner,
                        .policy = snapshot.policy,
                        .rows = snapshot.rows,
                        .expires = clock_.wall() + options_.lifetime,
                        .columns = snapshot.columns,
                        .lineage = snapshot.lineage};
  SLUICE_TRY(fs::FileWriter file, folder_.create(card_name(snapshot.id)));
  return file.write(to_json(card));
}

Result<SnapshotPtr> Spool::adopt(std::string_view id, engine::Engine& engine) const {
  if (!options_.is_shared || !is_handle_id(id)) return unknown_handle();
  const Result<fs::File> card_file = folder_.root().open_beneath(card_name(id));
  const Result<std::string> text = card_file.ok() ? card_file->read_all(kCardBytesMax) : card_file.error();
  if (!text.ok()) return unknown_handle();
  SLUICE_TRY(HandleCard card, handle_card_of(*text, engine));
  Result<fs::File> file = folder_.root().open_beneath(file_name(id));
  if (!file.ok()) return unknown_handle();
  SLUICE_TRY(const fs::FileStatus status, file->status());
  // A wall clock that was set back would give it more time than any handle has.
  const auto lifetime = std::min<WallTime::duration>(card.expires - clock_.wall(), options_.lifetime);
  return std::make_shared<const Snapshot>(
      Snapshot{.id = std::string(id),
               .scheme = std::move(card.scheme),
               .owner = std::move(card.owner),
               .policy = std::move(card.policy),
               .columns = std::move(card.columns),
               .lineage = std::move(card.lineage),
               .rows = card.rows,
               .bytes = status.bytes,
               .expires = clock_.now() + lifetime,
               .file = std::make_shared<const fs::File>(*std::move(file))});
}

Result<bool> Spool::write_within(const std::string& name, const WriteBounds& bounds,
                                 const std::function<Status(const engine::RunLimits&)>& write) {
  Status written;
  bool has_room = true;
  std::atomic<bool> is_over = false;  // Set by the guard's thread.
  const auto allows = [&](std::uint64_t bytes) {
    if (bytes > bounds.bytes_max) is_over = true;
    if (!is_over && grow(name, bounds.owner, bytes, bounds.may_evict())) return true;
    // Others would have to give up something: what nobody has confirmed is asked about first.
    if (!bounds.may_evict() && bytes <= options_.bytes_max) is_over = true;
    return false;
  };
  {
    const GrowthGuard guard(folder_.root(), name, bounds.limits.stop, allows);
    engine::RunLimits guarded = bounds.limits;
    guarded.stop = guard.stop();
    written = write(guarded);
    has_room = !guard.was_too_large();
  }
  if (written.ok() && has_room) {  // The last bytes come after the guard's last look.
    const Result<fs::Entry> entry = folder_.root().stat(name);
    has_room = !entry.ok() || allows(entry->bytes);
  }
  if (written.ok() && has_room) return true;
  (void)folder_.remove(name);
  forget_growth(name);
  if (bounds.limits.stop.stop_requested()) return cancelled();
  if (has_room) return spool_error(std::move(written).error());
  if (is_over) return false;
  return no_room_in_spool(options_.bytes_max);
}

FilePtr Spool::made_file(const Snapshot& snapshot, std::string_view ending) const {
  const std::optional<std::string> name = snapshot.files->find(ending);
  if (!name) return nullptr;
  Result<fs::File> file = folder_.root().open_beneath(*name);
  return file.ok() ? std::make_shared<const fs::File>(*std::move(file)) : nullptr;
}

Result<FilePtr> Spool::make_file(const Snapshot& snapshot, std::string_view ending,
                                 const engine::RunLimits& limits, const MakeFile& make) {
  if (FilePtr known = made_file(snapshot, ending)) return known;
  // Each call that gets here at the same time writes a file of its own, and the first one stays.
  const std::string name = fmt::format("{}.{}{}", snapshot.id, crypto::random_token(), ending);
  const auto write = [&](const engine::RunLimits& bounded) { return make(folder_, name, bounded); };
  SLUICE_TRY([[maybe_unused]] const bool is_whole,
             write_within(name, {.limits = limits, .owner = snapshot.owner}, write));
  Result<fs::File> file = folder_.root().open_beneath(name);
  const MutexLock lock(mutex_);
  growing_.erase(name);
  const auto entry = entries_.find(snapshot.id);
  if (!file.ok() || entry == entries_.end() || !snapshot.files->add(ending, name)) {
    (void)folder_.remove(name);
    if (!file.ok()) return spool_error(std::move(file).error());
  } else {
    entry->second.file_bytes += file->bytes_when_opened();
    bytes_ += file->bytes_when_opened();
  }
  FilePtr first = made_file(snapshot, ending);
  return first ? first : std::make_shared<const fs::File>(*std::move(file));
}

void Spool::remove(const Snapshot& snapshot) {
  const MutexLock lock(mutex_);
  if (const auto entry = entries_.find(snapshot.id); entry != entries_.end()) drop(entry);
}

Status Spool::settle(const Snapshot& snapshot) {
  const MutexLock lock(mutex_);
  bound_handles();
  if (make_room(snapshot.owner, options_.bytes_max, Evicts::kAnybody, snapshot.id)) return {};
  if (const auto entry = entries_.find(snapshot.id); entry != entries_.end()) drop(entry);
  return no_room_in_spool(options_.bytes_max);
}

// What may be given up again takes nothing from others: it may pass the bound by a part of it until it is
// settled.
bool Spool::grow(const std::string& name, const Principal& owner, std::uint64_t bytes, bool may_evict) {
  constexpr std::uint64_t kSlackPart = 8;
  const MutexLock lock(mutex_);
  growing_.insert_or_assign(name, Growing{.owner = owner, .bytes = bytes});
  if (may_evict) return make_room(owner, options_.bytes_max, Evicts::kAnybody);
  if (bytes > options_.bytes_max) return false;
  return make_room(owner, options_.bytes_max + options_.bytes_max / kSlackPart, Evicts::kWriterOnly);
}

void Spool::forget_growth(const std::string& name) {
  const MutexLock lock(mutex_);
  growing_.erase(name);
}

void Spool::keep(const SnapshotPtr& snapshot, bool is_ours) {
  growing_.erase(file_name(snapshot->id));
  bytes_ += snapshot->bytes;
  const auto place = by_use_.insert(by_use_.end(), snapshot->id);
  entries_.emplace(snapshot->id, Kept{.snapshot = snapshot, .is_ours = is_ours, .place = place});
}

void Spool::bound_handles() {
  while (entries_.size() > handles_max()) {
    std::map<Principal, std::size_t> handles;
    for (const auto& [id, kept] : entries_) ++handles[kept.snapshot->owner];
    const auto largest = std::max_element(handles.begin(), handles.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    drop_oldest_of(largest->first, {});
  }
}

void Spool::drop_expired() {
  const Monotonic now = clock_.now();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.snapshot->expires <= now) drop(entry);
    entry = next;
  }
}

std::map<Principal, std::uint64_t> Spool::bytes_by_owner() const {
  std::map<Principal, std::uint64_t> bytes;
  for (const auto& [id, kept] : entries_)
    bytes[kept.snapshot->owner] += kept.snapshot->bytes + kept.file_bytes;
  for (const auto& [id, growing] : growing_) bytes[growing.owner] += growing.bytes;
  return bytes;
}

bool Spool::drop_oldest_of(const Principal& owner, std::string_view kept) {
  const auto oldest =
      std::find_if(by_use_.begin(), by_use_.end(), [&](const std::string& id) SLUICE_REQUIRES(mutex_) {
        return id != kept && entries_.find(id)->second.snapshot->owner == owner;
      });
  if (oldest == by_use_.end()) return false;
  drop(entries_.find(*oldest));
  return true;
}

// Whoever has most gives up first. What is being written cannot be dropped: a writer that has most, and
// nothing else to give up, has to stop.
bool Spool::make_room(const Principal& writer, std::uint64_t bytes_max, Evicts evicts,
                      std::string_view kept) {
  drop_expired();
  std::uint64_t written = 0;
  for (const auto& [id, growing] : growing_) written += growing.bytes;
  if (written > bytes_max) return false;  // Dropping what is kept would not help.
  while (true) {
    std::map<Principal, std::uint64_t> bytes = bytes_by_owner();
    std::uint64_t total = 0;
    for (const auto& [owner, held] : bytes) total += held;
    if (total <= bytes_max) return true;
    bool dropped = false;
    while (!dropped && !bytes.empty()) {
      const auto largest = std::max_element(bytes.begin(), bytes.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
      if (largest->first != writer && evicts == Evicts::kWriterOnly) return false;
      dropped = drop_oldest_of(largest->first, kept);
      if (!dropped && largest->first == writer) return false;
      if (!dropped) bytes.erase(largest);
    }
    if (!dropped) return false;
  }
}

void Spool::drop(Entries::iterator entry) {
  bytes_ -= entry->second.snapshot->bytes + entry->second.file_bytes;
  by_use_.erase(entry->second.place);
  for (const std::string& name : entry->second.snapshot->files->names()) (void)folder_.remove(name);
  if (entry->second.is_ours) {
    if (options_.is_shared) (void)folder_.remove(card_name(entry->first));
    (void)folder_.remove(file_name(entry->first));
  }
  entries_.erase(entry);
}

Result<SnapshotPtr> Spool::find(std::string_view id, const Caller& caller, engine::Engine& engine) {
  SLUICE_TRY(SnapshotPtr snapshot, find_any(id, engine));
  if (Caller{snapshot->owner, snapshot->policy} != caller) return unknown_handle();
  return snapshot;
}

Result<SnapshotPtr> Spool::find_any(std::string_view id, engine::Engine& engine) {
  MutexLock lock(mutex_);
  auto entry = entries_.find(id);
  if (entry == entries_.end()) {
    lock.unlock();
    SLUICE_TRY(const SnapshotPtr adopted, adopt(id, engine));
    lock.lock();
    entry = entries_.find(id);
    if (entry == entries_.end()) {
      keep(adopted, false);
      bound_handles();
      entry = entries_.find(id);
    }
  }
  if (entry->second.snapshot->expires <= clock_.now()) {
    drop(entry);
    return unknown_handle();
  }
  by_use_.splice(by_use_.end(), by_use_, entry->second.place);
  return entry->second.snapshot;
}

engine::Statement Spool::page(const Snapshot& snapshot, std::uint64_t offset, std::uint64_t count,
                              std::size_t columns_max) {
  return {.sql = fmt::format("SELECT {} FROM {} WHERE {}", typed_columns(snapshot.columns, columns_max),
                             relation(snapshot), rows_between(offset, count))};
}

std::string Spool::relation(const Snapshot& snapshot) {
  return fmt::format("read_parquet({})",
                     quote_text(fmt::format("/proc/self/fd/{}", snapshot.file->descriptor())));
}

Result<std::string> Spool::read_file(const std::string& name, std::uint64_t bytes_max) const {
  SLUICE_TRY(const fs::File file, folder_.root().open_beneath(name));
  Result<std::string> bytes = file.read_all(bytes_max);
  if (bytes.ok() || bytes.error().kind != ErrorKind::kLimitReached) return bytes;
  return Error(bytes.error())
      .with_code("oversize_result")
      .with_hint("Read the page as CSV or JSON, or ask for fewer columns.");
}

Result<std::string> Spool::page_as_parquet(engine::Engine& engine, const Snapshot& snapshot,
                                           std::uint64_t offset, std::uint64_t count, std::uint64_t bytes_max,
                                           const engine::RunLimits& limits) {
  SLUICE_TRY(const ExportedColumns exported,
             exported_columns(engine, snapshot.columns, relation(snapshot), limits));
  const std::string name = file_name(crypto::random_token() + ".page");
  const Result<std::uint64_t> written =
      engine.execute({.sql = fmt::format("COPY (SELECT {} FROM {} WHERE {}) TO {} (FORMAT parquet)",
                                         exported.sql, relation(snapshot), rows_between(offset, count),
                                         quote_text(folder_.path() + "/" + name))},
                     limits);
  Result<std::string> bytes =
      written.ok() ? read_file(name, bytes_max) : Result<std::string>(spool_error(written.error()));
  (void)folder_.remove(name);
  return bytes;
}

}  // namespace sluice::query
