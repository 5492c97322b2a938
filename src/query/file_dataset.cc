#include "sluice/query/file_dataset.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/engine/sql.h"

#include "rows_reader.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;

constexpr std::uint64_t kWholeSniffBytes = std::uint64_t{64}
                                           << 20U;  // Up to here every row decides on the types.
constexpr std::size_t kSniffRows = 200'000;
constexpr std::size_t kBesideBytesMax = std::size_t{1} << 20U;

// The engine is given a descriptor, not a name: what was opened beneath the folder is what is read, whatever
// is renamed or linked meanwhile.
std::string descriptor_path(const fs::File& file) {
  return fmt::format("/proc/self/fd/{}", file.descriptor());
}

// The name of what is not compressed differs between the engine's readers.
std::string compression_argument(const FileKind& kind) {
  const bool is_json = kind.format == FileFormat::kJson || kind.format == FileFormat::kNdjson;
  switch (kind.compression) {
    case Compression::kNone:
      return is_json ? "compression = 'uncompressed'" : "compression = 'none'";
    case Compression::kGzip:
      return "compression = 'gzip'";
    case Compression::kZstd:
      return "compression = 'zstd'";
  }
  return "";
}

std::string sample_argument(const fs::FileStatus& status) {
  return status.bytes <= kWholeSniffBytes ? "sample_size = -1" : fmt::format("sample_size = {}", kSniffRows);
}

std::string function_of(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv:
      return "read_csv";
    case FileFormat::kJson:
    case FileFormat::kNdjson:
      return "read_json";
    case FileFormat::kParquet:
      return "read_parquet";
  }
  return "";
}

// {'name': 'TYPE', …}
std::string columns_argument(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string out = "columns = {";
  for (const auto& [name, type] : columns) {
    if (!out.ends_with('{')) out += ", ";
    out += quote_text(name) + ": " + quote_text(type);
  }
  return out + "}";
}

std::string type_of_column(const Collection& collection, const std::string& name, std::string found) {
  const auto hint = collection.types.find(name);
  return hint == collection.types.end() ? std::move(found) : hint->second;
}

std::string sniffed(const std::string& value) { return value == "(empty)" ? "" : value; }

// Everything about a CSV file's form is found once; queries then read it without guessing.
Result<std::string> csv_reader(engine::Engine& engine, const engine::RunLimits& limits,
                               const std::string& path, const std::string& options,
                               const Collection& collection) {
  const std::string call = fmt::format("sniff_csv({}, {})", quote_text(path), options);
  SLUICE_TRY(const std::vector<TextRow> found,
             read_rows(engine,
                       {.sql = "SELECT Delimiter, Quote, Escape, Comment, SkipRows, HasHeader, DateFormat, "
                               "TimestampFormat, c.name, c.type FROM (SELECT *, unnest(Columns) AS c FROM " +
                               call + ")"},
                       limits));
  if (found.empty()) {
    return make_error(ErrorKind::kUnavailable, "read columns: the file has none")
        .with_code("unreadable_file")
        .with_hint("The file is empty, or not what its name says.");
  }
  const TextRow& first = found.front();
  const std::string quote = sniffed(first[1]);
  std::vector<std::pair<std::string, std::string>> columns;
  for (const TextRow& row : found) columns.emplace_back(row[8], type_of_column(collection, row[8], row[9]));
  // A file without an escaped quote in sight still may have one further down: RFC 4180 doubles it.
  const std::string escape = sniffed(first[2]).empty() ? quote : sniffed(first[2]);
  std::string out = fmt::format(
      "auto_detect = false, delim = {}, quote = {}, escape = {}, comment = {}, skip = {}, "
      "header = {}, {}",
      quote_text(first[0]), quote_text(quote), quote_text(escape), quote_text(sniffed(first[3])), first[4],
      first[5], columns_argument(columns));
  if (!first[6].empty()) out += ", dateformat = " + quote_text(first[6]);
  if (!first[7].empty()) out += ", timestampformat = " + quote_text(first[7]);
  return out;
}

Result<std::string> json_reader(engine::Engine& engine, const std::string& path, const std::string& options,
                                const Collection& collection) {
  SLUICE_TRY(
      const engine::Description description,
      engine.describe({.sql = fmt::format("SELECT * FROM read_json({}, {})", quote_text(path), options)}));
  std::vector<std::pair<std::string, std::string>> columns;
  for (const engine::Field& column : description.columns) {
    columns.emplace_back(column.name, type_of_column(collection, column.name, engine::sql_name(column.type)));
  }
  return columns_argument(columns);
}

bool has_unmapped(const engine::Type& type) {
  if (type.id == engine::TypeId::kOther) return true;
  for (const engine::Field& field : type.fields) {
    if (has_unmapped(field.type)) return true;
  }
  return false;
}

// Types without a mapping are read as text.
std::string replacements(const expression::Columns& columns) {
  std::string out;
  for (const engine::Field& column : columns) {
    if (!has_unmapped(column.type)) continue;
    out += out.empty() ? "" : ", ";
    out += fmt::format("CAST({0} AS VARCHAR) AS {0}", quote_name(column.name));
  }
  return out;
}

}  // namespace

FileDataset::FileDataset(Identity identity, std::shared_ptr<const fs::Root> root, FileKind kind)
    : Dataset(std::move(identity)), root_(std::move(root)), kind_(std::move(kind)) {}

Result<Table> FileDataset::inspect(engine::Engine& engine, const engine::RunLimits& limits) const {
  SLUICE_TRY(const fs::File file, root_->open_beneath(identity().path));
  SLUICE_TRY(const fs::FileStatus status, file.status());
  const std::string path = descriptor_path(file);
  const bool is_parquet = kind_.format == FileFormat::kParquet;
  std::string options = is_parquet ? "" : compression_argument(kind_);
  Table table;
  switch (kind_.format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv: {
      SLUICE_TRY(table.reader,
                 csv_reader(engine, limits, path, options + ", " + sample_argument(status), collection()));
      break;
    }
    case FileFormat::kJson:
    case FileFormat::kNdjson: {
      SLUICE_TRY(table.reader,
                 json_reader(engine, path, options + ", " + sample_argument(status), collection()));
      break;
    }
    case FileFormat::kParquet:
      break;
  }
  table.reader =
      ", " + (table.reader.empty() ? std::string("union_by_name = false") : options + ", " + table.reader);
  table.row_number = is_parquet ? "file_row_number" : "row_number() OVER ()";
  const std::string from = fmt::format("{}({}{})", function_of(kind_.format), quote_text(path), table.reader);
  SLUICE_TRY(engine::Description description, engine.describe({.sql = "SELECT * FROM " + from}));
  table.columns = std::move(description.columns);
  return table;
}

Result<Relation> FileDataset::open(const Table& table) const {
  SLUICE_TRY(fs::File opened, root_->open_beneath(identity().path));
  auto file = std::make_shared<const fs::File>(std::move(opened));
  std::string from =
      fmt::format("{}({}{})", function_of(kind_.format), quote_text(descriptor_path(*file)), table.reader);
  if (const std::string replaced = replacements(table.columns); !replaced.empty()) {
    from = fmt::format("(SELECT * REPLACE ({}){} FROM {})", replaced,
                       kind_.format == FileFormat::kParquet ? ", file_row_number" : "", from);
  }
  return Relation{.sql = std::move(from), .lease = std::move(file)};
}

Result<std::string> FileDataset::read_beside(std::string_view suffix) const {
  SLUICE_TRY(const fs::File file, root_->open_beneath(path_beside(suffix)));
  return file.read_all(kBesideBytesMax);
}

std::string FileDataset::path_beside(std::string_view suffix) const {
  return kind_.stem + std::string(suffix);
}

}  // namespace sluice::query
