#include "sluice/query/file_dataset.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/query/rows_reader.h"
#include "sluice/text/encoding.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;

constexpr std::uint64_t kWholeSniffBytes = std::uint64_t{64}
                                           << 20U;  // Up to here every row decides on the types.
constexpr std::size_t kSniffRows = 200'000;
constexpr std::size_t kBesideBytesMax = std::size_t{1} << 20U;
// What an encoding is told by, and the rest of a character that ends there.
constexpr std::size_t kEncodingBytes = (std::size_t{64} << 10U) + 4;

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

// What the reader of a CSV file is told of its encoding. An encoding that the engine cannot read, or that is
// a guess among several, is refused: wrong characters would not look like an error.
Result<std::string> encoding_argument(std::string_view beginning, const FileKind& kind) {
  const text::Encoding found = text::detect_encoding(beginning);
  if (found.charset == "UTF-8") return std::string();
  const bool is_csv = kind.format == FileFormat::kCsv || kind.format == FileFormat::kTsv;
  if (is_csv && found.charset == "UTF-16LE") return std::string(", encoding = 'utf-16'");
  if (is_csv && found.charset == "ISO-8859-1" && found.confidence > 0)
    return std::string(", encoding = 'latin-1'");
  return unsupported(fmt::format("read text: its encoding is {}",
                                 found.confidence > 0 ? "probably " + excerpt(found.charset) : "not known"))
      .with_code("unsupported_encoding")
      .with_hint("Convert the file to UTF-8.");
}

// The engine does not see that a file is an array where a byte order mark stands before it.
std::string_view array_argument(std::string_view beginning, const FileKind& kind) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (kind.format != FileFormat::kJson || !beginning.starts_with(kMark)) return "";
  const std::size_t first = beginning.find_first_not_of(" \t\r\n", kMark.size());
  return first != std::string::npos && beginning[first] == '[' ? ", format = 'array'" : "";
}

bool mixes_line_ends(std::string_view beginning) {
  std::size_t lines = 0;
  std::size_t with_return = 0;
  for (std::size_t at = beginning.find('\n'); at != std::string_view::npos;
       at = beginning.find('\n', at + 1)) {
    ++lines;
    if (at > 0 && beginning[at - 1] == '\r') ++with_return;
  }
  return with_return > 0 && with_return < lines;
}

// The bytes of a line, by the beginning of a file that has a row in each; 0 where that says nothing.
double line_bytes(std::string_view beginning, FileFormat format) {
  if (format == FileFormat::kJson) return 0;
  const auto lines = std::count(beginning.begin(), beginning.end(), '\n');
  return lines == 0 ? 0 : static_cast<double>(beginning.size()) / static_cast<double>(lines);
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

std::string type_of_column(const Collection& collection, const std::string& name, const std::string& found) {
  const auto hint = collection.types.find(name);
  return hint == collection.types.end() ? found : hint->second;
}

std::string sniffed(const std::string& value) { return value == "(empty)" ? "" : value; }

using NamedTypes = std::vector<std::pair<std::string, std::string>>;

struct CsvFile {
  std::string path;
  std::string options;
  bool is_sniffed_whole = true;
  std::string mode = "";  // What else the engine is told when it looks at the file and when it reads it.
};

// Numbers by their looks that are no numbers: a code such as 007 would lose its zeros, and a number of more
// digits than a double has would lose its end. Such columns are text.
Status keep_codes(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file,
                  const std::string& form, const Collection& collection, NamedTypes& columns) {
  NamedTypes as_text;
  std::string tests;
  std::vector<std::size_t> tested;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [name, type] = columns[i];
    as_text.emplace_back(name, "VARCHAR");
    if ((type != "BIGINT" && type != "DOUBLE") || collection.types.contains(name)) continue;
    tests += fmt::format("{}coalesce(bool_or(regexp_matches({}, '^[+-]?(0[0-9]|[0-9]{{19,}}$)')), false)",
                         tests.empty() ? "" : ", ", quote_name(name));
    tested.push_back(i);
  }
  if (tested.empty()) return {};
  std::string from = fmt::format("read_csv({}, {}, {}, {})", quote_text(file.path), file.options, form,
                                 columns_argument(as_text));
  if (!file.is_sniffed_whole) from = fmt::format("(SELECT * FROM {} LIMIT {})", from, kSniffRows);
  SLUICE_TRY(const std::vector<TextRow> found,
             read_rows(engine, {.sql = fmt::format("SELECT {} FROM {}", tests, from)}, limits));
  for (std::size_t i = 0; i < tested.size() && !found.empty(); ++i) {
    if (found.front()[i] == "true") columns[tested[i]].second = "VARCHAR";
  }
  return {};
}

Result<std::vector<TextRow>> sniff(engine::Engine& engine, const engine::RunLimits& limits,
                                   const CsvFile& file, const std::string& more) {
  const std::string call =
      fmt::format("sniff_csv({}, {}, sample_size = {}{})", quote_text(file.path), file.options,
                  file.is_sniffed_whole ? "-1" : std::to_string(kSniffRows), file.mode + more);
  return read_rows(engine,
                   {.sql = "SELECT Delimiter, Quote, Escape, Comment, SkipRows, HasHeader, DateFormat, "
                           "TimestampFormat, c.name, c.type FROM (SELECT *, unnest(Columns) AS c FROM " +
                           call + ")"},
                   limits);
}

// Where rows differ in length the engine takes each line for one cell. What separates the names in such a
// "name" is then the delimiter after all, and the error says which line does not fit.
std::string delimiter_in(const std::vector<TextRow>& found) {
  if (found.size() != 1) return "";
  const std::size_t at = found.front()[8].find_first_of(",;\t|");
  return at == std::string::npos ? "" : found.front()[8].substr(at, 1);
}

// Everything about a CSV file's form is found once; queries then read it without guessing.
Result<std::string> csv_reader(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file,
                               const Collection& collection) {
  SLUICE_TRY(std::vector<TextRow> found, sniff(engine, limits, file, ""));
  if (const std::string delimiter = delimiter_in(found); !delimiter.empty()) {
    SLUICE_TRY(found, sniff(engine, limits, file,
                            fmt::format(", delim = {}, header = true", quote_text(delimiter))));
  }
  if (found.empty()) {
    return make_error(ErrorKind::kUnavailable, "read columns: the file has none")
        .with_code("unreadable_file")
        .with_hint("The file is empty, or not what its name says.");
  }
  const TextRow& first = found.front();
  const std::string quote = sniffed(first[1]);
  NamedTypes columns;
  for (const TextRow& row : found) columns.emplace_back(row[8], type_of_column(collection, row[8], row[9]));
  // A file without an escaped quote in sight still may have one further down: RFC 4180 doubles it.
  const std::string escape = sniffed(first[2]).empty() ? quote : sniffed(first[2]);
  std::string form = fmt::format(
      "auto_detect = false{}, delim = {}, quote = {}, escape = {}, comment = {}, skip = {}, header = {}",
      file.mode, quote_text(first[0]), quote_text(quote), quote_text(escape), quote_text(sniffed(first[3])),
      first[4], first[5]);
  SLUICE_CHECK(keep_codes(engine, limits, file, form, collection, columns));
  form += ", " + columns_argument(columns);
  if (!first[6].empty()) form += ", dateformat = " + quote_text(first[6]);
  if (!first[7].empty()) form += ", timestampformat = " + quote_text(first[7]);
  return form;
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

// A column's name is data, and stands in answers: what a reader cannot see in it is spelled out. Returns what
// gives the columns their new names; empty where all can be shown as they are.
std::string make_names_visible(expression::Columns& columns) {
  std::string out;
  for (engine::Field& column : columns) {
    std::string visible = encode_controls(column.name);
    if (visible == column.name) continue;
    while (has_column(columns, visible)) visible += '_';
    out += fmt::format("{}{} AS {}", out.empty() ? "" : ", ", quote_name(column.name), quote_name(visible));
    column.name = std::move(visible);
  }
  return out;
}

}  // namespace

FileDataset::FileDataset(Identity identity, std::shared_ptr<const fs::Root> root, FileKind kind)
    : Dataset(std::move(identity)), root_(std::move(root)), kind_(std::move(kind)) {}

// A file that is not the one that was listed is not read: what is known of its columns is of the other one,
// and values could come under the wrong names.
Result<fs::File> FileDataset::open_listed() const {
  const auto changed = [this](std::string_view how) {
    return conflict(fmt::format("read dataset: its file {}: {}", how, excerpt(name())))
        .with_code("dataset_changed")
        .with_hint("Ask again in a moment. get_catalog lists what there is now.");
  };
  Result<fs::File> file = root_->open_beneath(identity().path);
  if (!file.ok() && file.error().kind == ErrorKind::kUnavailable)
    return std::move(file).error().with_code("unreadable_file").with_hint("Try again later.");
  if (!file.ok()) return changed("is gone, or is no file that may be read");
  SLUICE_TRY(const fs::FileStatus status, file->status());
  if (status.bytes != identity().bytes || status.modified != identity().modified)
    return changed("has changed since it was listed");
  return file;
}

Result<Table> FileDataset::inspect(engine::Engine& engine, const engine::RunLimits& limits) const {
  Result<Table> table = look_at(engine, limits);
  // The caller has given nothing yet that could be wrong.
  if (!table.ok() && table.error().kind == ErrorKind::kInvalidInput) {
    return make_error(ErrorKind::kUnavailable, table.error().message)
        .with_code("unreadable_file")
        .with_hint("The file is broken, or not what its name says.");
  }
  return table;
}

Result<Table> FileDataset::look_at(engine::Engine& engine, const engine::RunLimits& limits) const {
  SLUICE_TRY(const fs::File file, open_listed());
  SLUICE_TRY(const fs::FileStatus status, file.status());
  const std::string path = descriptor_path(file);
  const bool is_parquet = kind_.format == FileFormat::kParquet;
  std::string options = is_parquet ? "" : compression_argument(kind_);
  Table table;
  bool has_mixed_lines = false;
  if (!is_parquet && kind_.compression == Compression::kNone) {
    SLUICE_TRY(const std::string beginning, file.read_at(0, kEncodingBytes));
    SLUICE_TRY(const std::string encoding, encoding_argument(beginning, kind_));
    (options += encoding) += array_argument(beginning, kind_);
    table.row_bytes = line_bytes(beginning, kind_.format);
    has_mixed_lines = mixes_line_ends(beginning);
  }
  switch (kind_.format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv: {
      CsvFile csv{.path = path, .options = options, .is_sniffed_whole = status.bytes <= kWholeSniffBytes};
      Result<std::string> reader = csv_reader(engine, limits, csv, collection());
      if (!reader.ok() && has_mixed_lines) {  // Which the engine takes for a mistake.
        csv.mode = ", strict_mode = false";
        reader = csv_reader(engine, limits, csv, collection());
      }
      SLUICE_TRY(table.reader, std::move(reader));
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
  const std::string replaced = replacements(table.columns);
  const std::string renamed = make_names_visible(table.columns);
  if (!replaced.empty() || !renamed.empty()) table.columns_sql = "*";
  if (!replaced.empty()) table.columns_sql += fmt::format(" REPLACE ({})", replaced);
  if (!renamed.empty()) table.columns_sql += fmt::format(" RENAME ({})", renamed);
  return table;
}

Result<Relation> FileDataset::open(const Table& table) const {
  SLUICE_TRY(fs::File opened, open_listed());
  auto file = std::make_shared<const fs::File>(std::move(opened));
  std::string from =
      fmt::format("{}({}{})", function_of(kind_.format), quote_text(descriptor_path(*file)), table.reader);
  if (!table.columns_sql.empty()) {
    from = fmt::format("(SELECT {}{} FROM {})", table.columns_sql,
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
