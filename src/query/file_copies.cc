#include "sluice/query/file_copies.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/crypto/random.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/open_files.h"
#include "sluice/text/utf8_converter.h"

#include "columns.h"
#include "growth_guard.h"
#include "sheet_form.h"

namespace sluice::query {

namespace {

using engine::quote_text;

constexpr std::chrono::hours kLifetime{24};
constexpr std::uint64_t kLargestPart = 2;  // Of all bytes, for one copy in columns.
// A row group is held in memory while it is written.
constexpr std::uint64_t kGroupRowsMax = 122'880;
constexpr std::uint64_t kGroupRowsMin = 2'048;
constexpr std::uint64_t kGroupCells = std::uint64_t{4} << 20U;
constexpr std::uint64_t kGroupBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kColumnsMax = 256;  // Of more, the small row groups would take longer than the text.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

Error too_large(std::uint64_t bytes_max) {
  return limit_reached("bytes of a copy in UTF-8", bytes_max)
      .with_code("unsupported_encoding")
      .with_hint("The file is too large to be converted here: convert it to UTF-8.");
}

Error document_too_large(std::uint64_t bytes_max) {
  return limit_reached("bytes of the rows of a JSON document", bytes_max)
      .with_code("unreadable_file")
      .with_hint("Store the rows as NDJSON or Parquet.");
}

// What of a piece of a document at `offset` belongs to a part of it: one range, or what is around it.
std::array<std::string_view, 2> kept_pieces(std::string_view piece, std::uint64_t offset,
                                            const std::optional<JsonRows>& rows, JsonPart part,
                                            std::uint64_t object_begin) {
  const auto between = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = std::clamp(begin, offset, offset + piece.size()) - offset;
    const std::uint64_t to = std::clamp(end, offset, offset + piece.size()) - offset;
    return from < to ? piece.substr(from, to - from) : std::string_view();
  };
  if (!rows) return {piece, {}};
  if (part == JsonPart::kRows) return {between(rows->begin, rows->end), {}};
  return {between(object_begin, rows->member_begin), between(rows->member_end, UINT64_MAX)};
}

// Each holds an open file, and others need some.
std::size_t copies_max() {
  constexpr std::uint64_t kPart = 8;
  return std::clamp<std::uint64_t>(fs::open_files_max() / kPart, 1, kCacheEntriesMax);
}

// What a copy is, in the keys.
constexpr char kText = 't';
constexpr char kColumns = 'c';
constexpr char kPart = 'p';
constexpr char kSheet = 's';

std::string prefix_of(char kind, const std::string& name) { return kind + name + '\0'; }

cache::Key columns_key(const Dataset::Identity& identity) {
  return {.scope = cache::Scope::shared(), .text = prefix_of(kColumns, identity.name) + identity.version};
}

Result<cache::Loaded<FileCopies::Copy>> loaded(FileCopies::Copy copy) {
  SLUICE_TRY(const std::uint64_t bytes, copy.seal());
  return cache::Loaded<FileCopies::Copy>{.value = std::move(copy), .bytes = bytes, .lifetime = kLifetime};
}

Error no_columns(std::string_view reason) { return unsupported(fmt::format("copy in columns: {}", reason)); }

// How many rows are written as one group, by how wide they seem to be.
std::uint64_t group_rows(const Dataset& dataset, const Table& table) {
  constexpr double kExpansion = 4;  // Of what is compressed.
  double width = table.row_bytes;
  if (width <= 0 && dataset.count_state() == CountState::kExact && dataset.row_count() > 0)
    width =
        kExpansion * static_cast<double>(dataset.identity().bytes) / static_cast<double>(dataset.row_count());
  const std::uint64_t by_cells = kGroupCells / std::max<std::size_t>(1, table.columns.size());
  const std::uint64_t by_bytes = kGroupBytes / std::max<std::uint64_t>(1, static_cast<std::uint64_t>(width));
  return std::clamp(std::min(by_cells, by_bytes), kGroupRowsMin, kGroupRowsMax);
}

bool are_equal(const expression::Columns& a, const expression::Columns& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const engine::Field& left, const engine::Field& right) {
        return left.name == right.name && engine::sql_name(left.type) == engine::sql_name(right.type);
      });
}

// The engine hashes zero and minus zero as two values, and some blobs as others: a Bloom filter hides them
// from an `x = 0` of SQL.
std::string_view bloom_option(const expression::Columns& columns) {
  const bool is_misled = std::any_of(columns.begin(), columns.end(), [](const engine::Field& column) {
    const engine::TypeId id = column.type.id;
    return id == engine::TypeId::kFloat || id == engine::TypeId::kDouble || id == engine::TypeId::kBlob;
  });
  return is_misled ? ", WRITE_BLOOM_FILTER false" : "";
}

}  // namespace

FileCopies::Copy::Copy(const FileCopies& owner, std::string name, fs::File file)
    : owner_(&owner), name_(std::move(name)), file_(std::move(file)) {}

FileCopies::Copy::Copy(Copy&& other) noexcept
    : owner_(other.owner_),
      name_(std::exchange(other.name_, {})),
      file_(std::move(other.file_)),
      sealed_(other.sealed_),
      sheet_(std::move(other.sheet_)) {}

FileCopies::Copy::~Copy() {
  if (!name_.empty()) (void)owner_->folder_.remove(name_);
}

Result<std::uint64_t> FileCopies::Copy::seal() {
  SLUICE_TRY(sealed_, file_.status());
  return sealed_.bytes;
}

bool FileCopies::Copy::is_intact() const {
  const Result<fs::FileStatus> now = file_.status();
  return now.ok() && now->bytes == sealed_.bytes && now->modified == sealed_.modified;
}

FileCopies::FileCopies(fs::PrivateFolder folder, std::uint64_t bytes_max, const Clock& clock)
    : folder_(std::move(folder)),
      bytes_max_(bytes_max),
      copies_(clock, {.entries_max = copies_max(), .bytes_max = bytes_max}) {}

Result<FileCopies::Copy> FileCopies::convert(const Source& source, const std::stop_token& stop) const {
  SLUICE_TRY(text::Utf8Converter converter, text::Utf8Converter::open(source.charset));
  const std::string name = crypto::random_token() + ".txt";
  SLUICE_TRY(fs::FileWriter writer, folder_.create(name));
  SLUICE_TRY(fs::File opened, folder_.root().open_beneath(name));
  Copy copy(*this, name, std::move(opened));  // From here on a failure removes the file.
  using Piece = text::Utf8Converter::Piece;
  std::uint64_t offset = 0;
  while (true) {
    if (stop.stop_requested()) return cancelled();
    SLUICE_TRY(const std::string bytes, source.file.read_at(offset, kPieceBytes));
    offset += bytes.size();
    std::string out;
    converter.convert(bytes, bytes.size() < kPieceBytes ? Piece::kLast : Piece::kMore, out);
    if (writer.bytes() + out.size() > bytes_max_) return too_large(bytes_max_);
    SLUICE_CHECK(writer.write(out));
    if (bytes.size() < kPieceBytes) return copy;
  }
}

Result<FileCopies::Copy> FileCopies::cut_out(const Source& source, JsonPart part,
                                             inspection::Compression compression,
                                             const inspection::ReadLimits& limits) const {
  JsonRowsScan scan;
  {
    SLUICE_TRY(const std::unique_ptr<inspection::ByteStream> stream,
               inspection::open_stream(source.file, compression, limits));
    while (true) {
      SLUICE_TRY(const std::string_view piece, stream->next());
      if (piece.empty() || !scan.feed(piece)) break;
    }
  }
  const std::optional<JsonRows> rows = scan.finish();
  if (!rows && part == JsonPart::kRest) {
    return unavailable("read JSON: it is not one object with one array of objects")
        .with_code("unreadable_file")
        .with_hint("Read the dataset of this name without .about.");
  }
  const std::string name = crypto::random_token() + ".json";
  SLUICE_TRY(fs::FileWriter writer, folder_.create(name));
  SLUICE_TRY(fs::File opened, folder_.root().open_beneath(name));
  Copy copy(*this, name, std::move(opened));  // From here on a failure removes the file.
  SLUICE_TRY(const std::unique_ptr<inspection::ByteStream> stream,
             inspection::open_stream(source.file, compression, limits));
  std::uint64_t offset = 0;
  while (true) {
    SLUICE_TRY(const std::string_view piece, stream->next());
    if (piece.empty()) return copy;
    for (const std::string_view kept : kept_pieces(piece, offset, rows, part, scan.object_begin())) {
      if (writer.bytes() + kept.size() > bytes_max_) return document_too_large(bytes_max_);
      SLUICE_CHECK(writer.write(kept));
    }
    offset += piece.size();
  }
}

Result<FileCopies::CopyPtr> FileCopies::get_json_part(const Source& source, JsonPart part,
                                                      inspection::Compression compression,
                                                      const inspection::ReadLimits& limits) {
  const std::string prefix = prefix_of(kPart, source.name);
  const cache::Key key{.scope = cache::Scope::shared(), .text = prefix + source.version};
  if (CopyPtr found = find_intact(key)) return found;
  copies_.invalidate_prefix(prefix);
  const auto load = [&](const std::stop_token& asked) -> Result<cache::Loaded<Copy>> {
    SLUICE_TRY(Copy copy, cut_out(source, part, compression, {.deadline = limits.deadline, .stop = asked}));
    return loaded(std::move(copy));
  };
  return copies_.get_or_load(key, load, limits.stop);
}

Result<FileCopies::CopyPtr> FileCopies::get_text(const Source& source, const std::stop_token& stop) {
  const std::string prefix = prefix_of(kText, source.name);
  const cache::Key key{.scope = cache::Scope::shared(),
                       .text = prefix + source.version + '\0' + source.charset};
  if (CopyPtr found = find_intact(key)) return found;
  copies_.invalidate_prefix(prefix);
  const auto load = [&](const std::stop_token& asked) -> Result<cache::Loaded<Copy>> {
    SLUICE_TRY(Copy copy, convert(source, asked));
    return loaded(std::move(copy));
  };
  return copies_.get_or_load(key, load, stop);
}

Result<FileCopies::Copy> FileCopies::convert_sheet(const Source& source, FileFormat format, std::size_t sheet,
                                                   const inspection::ReadLimits& limits) const {
  const std::string name = crypto::random_token() + ".csv";
  SLUICE_TRY(fs::FileWriter writer, folder_.create(name));
  SLUICE_TRY(fs::File opened, folder_.root().open_beneath(name));
  Copy copy(*this, name, std::move(opened));  // From here on a failure removes the file.
  SLUICE_TRY(SheetForm form, write_sheet(source.file, {.format = format, .sheet = sheet}, limits,
                                         {.file = writer, .bytes_max = bytes_max_}));
  copy.set_sheet(std::make_shared<const SheetForm>(std::move(form)));
  return copy;
}

Result<FileCopies::CopyPtr> FileCopies::get_sheet(const Source& source, FileFormat format, std::size_t sheet,
                                                  const inspection::ReadLimits& limits) {
  const std::string prefix = prefix_of(kSheet, source.name);
  const cache::Key key{.scope = cache::Scope::shared(), .text = prefix + source.version};
  if (CopyPtr found = find_intact(key)) return found;
  copies_.invalidate_prefix(prefix);
  const auto load = [&](const std::stop_token& asked) -> Result<cache::Loaded<Copy>> {
    SLUICE_TRY(Copy copy, convert_sheet(source, format, sheet, {.deadline = limits.deadline, .stop = asked}));
    return loaded(std::move(copy));
  };
  return copies_.get_or_load(key, load, limits.stop);
}

FileCopies::CopyPtr FileCopies::find_columns(const Dataset::Identity& identity) {
  return find_intact(columns_key(identity));
}

FileCopies::CopyPtr FileCopies::find_intact(const cache::Key& key) {
  CopyPtr found = copies_.find(key);
  if (!found || found->is_intact()) return found;
  log::warning("copy_changed_from_outside", {{"folder", folder_.path()}});
  copies_.invalidate(key);
  return nullptr;
}

Status FileCopies::make_columns(engine::Engine& engine, const Dataset& dataset, const Table& table,
                                const engine::RunLimits& limits) {
  SLUICE_TRY(Copy copy, write_columns(engine, dataset, table, limits));
  SLUICE_TRY(cache::Loaded<Copy> kept, loaded(std::move(copy)));
  copies_.invalidate_prefix(prefix_of(kColumns, dataset.name()));
  copies_.put(columns_key(dataset.identity()), std::move(kept));
  return {};
}

Result<FileCopies::Copy> FileCopies::write_columns(engine::Engine& engine, const Dataset& dataset,
                                                   const Table& table,
                                                   const engine::RunLimits& limits) const {
  if (has_column(table.columns, kFileRowNumber)) return no_columns("a column has the name of rows' places");
  if (table.columns.size() > kColumnsMax) return no_columns("there are too many");
  for (const engine::Field& column : table.columns) {
    if (!is_kept_by_parquet(column.type)) return no_columns("Parquet does not keep its types");
  }
  SLUICE_TRY(const Relation relation, dataset.open(table, limits, nullptr));
  const std::string name = crypto::random_token() + ".parquet";
  const std::string columns = names_sql(table.columns);
  const std::string path = quote_text(folder_.path() + "/" + name);
  const std::uint64_t largest = bytes_max_ / kLargestPart;
  Result<std::uint64_t> rows = internal_error("copy: not begun");
  bool has_room = true;
  {
    const GrowthGuard guard(folder_.root(), name, limits.stop,
                            [largest](std::uint64_t bytes) { return bytes <= largest; });
    // Not compressed: that is read in half the time.
    rows = engine.execute({.sql = fmt::format("COPY (SELECT {} FROM {}) TO {} (FORMAT parquet, COMPRESSION "
                                              "uncompressed, ROW_GROUP_SIZE {}{})",
                                              columns, relation.sql, path, group_rows(dataset, table),
                                              bloom_option(table.columns)),
                           .parameters = {}},
                          {.deadline = limits.deadline, .stop = guard.stop()});
    has_room = !guard.was_too_large();
  }
  Result<fs::File> file = folder_.root().open_beneath(name);
  if (!file.ok()) return rows.ok() ? std::move(file).error() : std::move(rows).error();
  Copy copy(*this, name, *std::move(file));                       // From here on a failure removes the file.
  SLUICE_TRY(const fs::FileStatus status, copy.file().status());  // The guard's last look was before its end.
  if (!has_room || status.bytes > largest) return limit_reached("bytes of a copy in columns", largest);
  if (!rows.ok()) return std::move(rows).error();
  SLUICE_TRY(const engine::Description kept,
             engine.describe({.sql = fmt::format("SELECT {} FROM read_parquet({})", columns, path)}));
  if (!are_equal(kept.columns, table.columns)) return no_columns("Parquet gives other types back");
  if (!dataset.is_current()) return no_columns("the file has changed meanwhile");
  return copy;
}

}  // namespace sluice::query
