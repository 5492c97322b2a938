#include "select_list.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

#include "columns.h"

namespace sluice::query {

namespace {

using engine::quote_name;

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

// What to select of a text file, under `names`. Empty if its columns are taken as they are read.
std::string expressions_sql(const std::vector<TextReader::Column>& columns,
                            const std::vector<std::string>& names) {
  std::string out;
  bool has_expression = false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const TextReader::Column& column = columns[i];
    has_expression = has_expression || !column.expression.empty();
    out += fmt::format("{}{} AS {}", out.empty() ? "" : ", ",
                       column.expression.empty() ? quote_name(column.name) : column.expression,
                       quote_name(names[i]));
  }
  return has_expression ? out : "";
}

}  // namespace

Status choose_columns(engine::Engine& engine, const std::string& from,
                      const std::vector<TextReader::Column>& text_columns, Table& table) {
  std::vector<std::string> names;
  for (const TextReader::Column& column : text_columns) names.push_back(column.name);
  table.columns_sql = expressions_sql(text_columns, names);
  const std::string list = table.columns_sql.empty() ? "*" : table.columns_sql;
  SLUICE_TRY(engine::Description description,
             engine.describe({.sql = fmt::format("SELECT {} FROM {}", list, from)}));
  table.columns = std::move(description.columns);
  const std::string replaced = replacements(table.columns);
  const std::string renamed = make_names_visible(table.columns);
  if (!table.columns_sql.empty()) {
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = table.columns[i].name;
    table.columns_sql = expressions_sql(text_columns, names);
    return {};
  }
  if (replaced.empty() && renamed.empty()) return {};
  table.columns_sql = "*";
  if (!replaced.empty()) table.columns_sql += fmt::format(" REPLACE ({})", replaced);
  if (!renamed.empty()) table.columns_sql += fmt::format(" RENAME ({})", renamed);
  return {};
}

}  // namespace sluice::query
