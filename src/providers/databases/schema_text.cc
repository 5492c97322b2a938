#include "schema_text.h"

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/writer.h"

namespace sluice::databases {

namespace {

using engine::TableKind;
using engine::TableLayout;

std::string_view kind_name(TableKind kind) {
  switch (kind) {
    case TableKind::kTable:
      return "table";
    case TableKind::kView:
      return "view";
    case TableKind::kMaterializedView:
      return "materialized view";
    case TableKind::kForeign:
      return "foreign table";
    case TableKind::kPartitioned:
      return "partitioned table";
  }
  return "";
}

// Names and comments are data: what a reader cannot see in them is spelled out, and no line ends within one.
std::string shown(std::string_view text) { return encode_controls(text); }

std::string full_name(const engine::TableName& table) {
  return shown(table.schema.empty() ? table.name : table.schema + "." + table.name);
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + shown(name);
  return out;
}

std::string column_line(const engine::TableColumn& column) {
  std::string out = fmt::format("  {} {}", shown(column.name),
                                column.declared.empty() ? "(no type declared)" : shown(column.declared));
  if (!column.nullable) out += " not null";
  if (column.generated) out += " generated";
  if (!column.default_sql.empty()) out += " default " + shown(column.default_sql);
  if (!column.comment.empty()) out += "  -- " + shown(column.comment);
  return out + "\n";
}

void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key).begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array();
}

}  // namespace

std::string schema_text(const TableLayout& layout) {
  std::string out = fmt::format("{} {}\n", kind_name(layout.summary.kind), full_name(layout.summary.name));
  if (!layout.summary.comment.empty()) out += "-- " + shown(layout.summary.comment) + "\n";
  for (const engine::TableColumn& column : layout.columns) out += column_line(column);
  if (!layout.primary_key.empty()) out += "primary key (" + listed(layout.primary_key) + ")\n";
  for (const engine::ForeignKey& key : layout.foreign_keys) {
    out += fmt::format("foreign key ({}) references {}", listed(key.columns), full_name(key.target));
    out += key.target_columns.empty() ? "\n" : " (" + listed(key.target_columns) + ")\n";
  }
  for (const engine::TableIndex& index : layout.indexes) {
    out += fmt::format("{}index {} ({})\n", index.unique ? "unique " : "", shown(index.name),
                       listed(index.columns));
  }
  return out;
}

std::string schema_json(const TableLayout& layout) {
  json::Writer out;
  out.begin_object().field("table", layout.summary.name.name);
  if (!layout.summary.name.schema.empty()) out.field("schema", layout.summary.name.schema);
  out.field("kind", kind_name(layout.summary.kind));
  if (!layout.summary.comment.empty()) out.field("comment", layout.summary.comment);
  out.key("columns").begin_array();
  for (const engine::TableColumn& column : layout.columns) {
    out.begin_object().field("name", column.name).field("type", column.declared);
    out.field("dtype", engine::polars_name(column.type)).field("nullable", column.nullable);
    if (column.generated) out.field("generated", true);
    if (!column.default_sql.empty()) out.field("default", column.default_sql);
    if (!column.comment.empty()) out.field("comment", column.comment);
    out.end_object();
  }
  out.end_array();
  write_names(out, "primary_key", layout.primary_key);
  out.key("foreign_keys").begin_array();
  for (const engine::ForeignKey& key : layout.foreign_keys) {
    out.begin_object();
    write_names(out, "columns", key.columns);
    out.field("references", full_name(key.target));
    write_names(out, "referenced_columns", key.target_columns);
    out.end_object();
  }
  out.end_array().key("indexes").begin_array();
  for (const engine::TableIndex& index : layout.indexes) {
    out.begin_object().field("name", index.name).field("unique", index.unique);
    write_names(out, "columns", index.columns);
    out.end_object();
  }
  out.end_array().end_object();
  return std::move(out).take();
}

}  // namespace sluice::databases
