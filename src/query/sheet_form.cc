#include "sheet_form.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/engine/sql.h"

namespace sluice::query {

namespace {

using engine::quote_name;

// The engine reads lines of up to two megabytes where it is not told otherwise.
constexpr std::size_t kUsualLineBytes = 2'000'000;

std::string sheet_value(const SheetForm::Column& column, const std::string& type) {
  const bool is_text = type == "VARCHAR";
  if (is_text || (!column.has_empty && type != "INTERVAL")) return quote_name(column.name);
  return fmt::format("CAST(nullif({}, '') AS {})", quote_name(column.name), type);
}

}  // namespace

TextReader sheet_reader(const SheetForm& form, const Collection& collection) {
  TextReader out;
  NamedTypes types;
  for (const SheetForm::Column& column : form.columns) {
    const std::string type = type_of_column(collection, column.name, column.type);
    const bool is_read_as_text = column.has_empty || type == "INTERVAL";
    types.emplace_back(column.name, is_read_as_text ? "VARCHAR" : type);
    if (!column.is_empty)
      out.columns.push_back({.name = column.name, .expression = sheet_value(column, type)});
  }
  // Rows end with their last value, and a value may have several lines.
  out.arguments =
      "auto_detect = false, delim = ',', quote = '\"', escape = '\"', header = false, null_padding = true, "
      "parallel = false, new_line = '\\n', allow_quoted_nulls = false, " +
      columns_argument(types);
  if (form.line_bytes > kUsualLineBytes)
    out.arguments += fmt::format(", max_line_size = {0}, buffer_size = {0}", 2 * form.line_bytes);
  out.notes = form.notes;
  return out;
}

}  // namespace sluice::query
