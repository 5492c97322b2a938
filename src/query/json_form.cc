#include "json_form.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/query/rows_reader.h"

namespace sluice::query {

namespace {

using engine::quote_name;
using engine::quote_text;
using engine::TypeId;

// Every value as it is written, in one column.
constexpr std::string_view kValues = "records = false, columns = {'json': 'JSON'}";

std::string values_sql(const JsonFile& file) {
  return fmt::format("read_json({}, {}, {})", quote_text(file.path), file.options, kValues);
}

// A key as a JSON pointer.
std::string pointer_of(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

// A type within a list or an object. The engine would drop offsets of times there.
engine::Type with_texts(engine::Type type) {
  if (engine::is_temporal(type.id)) return engine::Type{.id = TypeId::kText};
  for (engine::Field& field : type.fields) field.type = with_texts(std::move(field.type));
  return type;
}

bool has_unnamed_field(const engine::Type& type) {
  return std::any_of(type.fields.begin(), type.fields.end(), [&](const engine::Field& field) {
    return (type.id == TypeId::kStruct && field.name.empty()) || has_unnamed_field(field.type);
  });
}

std::string type_name(const engine::Type& type) {
  if (!engine::is_nested(type.id)) return engine::sql_name(type);
  return has_unnamed_field(type) ? "JSON" : engine::sql_name(with_texts(type));
}

// Whether a type is read from the text of its values.
bool is_settled_by_text(const TextColumn& column) {
  const std::string& type = column.detected;
  return !column.is_configured &&
         (type == "DOUBLE" || type == "DATE" || type == "TIME" || type.starts_with("TIMESTAMP"));
}

// Of names such as `A_1`, which the engine gives to a key `A` beside `a`, and `C2`, which it gives to an
// empty key: what looks like one may be one.
bool may_be_renamed(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size()) return false;
  return name[digits] == '_' || (name[digits] == 'C' && digits == 0);
}

// Whether the engine's names are not all keys of the file.
Result<bool> has_renamed_keys(engine::Engine& engine, const engine::RunLimits& limits, const JsonFile& file,
                              const std::vector<TextColumn>& columns) {
  SLUICE_TRY(
      const std::vector<TextRow> keys,
      read_rows(engine,
                {.sql = fmt::format("SELECT DISTINCT unnest(json_keys(json)) FROM {}", values_sql(file))},
                limits));
  return std::any_of(columns.begin(), columns.end(), [&](const TextColumn& column) {
    return may_be_renamed(column.name) && std::none_of(keys.begin(), keys.end(), [&](const TextRow& key) {
             return key.front() == column.name;
           });
  });
}

// Settles those columns whose values say more than their types. `all` are in the order of the file.
Result<TextReader> settled(engine::Engine& engine, const engine::RunLimits& limits, const JsonFile& file,
                           const std::vector<TextColumn>& all) {
  std::vector<TextColumn> open;
  NamedTypes as_text;
  for (const TextColumn& column : all) {
    if (!is_settled_by_text(column)) continue;
    open.push_back(column);
    as_text.emplace_back(column.name, "VARCHAR");
  }
  ColumnForms forms;
  if (!open.empty()) {
    const TextRelation texts{.sql = fmt::format("read_json({}, {}, {})", quote_text(file.path), file.options,
                                                columns_argument(as_text)),
                             .is_json = true,
                             .is_trusted = file.is_sniffed_whole};
    SLUICE_TRY(forms, settle_types(engine, limits, texts, open));
  }
  TextReader out;
  NamedTypes types;
  std::size_t next = 0;
  for (const TextColumn& column : all) {
    ColumnForm form{.type = column.detected, .expression = {}};
    if (is_settled_by_text(column)) form = forms.columns[next++];
    if (form.type.starts_with("DECIMAL") && form.expression.empty() && !column.is_configured)
      form.expression = fmt::format("CAST({} AS {})", quote_name(column.name), form.type);
    types.emplace_back(column.name, form.expression.empty() ? form.type : "VARCHAR");
    out.columns.push_back({.name = column.name, .expression = form.expression});
  }
  out.arguments = columns_argument(types);
  out.notes = std::move(forms.notes);
  return out;
}

std::string unique_name(std::string_view key, const std::vector<TextReader::Column>& taken) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(taken.begin(), taken.end(), [&](const TextReader::Column& column) {
      return equal_ignoring_case(column.name, name);
    });
  };
  const std::string base = key.empty() ? fmt::format("column{}", taken.size()) : std::string(key);
  std::string name = base;
  for (std::size_t i = 1; is_taken(name); ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

// The type of a key's values by the engine's name for their structure; nested values stay JSON.
std::string type_of_structure(std::string_view structure) {
  if (structure == "UBIGINT" || structure == "BIGINT") return "BIGINT";
  if (structure == "BOOLEAN" || structure == "DOUBLE") return std::string(structure);
  if (structure == "VARCHAR" || structure == "NULL") return "VARCHAR";
  return "JSON";
}

// For objects whose keys the engine cannot tell apart: each value is taken out of its object by its key.
Result<TextReader> read_by_key(engine::Engine& engine, const engine::RunLimits& limits, const JsonFile& file,
                               const Collection& collection) {
  const std::string values = values_sql(file);
  SLUICE_TRY(
      const std::vector<TextRow> keys,
      read_rows(
          engine,
          {.sql = fmt::format(
               "SELECT key FROM (SELECT unnest(json_keys(json)) AS key, "
               "generate_subscripts(json_keys(json), 1) AS place, row_number() OVER () AS number FROM {}) "
               "GROUP BY key ORDER BY min(number * 1048576 + place)",
               values)},
          limits));
  std::string structures;
  for (const TextRow& key : keys)
    structures += fmt::format("{}json_extract_string(s, {})", structures.empty() ? "" : ", ",
                              quote_text(pointer_of(key.front())));
  if (keys.empty()) return unavailable("read JSON: its objects are empty").with_code("unreadable_file");
  SLUICE_TRY(const std::vector<TextRow> types,
             read_rows(engine,
                       {.sql = fmt::format("SELECT {} FROM (SELECT json_group_structure(json) AS s FROM {})",
                                           structures, values)},
                       limits));
  TextReader out;
  out.arguments = kValues;
  std::string texts;
  std::vector<TextColumn> columns;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string name = unique_name(keys[i].front(), out.columns);
    const std::string found = type_of_structure(types.front()[i]);
    const std::string text =
        found == "JSON"
            ? fmt::format("CAST(json_extract(json, {}) AS VARCHAR)", quote_text(pointer_of(keys[i].front())))
            : fmt::format("json_extract_string(json, {})", quote_text(pointer_of(keys[i].front())));
    texts += fmt::format("{}{} AS {}", texts.empty() ? "" : ", ", text, quote_name(name));
    columns.push_back({.name = name,
                       .detected = type_of_column(collection, name, found == "JSON" ? "VARCHAR" : found),
                       .is_configured = collection.types.contains(name)});
    out.columns.push_back({.name = name, .expression = text});
  }
  const TextRelation relation{
      .sql = fmt::format("(SELECT {} FROM {})", texts, values), .is_json = true, .is_trusted = false};
  SLUICE_TRY(const ColumnForms forms, settle_types(engine, limits, relation, columns));
  for (std::size_t i = 0; i < out.columns.size(); ++i)
    out.columns[i].expression =
        fmt::format("CAST({} AS {})", out.columns[i].expression, forms.columns[i].type);
  out.notes = forms.notes;
  return out;
}

}  // namespace

Result<TextReader> json_reader(engine::Engine& engine, const engine::RunLimits& limits, const JsonFile& file,
                               const Collection& collection) {
  const std::string sample =
      file.is_sniffed_whole ? "sample_size = -1" : fmt::format("sample_size = {}", kSniffRows);
  Result<engine::Description> description =
      engine.describe({.sql = fmt::format("SELECT * FROM read_json({}, {}, {})", quote_text(file.path),
                                          file.options, sample)});
  if (!description.ok()) {
    const bool has_twins = description.error().message.find("Duplicate name") != std::string::npos;
    if (has_twins) return read_by_key(engine, limits, file, collection);
    return std::move(description).error();
  }
  std::vector<TextColumn> columns;
  bool may_have_twins = false;
  for (const engine::Field& column : description->columns) {
    columns.push_back({.name = column.name,
                       .detected = type_of_column(collection, column.name, type_name(column.type)),
                       .is_configured = collection.types.contains(column.name)});
    may_have_twins = may_have_twins || may_be_renamed(column.name);
  }
  if (may_have_twins) {
    SLUICE_TRY(const bool has_twins, has_renamed_keys(engine, limits, file, columns));
    if (has_twins) return read_by_key(engine, limits, file, collection);
  }
  return settled(engine, limits, file, columns);
}

}  // namespace sluice::query
