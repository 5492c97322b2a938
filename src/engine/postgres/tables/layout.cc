#include "tables/layout.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"

#include "tables/column_types.h"
#include "tables/numeric_sample.h"
#include "values/arrays.h"
#include "values/numbers.h"

namespace sluice::engine::postgres {

namespace {

// What both a list and one table are read from. A role may be granted single columns only.
constexpr std::string_view kTables =
    "SELECT n.nspname, c.relname, c.relkind, CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END, "
    "CASE WHEN c.relkind IN ('r', 'm') THEN c.relpages::bigint * current_setting('block_size')::bigint END, "
    "obj_description(c.oid, 'pg_class'), c.oid "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> "
    "'information_schema' "
    "AND has_schema_privilege(n.oid, 'USAGE') "
    "AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT')) ";

std::string text_at(const Answer& answer, int row, int column) {
  return {PQgetvalue(answer.get(), row, column),
          static_cast<std::size_t>(PQgetlength(answer.get(), row, column))};
}
bool is_true(const Answer& answer, int row, int column) { return text_at(answer, row, column) == "t"; }

std::vector<std::string> list_at(const Answer& answer, int row, int column) {
  std::vector<std::string> out;
  for (auto& item :
       items_of(text_at(answer, row, column)).value_or(std::vector<std::optional<std::string>>())) {
    out.push_back(std::move(item).value_or(std::string()));
  }
  return out;
}

TableKind kind_of(std::string_view relkind) {
  if (relkind == "v") return TableKind::kView;
  if (relkind == "m") return TableKind::kMaterializedView;
  if (relkind == "f") return TableKind::kForeign;
  return relkind == "p" ? TableKind::kPartitioned : TableKind::kTable;
}

TableSummary summary_at(const Answer& answer, int row) {
  TableSummary summary;
  summary.name = {.schema = text_at(answer, row, 0), .name = text_at(answer, row, 1)};
  summary.kind = kind_of(text_at(answer, row, 2));
  const bool is_view = summary.kind == TableKind::kView;
  if (!is_view) summary.rows_guess = number_of<std::uint64_t>(text_at(answer, row, 3));
  summary.bytes = number_of<std::uint64_t>(text_at(answer, row, 4));
  summary.comment = text_at(answer, row, 5);
  return summary;
}

Error unknown_table(const TableName& table, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(table.name, names);
  return not_found("find table: " +
                   excerpt(table.schema.empty() ? table.name : table.schema + "." + table.name))
      .with_code("table_not_found")
      .with_hint(nearest.empty() ? "The list of tables names all that the role can read."
                                 : "Did you mean " + excerpt(nearest) + "?");
}

// The summary, and the number by which the server knows the table.
Result<std::string> find_table(const Ask& ask, const TableName& table, TableLayout& layout,
                               const RunLimits& limits) {
  SLUICE_TRY(const Answer found,
             ask({std::string(kTables) + "AND n.nspname = $1 AND c.relname = $2", {table.schema, table.name}},
                 limits));
  if (PQntuples(found.get()) == 1) {
    layout.summary = summary_at(found, 0);
    return text_at(found, 0, 6);
  }
  SLUICE_TRY(const std::vector<TableSummary> tables, list_tables(ask, limits));
  std::vector<std::string> names;
  for (const TableSummary& other : tables) {
    if (other.name.schema == table.schema) names.push_back(other.name.name);
  }
  return unknown_table(table, names);
}

// A domain is what it is made of; one of another domain is text.
ServerType server_type_at(const Answer& answer, int row) {
  return ServerType{.name = text_at(answer, row, 7),
                    .is_system = is_true(answer, row, 8),
                    .is_array = is_true(answer, row, 9),
                    .modifier = number_of<std::int32_t>(text_at(answer, row, 6)).value_or(-1),
                    .is_blind = is_true(answer, row, 10)};
}

Result<std::vector<ColumnType>> read_columns(const Ask& ask, const std::string& number, TableLayout& layout,
                                             const RunLimits& limits) {
  SLUICE_TRY(
      const Answer found,
      ask({"SELECT a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, a.attgenerated <> '', "
           "pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum), "
           "CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END, coalesce(e.typname, b.typname), "
           "coalesce(e.typnamespace, b.typnamespace) = 'pg_catalog'::regnamespace, e.oid IS NOT NULL, "
           "coalesce(NOT l.collisdeterministic, false), CASE WHEN l.oid IS NOT NULL THEN l.oid::text END "
           "FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
           "JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END "
           "LEFT JOIN pg_catalog.pg_type e ON e.oid = b.typelem AND b.typcategory = 'A' "
           "AND b.typname NOT IN ('int2vector', 'oidvector') "
           "LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation "
           "LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
           "WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped "
           "AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum",
           {number}},
          limits));
  std::vector<ColumnType> types;
  for (int row = 0; row < PQntuples(found.get()); ++row) {
    TableColumn column;
    column.name = text_at(found, row, 0);
    column.declared = text_at(found, row, 1);
    column.nullable = is_true(found, row, 2);
    column.generated = is_true(found, row, 3);
    column.default_sql = text_at(found, row, 4);
    column.comment = text_at(found, row, 5);
    column.collation = text_at(found, row, 11);
    layout.columns.push_back(std::move(column));
    types.push_back(column_type(server_type_at(found, row)));
  }
  return types;
}

std::string order_by(const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& column : columns) {
    if (!out.empty()) out += ", ";
    out += quote_name(column);
  }
  return out;
}

// Rows are in the order of their primary key, or else of an index that is as good.
Status read_indexes(const Ask& ask, const std::string& number, TableLayout& layout, const RunLimits& limits) {
  SLUICE_TRY(const Answer found,
             ask({"SELECT c.relname, i.indisunique, i.indisprimary, "
                  "(SELECT array_agg(coalesce(a.attname::text, pg_get_indexdef(i.indexrelid, k::int, true)) "
                  "ORDER BY k) "
                  "FROM generate_series(1, i.indnkeyatts) k LEFT JOIN pg_catalog.pg_attribute a "
                  "ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k - 1] AND a.attnum > 0), "
                  "i.indisunique AND i.indimmediate AND i.indpred IS NULL AND NOT EXISTS (SELECT FROM "
                  "generate_series(1, i.indnkeyatts) k LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = "
                  "i.indrelid "
                  "AND a.attnum = i.indkey[k - 1] WHERE a.attnotnull IS NOT TRUE) "
                  "FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
                  "WHERE i.indrelid = $1::oid AND i.indisvalid ORDER BY i.indisprimary DESC, c.relname",
                  {number}},
                 limits));
  for (int row = 0; row < PQntuples(found.get()); ++row) {
    std::vector<std::string> columns = list_at(found, row, 3);
    if (is_true(found, row, 4) && layout.row_order.empty()) layout.row_order = order_by(columns);
    if (is_true(found, row, 2)) {
      layout.primary_key = std::move(columns);
    } else {
      layout.indexes.push_back(
          {.name = text_at(found, row, 0), .columns = std::move(columns), .unique = is_true(found, row, 1)});
    }
  }
  return {};
}

Status read_foreign_keys(const Ask& ask, const std::string& number, TableLayout& layout,
                         const RunLimits& limits) {
  const auto names = [](const std::string& relation, const std::string& key) {
    return "(SELECT array_agg(a.attname::text ORDER BY k.place) FROM unnest(f." + key +
           ") WITH ORDINALITY k(number, place) JOIN pg_catalog.pg_attribute a ON a.attrelid = f." + relation +
           " AND a.attnum = k.number)";
  };
  SLUICE_TRY(
      const Answer found,
      ask({"SELECT n.nspname, c.relname, " + names("conrelid", "conkey") + ", " +
               names("confrelid", "confkey") +
               " FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class c ON c.oid = f.confrelid "
               "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
               "WHERE f.contype = 'f' AND f.conrelid = $1::oid AND f.conparentid = 0 ORDER BY f.conname",
           {number}},
          limits));
  for (int row = 0; row < PQntuples(found.get()); ++row) {
    layout.foreign_keys.push_back(
        {.columns = list_at(found, row, 2),
         .target = {.schema = text_at(found, row, 0), .name = text_at(found, row, 1)},
         .target_columns = list_at(found, row, 3)});
  }
  return {};
}

std::string selected(const std::string& column, const ColumnType& type) {
  std::string name = quote_name(column);
  if (type.as_text) return name + "::text";
  const std::size_t place = type.form.find("{}");
  if (place == std::string_view::npos) return name;
  return std::string(type.form.substr(0, place)) + name + std::string(type.form.substr(place + 2));
}

}  // namespace

Result<std::vector<TableSummary>> list_tables(const Ask& ask, const RunLimits& limits) {
  SLUICE_TRY(const Answer found, ask({std::string(kTables) +
                                          "AND NOT c.relispartition AND c.relpersistence <> 't' "
                                          "ORDER BY n.nspname COLLATE \"C\", c.relname COLLATE \"C\" LIMIT " +
                                          std::to_string(kTablesMax + 1),
                                      {}},
                                     limits));
  const int count = PQntuples(found.get());
  if (static_cast<std::size_t>(count) > kTablesMax)
    return limit_reached("tables in one database", kTablesMax);
  std::vector<TableSummary> tables;
  tables.reserve(static_cast<std::size_t>(count));
  for (int row = 0; row < count; ++row) tables.push_back(summary_at(found, row));
  return tables;
}

Result<TableLayout> describe_table(const Ask& ask, const TypeMemory& memory, const TableName& table,
                                   const RunLimits& limits) {
  TableLayout layout;
  SLUICE_TRY(const std::string number, find_table(ask, table, layout, limits));
  SLUICE_TRY(std::vector<ColumnType> types, read_columns(ask, number, layout, limits));
  SLUICE_CHECK(read_indexes(ask, number, layout, limits));
  SLUICE_CHECK(read_foreign_keys(ask, number, layout, limits));
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::optional<Type> known = memory.find(table, layout.columns[i].name);
    if (!known) continue;
    types[i] = {.type = *known, .as_text = known->id == TypeId::kText, .needs_sample = false};
  }
  SLUICE_CHECK(sample_numerics(ask, layout, types, limits));
  for (std::size_t i = 0; i < types.size(); ++i) {
    TableColumn& column = layout.columns[i];
    column.type = std::move(types[i].type);
    column.select = selected(column.name, types[i]);
  }
  return layout;
}

}  // namespace sluice::engine::postgres
