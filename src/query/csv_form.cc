#include "csv_form.h"

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/query/rows_reader.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;

std::string sniffed(const std::string& value) { return value == "(empty)" ? "" : value; }

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

}  // namespace

std::string columns_argument(const NamedTypes& columns) {
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

Result<std::string> csv_reader(engine::Engine& engine, const engine::RunLimits& limits, const CsvFile& file,
                               const Collection& collection) {
  Result<std::vector<TextRow>> sniffed_rows = sniff(engine, limits, file, "");
  if (sniffed_rows.ok()) {
    if (const std::string delimiter = delimiter_in(*sniffed_rows); !delimiter.empty()) {
      sniffed_rows =
          sniff(engine, limits, file, fmt::format(", delim = {}, header = true", quote_text(delimiter)));
    }
  }
  const bool skips_rows = sniffed_rows.ok() && !sniffed_rows->empty() && sniffed_rows->front()[4] != "0" &&
                          sniffed_rows->front()[5] == "false";
  // What is not text would not be read either.
  const bool is_ragged = !sniffed_rows.ok() && sniffed_rows.error().kind == ErrorKind::kInvalidInput;
  if (is_ragged || skips_rows) SLUICE_CHECK(check_lengths(engine, limits, file));
  SLUICE_TRY(const std::vector<TextRow> found, std::move(sniffed_rows));
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

}  // namespace sluice::query
