#include "csv_form.h"

#include <optional>

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/query/rows_reader.h"

#include "csv_shape.h"

namespace sluice::query {

namespace {

using engine::quote_text;

std::string sniffed(const std::string& value) { return value == "(empty)" ? "" : value; }

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

// Sniffing tells no line, and may take the rows before one of another length for a preamble. Reading all rows
// with as many columns as the first line has tells which one differs; where that cannot be done, nothing.
Status check_lengths(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file) {
  const std::string header = file.beginning.substr(0, file.beginning.find('\n'));
  const std::size_t at = header.find_first_of(",;\t|");
  if (at == std::string::npos) return {};
  const char delimiter = header[at];
  NamedTypes columns{{"c0", "VARCHAR"}};
  for (const char c : header) {
    if (c == delimiter) columns.emplace_back(fmt::format("c{}", columns.size()), "VARCHAR");
  }
  const Result<std::vector<TextRow>> rows = read_rows(
      engine,
      {.sql = fmt::format("SELECT count({}) FROM read_csv({}, {}, auto_detect = false, delim = {}, quote "
                          "= '\"', escape = '\"', header = true, {})",
                          columns.back().first, quote_text(file.path), file.options,
                          quote_text(std::string(1, delimiter)), columns_argument(columns))},
      limits);
  if (!rows.ok() && rows.error().message.find(" columns, expected ") != std::string::npos)
    return rows.error();
  return {};
}

// The dialect of a plain file is certain: the engine need not try others.
std::string dialect_argument(const CsvShape& shape) {
  return fmt::format(", delim = {}, quote = '\"', escape = '\"', header = {}",
                     quote_text(std::string(1, shape.delimiter)), shape.has_header);
}

// By the shape of the file if it is plain, else as the engine sees it.
Result<std::vector<TextRow>> find_form(engine::Engine& engine, const engine::RunLimits& limits,
                                       const CsvFile& file, const std::optional<CsvShape>& shape) {
  if (shape) {
    Result<std::vector<TextRow>> found = sniff(engine, limits, file, dialect_argument(*shape));
    if (found.ok() && found->size() == shape->columns) return found;
  }
  Result<std::vector<TextRow>> found = sniff(engine, limits, file, "");
  if (found.ok()) {
    if (const std::string delimiter = delimiter_in(*found); !delimiter.empty())
      found = sniff(engine, limits, file, fmt::format(", delim = {}, header = true", quote_text(delimiter)));
  }
  const bool skips_rows =
      found.ok() && !found->empty() && found->front()[4] != "0" && found->front()[5] == "false";
  // What is not text would not be read either.
  const bool is_ragged = !found.ok() && found.error().kind == ErrorKind::kInvalidInput;
  if (is_ragged || skips_rows) SLUICE_CHECK(check_lengths(engine, limits, file));
  if (found.ok() && found->empty()) {
    return make_error(ErrorKind::kUnavailable, "read columns: the file has none")
        .with_code("unreadable_file")
        .with_hint("The file is empty, or not what its name says.");
  }
  return found;
}

std::vector<TextColumn> text_columns(const std::vector<TextRow>& found, const Collection& collection,
                                     const std::optional<CsvShape>& shape) {
  std::vector<TextColumn> out;
  for (const TextRow& row : found) {
    out.push_back({.name = row[8],
                   .detected = type_of_column(collection, row[8], row[9]),
                   .is_configured = collection.types.contains(row[8])});
  }
  for (const std::size_t column : shape ? shape->date_columns : std::vector<std::size_t>{}) {
    if (column < out.size() && out[column].detected == "VARCHAR") out[column].may_be_date = true;
  }
  return out;
}

}  // namespace

Result<TextReader> csv_reader(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file,
                              const Collection& collection) {
  const std::optional<CsvShape> shape = plain_shape(file.beginning, file.is_beginning_whole);
  SLUICE_TRY(const std::vector<TextRow> found, find_form(engine, limits, file, shape));
  const TextRow& first = found.front();
  const std::string quote = sniffed(first[1]);
  // A file without an escaped quote in sight still may have one further down: RFC 4180 doubles it.
  const std::string escape = sniffed(first[2]).empty() ? quote : sniffed(first[2]);
  TextReader out;
  out.arguments = fmt::format(
      "auto_detect = false{}, delim = {}, quote = {}, escape = {}, comment = {}, skip = {}, header = {}, "
      "allow_quoted_nulls = false",
      file.mode, quote_text(first[0]), quote_text(quote), quote_text(escape), quote_text(sniffed(first[3])),
      first[4], first[5]);
  const std::vector<TextColumn> columns = text_columns(found, collection, shape);
  NamedTypes as_text;
  for (const TextColumn& column : columns) as_text.emplace_back(column.name, "VARCHAR");
  TextRelation texts{.sql = fmt::format("read_csv({}, {}, {}, {})", quote_text(file.path), file.options,
                                        out.arguments, columns_argument(as_text)),
                     .is_trusted = file.is_sniffed_whole || !file.is_read_whole};
  if (!file.is_read_whole) {
    texts.sql = fmt::format("(SELECT * FROM {} LIMIT {})", texts.sql, kSniffRows);
    out.notes.push_back(fmt::format("The types are those of the first {} rows.", kSniffRows));
  }
  SLUICE_TRY(ColumnForms forms, settle_types(engine, limits, texts, columns));
  out.columns = columns_to_select(columns, forms);
  out.notes.insert(out.notes.end(), forms.notes.begin(), forms.notes.end());
  out.arguments += ", " + columns_argument(types_to_read(columns, forms));
  if (!first[6].empty()) out.arguments += ", dateformat = " + quote_text(first[6]);
  if (!first[7].empty()) out.arguments += ", timestampformat = " + quote_text(first[7]);
  return out;
}

}  // namespace sluice::query
