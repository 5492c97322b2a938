#include "sluice/query/spool.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "sluice/crypto/random.h"
#include "sluice/fs/open_files.h"

#include "columns.h"
#include "growth_guard.h"
#include "handle_card.h"

namespace sluice::query {

namespace {

using engine::Field;
using engine::quote_name;
using engine::quote_text;
using engine::TypeId;

std::string written_columns(const std::vector<Field>& columns) {
  std::string out;
  for (const Field& column : columns) {
    if (!out.empty()) out += ", ";
    const std::string name = quote_name(column.name);
    out += is_kept_by_parquet(column.type.id) ? name : fmt::format("CAST({0} AS VARCHAR) AS {0}", name);
  }
  return out;
}

std::string read_columns(const std::vector<Field>& columns, std::size_t columns_max) {
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), columns_max); ++i) {
    const Field& column = columns[i];
    if (!out.empty()) out += ", ";
    const std::string name = quote_name(column.name);
    // A union's text does not tell which member it was, so it stays text.
    const bool as_found = column.type.id == TypeId::kUnion || column.type.id == TypeId::kNull;
    out += as_found ? name : fmt::format("CAST({0} AS {1}) AS {0}", name, engine::sql_name(column.type));
  }
  return out;
}

constexpr std::size_t kCardBytesMax = std::size_t{4} << 20U;  // Thousands of columns with long names.

constexpr std::chrono::minutes kLeftoverGrace{5};

// Each holds an open file. Without a bound, many small results would leave none for requests.
std::uint64_t handles_max() {
  constexpr std::uint64_t kPart = 4;
  return std::max<std::uint64_t>(1, fs::open_files_max() / kPart);
}

std::string file_name(std::string_view id) { return fmt::format("{}.parquet", id); }

std::string page_select(const Snapshot& snapshot, std::uint64_t offset, std::uint64_t count,
                        std::size_t columns_max = SIZE_MAX) {
  return fmt::format("SELECT {} FROM read_parquet({}) WHERE file_row_number >= {} AND file_row_number < {}",
                     read_columns(snapshot.columns, columns_max),
                     quote_text(fmt::format("/proc/self/fd/{}", snapshot.file.descriptor())), offset,
                     offset + count);
}

// The engine calls a full disk an I/O error.
Error spool_error(Error error) {
  if (error.kind != ErrorKind::kUnavailable) return error;
  return make_error(ErrorKind::kUnavailable, "keep the result: " + error.message)
      .with_code("spool_failed")
      .with_hint(
          "The server's spool cannot take it now. Ask for less (fewer columns, a filter, an aggregate, a "
          "limit), or try later.");
}

}  // namespace

std::size_t PageStarts::known() const {
  const std::lock_guard lock(mutex_);
  return starts_.size();
}

std::optional<std::uint64_t> PageStarts::start(std::uint64_t page) const {
  const std::lock_guard lock(mutex_);
  if (page >= starts_.size()) return std::nullopt;
  return starts_[page];
}

void PageStarts::add(std::uint64_t page, std::uint64_t start) {
  const std::lock_guard lock(mutex_);
  if (page == starts_.size()) starts_.push_back(start);
}

Error unknown_handle() {
  return not_found("unknown handle: it never was, has expired, or is not yours")
      .with_code("unknown_handle")
      .with_hint("Call query_data again for a new handle.");
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
    const bool is_ours = is_handle_id(id) && (entry.name == file_name(id) || entry.name == card_name(id));
    if (is_ours && entry.kind == fs::EntryKind::kFile && entry.modified < oldest)
      (void)folder_.remove(entry.name);
  }
}

Result<SnapshotPtr> Spool::write(engine::Engine& engine, const Writing& writing,
                                 const engine::RunLimits& limits) {
  const std::string id = crypto::random_token();
  const std::string name = file_name(id);
  // Row groups are small, so that a page reads little of the file.
  const engine::Statement copy{
      .sql = fmt::format("COPY (SELECT {} FROM ({})) TO {} (FORMAT parquet, ROW_GROUP_SIZE 20480)",
                         written_columns(writing.columns), writing.select.sql,
                         quote_text(folder_.path() + "/" + name)),
      .parameters = writing.select.parameters};
  SLUICE_TRY(const std::uint64_t rows, this->copy(engine, copy, id, limits));
  Result<fs::File> file = folder_.root().open_beneath(name);
  Result<fs::FileStatus> status = file.ok() ? file->status() : file.error();
  if (!status.ok()) {
    (void)folder_.remove(name);
    forget_growth(id);
    return spool_error(std::move(status).error());
  }
  const auto snapshot = std::make_shared<const Snapshot>(Snapshot{.id = id,
                                                                  .scheme = writing.scheme,
                                                                  .owner = writing.owner,
                                                                  .columns = writing.columns,
                                                                  .rows = rows,
                                                                  .bytes = status->bytes,
                                                                  .expires = clock_.now() + options_.lifetime,
                                                                  .file = *std::move(file)});
  if (const Status card = write_card(*snapshot); !card.ok()) {
    (void)folder_.remove(name);
    forget_growth(id);
    return spool_error(card.error());
  }
  const std::lock_guard lock(mutex_);
  keep(snapshot, true);
  return snapshot;
}

// Its id is told to nobody before it is whole.
Status Spool::write_card(const Snapshot& snapshot) const {
  if (!options_.is_shared) return {};
  const HandleCard card{.scheme = snapshot.scheme,
                        .owner = snapshot.owner,
                        .rows = snapshot.rows,
                        .expires = clock_.wall() + options_.lifetime,
                        .columns = snapshot.columns};
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
  return std::make_shared<const Snapshot>(Snapshot{.id = std::string(id),
                                                   .scheme = std::move(card.scheme),
                                                   .owner = std::move(card.owner),
                                                   .columns = std::move(card.columns),
                                                   .rows = card.rows,
                                                   .bytes = status.bytes,
                                                   .expires = clock_.now() + (card.expires - clock_.wall()),
                                                   .file = *std::move(file)});
}

// Runs the COPY of a new snapshot. Where it fails, or the file gets too large, nothing is left of it.
Result<std::uint64_t> Spool::copy(engine::Engine& engine, const engine::Statement& statement,
                                  const std::string& id, const engine::RunLimits& limits) {
  const std::string name = file_name(id);
  Result<std::uint64_t> rows = internal_error("keep the result: not begun");
  bool has_room = true;
  {
    const GrowthGuard guard(folder_.root(), name, limits.stop,
                            [&](std::uint64_t bytes) { return grow(id, bytes); });
    rows = engine.execute(statement, {.deadline = limits.deadline, .stop = guard.stop()});
    has_room = !guard.was_too_large();
  }
  if (rows.ok() && has_room) {  // The last bytes come after the guard's last look.
    const Result<fs::Entry> entry = folder_.root().stat(name);
    has_room = !entry.ok() || grow(id, entry->bytes);
  }
  if (rows.ok() && has_room) return rows;
  (void)folder_.remove(name);
  forget_growth(id);
  if (limits.stop.stop_requested()) return cancelled();
  if (has_room) return spool_error(std::move(rows).error());
  return limit_reached("bytes in the spool", options_.bytes_max)
      .with_code("oversize_result")
      .with_hint("Ask for less: fewer columns, a filter, an aggregate or a limit.");
}

bool Spool::grow(const std::string& id, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  growing_[id] = bytes;
  return make_room();
}

void Spool::forget_growth(const std::string& id) {
  const std::lock_guard lock(mutex_);
  growing_.erase(id);
}

void Spool::keep(const SnapshotPtr& snapshot, bool is_ours) {
  growing_.erase(snapshot->id);
  bytes_ += snapshot->bytes;
  const auto place = by_use_.insert(by_use_.end(), snapshot->id);
  entries_.emplace(snapshot->id, Kept{.snapshot = snapshot, .is_ours = is_ours, .place = place});
  while (entries_.size() > handles_max()) drop(entries_.find(by_use_.front()));
}

bool Spool::make_room() {
  const Monotonic now = clock_.now();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.snapshot->expires <= now) drop(entry);
    entry = next;
  }
  std::uint64_t growing = 0;
  for (const auto& [id, bytes] : growing_) growing += bytes;
  // What is being written cannot be dropped; where it alone is too much, dropping others would not help.
  while (growing <= options_.bytes_max && !by_use_.empty() && bytes_ + growing > options_.bytes_max)
    drop(entries_.find(by_use_.front()));
  return bytes_ + growing <= options_.bytes_max;
}

void Spool::drop(Entries::iterator entry) {
  bytes_ -= entry->second.snapshot->bytes;
  by_use_.erase(entry->second.place);
  if (entry->second.is_ours) {
    if (options_.is_shared) (void)folder_.remove(card_name(entry->first));
    (void)folder_.remove(file_name(entry->first));
  }
  entries_.erase(entry);
}

Result<SnapshotPtr> Spool::find(std::string_view id, const Principal& caller, engine::Engine& engine) {
  std::unique_lock lock(mutex_);
  auto entry = entries_.find(id);
  if (entry == entries_.end()) {
    lock.unlock();
    SLUICE_TRY(const SnapshotPtr adopted, adopt(id, engine));
    lock.lock();
    entry = entries_.find(id);
    if (entry == entries_.end()) {
      keep(adopted, false);
      entry = entries_.find(id);
    }
  }
  if (entry->second.snapshot->expires <= clock_.now()) {
    drop(entry);
    return unknown_handle();
  }
  if (entry->second.snapshot->owner != caller) return unknown_handle();
  by_use_.splice(by_use_.end(), by_use_, entry->second.place);
  return entry->second.snapshot;
}

engine::Statement Spool::page(const Snapshot& snapshot, std::uint64_t offset, std::uint64_t count,
                              std::size_t columns_max) {
  return {.sql = page_select(snapshot, offset, count, columns_max)};
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
  const std::string name = file_name(crypto::random_token() + ".page");
  const Result<std::uint64_t> written = engine.execute(
      {.sql = fmt::format("COPY ({}) TO {} (FORMAT parquet)", page_select(snapshot, offset, count),
                          quote_text(folder_.path() + "/" + name))},
      limits);
  Result<std::string> bytes =
      written.ok() ? read_file(name, bytes_max) : Result<std::string>(spool_error(written.error()));
  (void)folder_.remove(name);
  return bytes;
}

}  // namespace sluice::query
