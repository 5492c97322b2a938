#include "outside.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/engine/batch_builder.h"

#include "types.h"

namespace sluice::engine::duck {

namespace {

constexpr std::string_view kFailed = "outside rows failed: #";

using SourcesPtr = std::shared_ptr<const Sources>;

// What a statement knows of the source between naming it and reading it.
struct Bound {
  std::uint64_t number = 0;
  std::shared_ptr<Sources::Entry> entry;
  std::shared_ptr<OutsideReads> reads;  // Shared by all that the statement names. Null: it does not run.
};

thread_local std::shared_ptr<OutsideReads> current_reads;

struct Reading {
  Bound bound;
  Rows* rows = nullptr;        // Of the statement's reads; null at the end.
  std::vector<idx_t> outputs;  // Where the columns that are read stand in the engine's chunk.
  const Batch* batch = nullptr;
  std::size_t done = 0;  // Rows of the batch that have been given.
};

void fail(const Bound& bound, const Error& error) {
  const MutexLock lock(bound.entry->mutex);
  bound.entry->error = error;
}

std::string failure(const Bound& bound) { return fmt::format("{}{}", kFailed, bound.number); }

struct Part {  // Rows of a column.
  std::size_t from = 0;
  std::size_t count = 0;
};

void copy_column(const Column& column, Part part, duckdb_vector to, std::size_t at);

// The elements of a list, or the keys and values of a map, which the engine has as a list of structs.
void copy_elements(const Column& column, Part part, duckdb_vector to, std::size_t at) {
  const duckdb_vector child = duckdb_list_vector_get_child(to);
  if (column.type->id == TypeId::kList) return copy_column(column.children.front(), part, child, at);
  for (std::size_t i = 0; i < column.children.size(); ++i)
    copy_column(column.children[i], part, duckdb_struct_vector_get_child(child, i), at);
}

void copy_lists(const Column& column, Part part, duckdb_vector to, std::size_t at) {
  idx_t end = duckdb_list_vector_get_size(to);
  for (std::size_t i = 0; i < part.count; ++i) {
    const std::size_t row = part.from + i;
    const ListCell list = column.is_null(row) ? ListCell{} : column.at<ListCell>(row);
    duckdb_list_vector_reserve(to, end + list.size);
    duckdb_list_vector_set_size(to, end + list.size);
    copy_elements(column, {.from = list.offset, .count = list.size}, to, end);
    static_cast<duckdb_list_entry*>(duckdb_vector_get_data(to))[at + i] = {.offset = end,
                                                                           .length = list.size};
    end += list.size;
  }
}

// The engine takes the members of a null struct and the elements of a null array for null, too.
void set_null_with_children(const Type& type, duckdb_vector to, std::size_t row) {
  set_null(to, row);
  if (type.id == TypeId::kStruct) {
    for (std::size_t i = 0; i < type.fields.size(); ++i)
      set_null_with_children(type.fields[i].type, duckdb_struct_vector_get_child(to, i), row);
  }
  for (std::size_t i = 0; type.id == TypeId::kArray && i < type.array_size; ++i)
    set_null_with_children(type.fields.front().type, duckdb_array_vector_get_child(to),
                           row * type.array_size + i);
}

// Rows of a struct or an array that are not null: nobody vouches for what the children of others hold.
void copy_members(const Column& column, Part part, duckdb_vector to, std::size_t at) {
  if (column.type->id == TypeId::kArray) {
    const std::size_t size = column.type->array_size;
    return copy_column(column.children.front(), {.from = part.from * size, .count = part.count * size},
                       duckdb_array_vector_get_child(to), at * size);
  }
  for (std::size_t i = 0; i < column.children.size(); ++i)
    copy_column(column.children[i], part, duckdb_struct_vector_get_child(to, i), at);
}

void copy_present_members(const Column& column, Part part, duckdb_vector to, std::size_t at) {
  std::size_t begin = 0;
  while (begin < part.count) {
    std::size_t end = begin;
    while (end < part.count && !column.is_null(part.from + end)) ++end;
    copy_members(column, {.from = part.from + begin, .count = end - begin}, to, at + begin);
    begin = end + 1;
  }
}

void copy_column(const Column& column, Part part, duckdb_vector to, std::size_t at) {
  for (std::size_t i = 0; column.valid != nullptr && i < part.count; ++i) {
    if (column.is_null(part.from + i)) set_null_with_children(*column.type, to, at + i);
  }
  switch (column.type->id) {
    case TypeId::kText:
    case TypeId::kBlob:
      for (std::size_t i = 0; i < part.count; ++i) {
        if (column.is_null(part.from + i)) continue;
        const std::string_view text = column.text(part.from + i);
        duckdb_vector_assign_string_element_len(to, at + i, text.data(), text.size());
      }
      return;
    case TypeId::kList:
    case TypeId::kMap:
      return copy_lists(column, part, to, at);
    case TypeId::kArray:
    case TypeId::kStruct:
      return copy_present_members(column, part, to, at);
    default: {
      const std::size_t size = cell_bytes(*column.type);
      std::memcpy(static_cast<std::byte*>(duckdb_vector_get_data(to)) + at * size,
                  column.cells + part.from * size, part.count * size);
      return;
    }
  }
}

void bind(duckdb_bind_info info) {
  const auto& sources = *static_cast<const SourcesPtr*>(duckdb_bind_get_extra_info(info));
  const Value number(duckdb_bind_get_parameter(info, 0));
  Bound bound{.number = static_cast<std::uint64_t>(duckdb_get_int64(number.get()))};
  bound.entry = sources->find(bound.number);
  if (!bound.entry) return duckdb_bind_set_error(info, "there are no such rows outside");
  for (const Field& column : bound.entry->source->columns()) {
    const LogicalType type = logical_type_of(column.type);
    if (!type) return duckdb_bind_set_error(info, "rows outside have a type that cannot be read");
    duckdb_bind_add_result_column(info, column.name.c_str(), type.get());
  }
  bound.reads = OutsideReads::current();  // Null: the statement is only described.
  if (bound.reads) bound.reads->note(*bound.entry->source);
  duckdb_bind_set_bind_data(info, new Bound(std::move(bound)),
                            [](void* data) { delete static_cast<Bound*>(data); });
}

void begin(duckdb_init_info info) {
  const auto& bound = *static_cast<const Bound*>(duckdb_init_get_bind_data(info));
  if (!bound.reads) return duckdb_init_set_error(info, "a statement that is only described does not run");
  auto reading = std::make_unique<Reading>();
  reading->bound = bound;
  std::vector<std::size_t> wanted;
  for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
    const idx_t column = duckdb_init_get_column_index(info, i);
    if (column >= bound.entry->source->columns().size()) continue;  // Where it only counts rows.
    wanted.push_back(column);
    reading->outputs.push_back(i);
  }
  duckdb_init_set_max_threads(info, 1);
  const Result<Rows*> rows = bound.reads->open(*bound.entry->source, wanted);
  if (!rows.ok()) {
    fail(bound, rows.error());
    return duckdb_init_set_error(info, failure(bound).c_str());
  }
  reading->rows = *rows;
  duckdb_init_set_init_data(info, reading.release(), [](void* data) { delete static_cast<Reading*>(data); });
}

void read(duckdb_function_info info, duckdb_data_chunk output) {
  auto& reading = *static_cast<Reading*>(duckdb_function_get_init_data(info));
  if (reading.rows == nullptr) return duckdb_data_chunk_set_size(output, 0);
  if (reading.batch == nullptr || reading.done == reading.batch->rows) {
    const Result<const Batch*> next = reading.rows->next();
    if (!next.ok()) {
      fail(reading.bound, next.error());
      return duckdb_function_set_error(info, failure(reading.bound).c_str());
    }
    reading.batch = *next;
    reading.done = 0;
    if (reading.batch == nullptr) {
      reading.bound.reads->close(reading.rows);
      reading.rows = nullptr;
      return duckdb_data_chunk_set_size(output, 0);
    }
  }
  const std::size_t rows = std::min<std::size_t>(reading.batch->rows - reading.done, duckdb_vector_size());
  for (std::size_t i = 0; i < reading.outputs.size(); ++i) {
    copy_column(reading.batch->columns[i], {.from = reading.done, .count = rows},
                duckdb_data_chunk_get_vector(output, reading.outputs[i]), 0);
  }
  reading.done += rows;
  duckdb_data_chunk_set_size(output, rows);
}

}  // namespace

OutsideReads::Scope::Scope(std::shared_ptr<OutsideReads> reads) { current_reads = std::move(reads); }

OutsideReads::Scope::~Scope() { current_reads.reset(); }

std::shared_ptr<OutsideReads> OutsideReads::current() { return current_reads; }

void OutsideReads::note(const Source& source) {
  engine::Database* database = source.database();
  if (database == nullptr) return;
  const MutexLock lock(mutex_);
  if (std::exchange(is_bound_, false)) counts_.clear();
  ++counts_[database];
}

Status OutsideReads::reserve() {
  Counts counts;
  {
    const MutexLock lock(mutex_);
    is_bound_ = true;
    if (counts_.empty()) return {};
    counts = counts_;
  }
  SLUICE_TRY(Reserved reserved, reserve_all(counts));
  const MutexLock lock(mutex_);
  reserved_ = std::move(reserved);
  return {};
}

// Waits for one database at a time, holding nothing, and takes those of the others only if they are free at
// that moment. A statement that is not lucky soon waits for each in turn.
Result<OutsideReads::Reserved> OutsideReads::reserve_all(const Counts& counts) const {
  constexpr int kAttemptsMax = 8;
  engine::Database* first = counts.begin()->first;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    Reserved out;
    SLUICE_TRY(std::shared_ptr<Reservation> waited, first->reserve(counts.at(first), limits_));
    out[first] = {.reads = counts.at(first), .reservation = std::move(waited)};
    engine::Database* missing = nullptr;
    for (const auto& [database, reads] : counts) {
      if (database == first) continue;
      std::shared_ptr<Reservation> reservation = database->try_reserve(reads);
      if (!reservation) {
        missing = database;
        break;
      }
      out[database] = {.reads = reads, .reservation = std::move(reservation)};
    }
    if (missing == nullptr) return out;
    first = missing;
  }
  return reserve_in_order(counts);
}

// Nobody waits for a database while it holds connections of one that comes later: that cannot make a circle.
Result<OutsideReads::Reserved> OutsideReads::reserve_in_order(const Counts& counts) const {
  Reserved out;
  for (const auto& [database, reads] : counts) {
    SLUICE_TRY(std::shared_ptr<Reservation> reservation, database->reserve(reads, limits_));
    out[database] = {.reads = reads, .reservation = std::move(reservation)};
  }
  return out;
}

// A statement with parameters whose types only their values tell is bound again before it runs, and may only
// then name all of its sources. No read has begun, so that nothing is held while this waits.
Status OutsideReads::reserve_again() {
  const bool has_all =
      std::all_of(counts_.begin(), counts_.end(), [&](const auto& count) SLUICE_REQUIRES(mutex_) {
        const auto found = reserved_.find(count.first);
        return found != reserved_.end() && found->second.reads >= count.second;
      });
  if (has_all) return {};
  reserved_.clear();
  SLUICE_TRY(reserved_, reserve_all(counts_));
  return {};
}

Result<Rows*> OutsideReads::open(Source& source, const std::vector<std::size_t>& wanted) {
  ReadOptions options{.limits = limits_, .reservation = {}};
  bool is_short = false;
  {
    const MutexLock lock(mutex_);
    if (has_ended_) return cancelled();
    if (!std::exchange(has_begun_, true)) SLUICE_CHECK(reserve_again());
    if (const auto found = reserved_.find(source.database()); found != reserved_.end()) {
      options.reservation = found->second.reservation;
      is_short = options.reservation->connections() < found->second.reads;
    }
  }
  SLUICE_TRY(std::unique_ptr<Rows> rows,
             is_short ? read_whole(source, wanted, options) : read(source, wanted, options));
  const MutexLock lock(mutex_);
  if (has_ended_) return cancelled();
  return open_.emplace_back(std::move(rows)).get();
}

// Rows that come from no database are as near as a file.
Result<std::unique_ptr<Rows>> OutsideReads::read(Source& source, const std::vector<std::size_t>& wanted,
                                                 const ReadOptions& options) {
  SLUICE_TRY(std::unique_ptr<Rows> rows, source.read(wanted, options));
  if (source.database() == nullptr) return rows;
  return metered_rows(std::move(rows), meter_);
}

// One read after the other, each to its end: its connection serves the next one before the engine needs the
// rows. The reads depend on nobody but their database, so that waiting for the turn ends.
Result<std::unique_ptr<Rows>> OutsideReads::read_whole(Source& source, const std::vector<std::size_t>& wanted,
                                                       const ReadOptions& options) {
  const MutexLock turn(turn_);
  SLUICE_TRY(const std::unique_ptr<Rows> rows, read(source, wanted, options));
  return buffer_rows(*rows, space_);
}

void OutsideReads::close(Rows* rows) {
  std::unique_ptr<Rows> closed;  // Ends outside of the lock.
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const auto& other) { return other.get() == rows; });
  if (found == open_.end()) return;
  closed = std::move(*found);
  open_.erase(found);
}

void OutsideReads::end() {
  std::vector<std::unique_ptr<Rows>> closed;
  const MutexLock lock(mutex_);
  has_ended_ = true;
  closed.swap(open_);
  reserved_.clear();
}

Status register_outside(duckdb_connection connection, std::shared_ptr<const Sources> sources) {
  const TableFunction function(duckdb_create_table_function());
  const LogicalType number(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  duckdb_table_function_set_name(function.get(), "outside");
  duckdb_table_function_add_parameter(function.get(), number.get());
  duckdb_table_function_set_extra_info(function.get(), new SourcesPtr(std::move(sources)),
                                       [](void* extra) { delete static_cast<SourcesPtr*>(extra); });
  duckdb_table_function_set_bind(function.get(), bind);
  duckdb_table_function_set_init(function.get(), begin);
  duckdb_table_function_set_function(function.get(), read);
  duckdb_table_function_supports_projection_pushdown(function.get(), true);
  if (duckdb_register_table_function(connection, function.get()) == DuckDBError)
    return internal_error("register function: outside");
  return {};
}

std::optional<Error> error_from_outside(const Sources& sources, std::string_view message) {
  const std::size_t at = message.find(kFailed);
  if (at == std::string_view::npos) return std::nullopt;
  message.remove_prefix(at + kFailed.size());
  std::uint64_t number = 0;
  std::from_chars(message.data(), message.data() + message.size(), number);
  const std::shared_ptr<Sources::Entry> entry = sources.find(number);
  if (!entry) return std::nullopt;
  const MutexLock lock(entry->mutex);
  return entry->error;
}

}  // namespace sluice::engine::duck
