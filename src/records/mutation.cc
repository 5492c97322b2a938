#include "sluice/records/mutation.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/cast.h"
#include "sluice/engine/sql.h"
#include "sluice/json/reader.h"
#include "sluice/records/filter.h"
#include "sluice/records/name.h"
#include "sluice/records/value.h"
#include "sluice/records/view_plan.h"

#include "journal.h"
#include "mutating.h"
#include "record_defaults.h"
#include "rows.h"
#include "typed_rows.h"

namespace sluice::records {

namespace {

constexpr std::size_t kRecordsMax = 100'000;  // Of one operation.

// Notes are read by people; a filter of megabytes would be copied into every entry.
std::string in_notes(const json::Object& filters) { return excerpt(json::to_text(filters), 500); }

Error duplicate_id(const std::string& id_column, std::string_view id) {
  return conflict(fmt::format("there is a record already whose {} is {}", id_column, excerpt(id)))
      .with_code("record_exists")
      .with_hint("Use update_records or upsert_record, or leave the id out to get a new one.");
}

Status check_ids(const View& view, const Columns& columns, const std::string& id_column,
                 const std::vector<StoredRow>& rows, const engine::RunLimits& limits) {
  std::set<std::string_view> seen;
  for (const StoredRow& row : rows) {
    if (!seen.insert(row.id).second) return duplicate_id(id_column, row.id);
  }
  if (view.find(id_column) == nullptr) return {};
  std::vector<std::string> list;
  for (const StoredRow& row : rows)
    list.push_back(row_json(0, "{" + json::to_text(json::Value(id_column)) + ":" + row.id + "}"));
  const engine::Field& field = *columns.find(id_column);
  const std::string quoted = engine::quote_name(id_column);
  const std::string sql =
      fmt::format("SELECT {0} FROM {1} WHERE {0} IN (SELECT {2} FROM {3}) LIMIT 1", quoted, view.relation,
                  engine::cast_sql("u.\"new\"." + quoted, field.type), rows_source({field}, 1));
  SLUICE_TRY(const std::vector<TextRow> found,
             read_texts(*view.engine, {.sql = sql, .parameters = {std::move(list)}}, limits));
  return found.empty() ? Status() : Status(duplicate_id(id_column, found.front().front()));
}

Result<Mutated> add_to(WriteTransaction& writing, const SchemaFile* schema,
                       const std::vector<const json::Object*>& records, const MutationOptions& options,
                       std::string notes, const engine::RunLimits& limits) {
  const View& view = writing.view();
  if (records.size() > kRecordsMax) return limit_reached("records in one operation", kRecordsMax);
  const std::string id_column = id_column_for(view, schema);
  SLUICE_TRY(const std::vector<json::Object> complete,
             with_defaults(view, schema, records, options, id_column, limits));
  std::vector<const json::Object*> pointers;
  std::vector<std::string> warnings;
  for (const json::Object& record : complete) {
    pointers.push_back(&record);
    warn_of_values(warnings, schema, record);
  }
  SLUICE_TRY(Columns columns, columns_for(view, schema, pointers));
  SLUICE_TRY(std::vector<StoredRow> rows,
             typed_rows(view, columns, pointers, writing.next_row(), id_column, limits));
  SLUICE_CHECK(check_ids(view, columns, id_column, rows, limits));
  Operation operation = new_operation("add", options, std::move(notes));
  for (const engine::Field& column : used_columns(columns, pointers)) operation.used.push_back(column.name);
  operation.new_columns = std::move(columns.added);
  for (StoredRow& row : rows) {
    operation.rows.push_back({.audit_id = new_id(),
                              .record_id = std::move(row.id),
                              .row = row.row,
                              .old_values = {},
                              .new_values = std::move(row.values)});
  }
  SLUICE_TRY(Mutated out, finish(writing, std::move(operation), options));
  out.warnings = std::move(warnings);
  return out;
}

Result<std::vector<StoredRow>> matching(const View& view, const json::Object& filters,
                                        const MutationOptions& options, const engine::RunLimits& limits) {
  if (filters.empty() && !options.all_rows) {
    return invalid_input("an empty filter would change every record")
        .with_code("empty_filter")
        .with_hint("Give a filter, or all_rows: true where every record is meant.");
  }
  SLUICE_TRY(plan::Condition condition, compile_filters(filters, view));
  return stored_rows(view, std::move(condition), limits, kRecordsMax);
}

Error no_match() {
  return not_found("No records matched the filters")
      .with_code("no_match")
      .with_hint("read_parquet with the same filters shows what they match.");
}

// Every key must be a column, or one that the schema file declares.
Status check_update_keys(const View& view, const SchemaFile* schema, const json::Object& updates) {
  std::vector<std::string> names;
  for (const engine::Field& column : view.columns) names.push_back(column.name);
  for (const json::Member& member : updates) {
    const bool is_declared = schema != nullptr && !schema->declared(member.key).empty();
    if (view.find(member.key) != nullptr || is_declared) continue;
    const std::string nearest = nearest_name(member.key, names);
    return invalid_input("Columns not found: " + excerpt(member.key))
        .with_code("unknown_column")
        .with_hint(nearest.empty() ? "get_schema lists the columns; update_schema adds one."
                                   : "Did you mean " + nearest + "? update_schema adds a column.");
  }
  return {};
}

Result<Mutated> update_in(WriteTransaction& writing, const SchemaFile* schema, std::vector<StoredRow> rows,
                          json::Object updates, const MutationOptions& options, std::string notes,
                          const engine::RunLimits& limits) {
  const View& view = writing.view();
  if (updates.empty())
    return invalid_input("nothing to update").with_code("empty_updates").with_hint("Give `updates`.");
  if (view.find("updated_date") != nullptr && !updates.contains("updated_date"))
    updates.set("updated_date", today());
  SLUICE_TRY(Columns columns, columns_for(view, schema, {&updates}));
  SLUICE_TRY(const std::vector<StoredRow> typed,
             typed_rows(view, columns, {&updates}, 0, view.id_column, limits));
  if (updates.contains(view.id_column)) {
    const bool is_same = rows.size() == 1 && rows.front().id == typed.front().id;
    if (rows.size() > 1) return duplicate_id(view.id_column, typed.front().id);
    if (!is_same) SLUICE_CHECK(check_ids(view, columns, view.id_column, typed, limits));
  }
  SLUICE_TRY(const json::Value set_values, json::read(typed.front().values, kJournalLimits));
  Operation operation = new_operation("update", options, std::move(notes));
  operation.new_columns = std::move(columns.added);
  for (const json::Member& member : updates) operation.set.push_back(member.key);
  for (const StoredRow& row : rows) {
    SLUICE_TRY(RowChange change, changed_row(row, operation.set, *set_values.if_object()));
    operation.rows.push_back(std::move(change));
  }
  SLUICE_TRY(Mutated out, finish(writing, std::move(operation), options));
  warn_of_values(out.warnings, schema, updates);
  return out;
}

}  // namespace

Operation new_operation(std::string kind, const MutationOptions& options, std::string notes) {
  Operation out;
  out.kind = std::move(kind);
  out.id = new_id();
  out.user = options.user;
  out.notes = std::move(notes);
  return out;
}

Result<std::unique_ptr<WriteTransaction>> begin_transaction(DataType& type, const MutationOptions& options,
                                                            const engine::RunLimits& limits) {
  return type.write(limits, options.expected_version, options.dry_run ? Intent::kPreview : Intent::kWrite);
}

Result<Mutated> finish(WriteTransaction& writing, Operation operation, const MutationOptions& options) {
  Mutated out;
  out.version_before = writing.view().version;
  out.records_after = writing.view().rows;
  if (operation.kind == "add") out.records_after += operation.rows.size();
  if (operation.kind == "delete") out.records_after -= operation.rows.size();
  if (options.dry_run) {
    out.operation = std::move(operation);
    return out;
  }
  SLUICE_TRY(out.operation, writing.commit(std::move(operation)));
  return out;
}

Result<std::vector<StoredRow>> stored_rows(const View& view, plan::Condition condition,
                                           const engine::RunLimits& limits, std::size_t rows_max) {
  const std::size_t row = view.columns.size();
  std::vector<std::size_t> row_and_columns{row};
  for (std::size_t i = 0; i < row; ++i) row_and_columns.push_back(i);
  SLUICE_TRY(plan::NodePtr rows, plan::filter(scan_of(view, RowPlaces::kLastColumn), std::move(condition)));
  SLUICE_TRY(rows, plan::sort(std::move(rows), {{.column = row}}, false));
  SLUICE_TRY(rows, plan::project(std::move(rows), std::move(row_and_columns)));
  // Who may write sees all records.
  const plan::PhysicalPlan plan = plan::physical_plan(std::move(rows), plan::Guard());
  return read_stored(*view.engine, statement_of(view, plan), limits, view.id_column, rows_max);
}

Result<RowChange> changed_row(const StoredRow& row, const std::vector<std::string>& set,
                              const json::Object& values) {
  SLUICE_TRY(json::Value parsed, json::read(row.values, kJournalLimits));
  json::Object& whole = *parsed.if_object();
  json::Object old_values;
  for (const std::string& name : set) {
    const json::Value* before = whole.find(name);
    old_values.append_unchecked(name, before == nullptr ? json::Value() : *before);
    const json::Value* after = values.find(name);
    if (after == nullptr || after->is_null()) {
      whole.erase(name);
    } else {
      whole.set(name, *after);
    }
  }
  return RowChange{.audit_id = new_id(),
                   .record_id = row.id,
                   .row = row.row,
                   .old_values = json::to_text(old_values),
                   .new_values = json::to_text(whole)};
}

Result<Mutated> add_records(DataType& type, const SchemaFile* schema,
                            const std::vector<const json::Object*>& records, const MutationOptions& options,
                            const engine::RunLimits& limits) {
  if (records.empty())
    return invalid_input("no record to add").with_code("no_records").with_hint("Give at least one.");
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  return add_to(*writing, schema, records, options,
                options.notes.empty() ? "Added new record via MCP" : options.notes, limits);
}

Result<Mutated> update_records(DataType& type, const SchemaFile* schema, const json::Object& filters,
                               const json::Object& updates, const MutationOptions& options,
                               const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  SLUICE_CHECK(check_update_keys(writing->view(), schema, updates));
  SLUICE_TRY(std::vector<StoredRow> rows, matching(writing->view(), filters, options, limits));
  if (rows.empty()) return no_match();
  return update_in(*writing, schema, std::move(rows), updates, options,
                   "Updated record via MCP with filters: " + in_notes(filters), limits);
}

Result<Mutated> delete_records(DataType& type, const json::Object& filters, const MutationOptions& options,
                               const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  SLUICE_TRY(std::vector<StoredRow> rows, matching(writing->view(), filters, options, limits));
  if (rows.empty()) return no_match();
  Operation operation =
      new_operation("delete", options, "Deleted record via MCP with filters: " + in_notes(filters));
  for (StoredRow& row : rows) {
    operation.rows.push_back({.audit_id = new_id(),
                              .record_id = std::move(row.id),
                              .row = row.row,
                              .old_values = std::move(row.values),
                              .new_values = {}});
  }
  return finish(*writing, std::move(operation), options);
}

Result<Mutated> upsert_record(DataType& type, const SchemaFile* schema, const json::Object& filters,
                              const json::Object& record, const MutationOptions& options,
                              const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  SLUICE_TRY(std::vector<StoredRow> rows, matching(writing->view(), filters, options, limits));
  const std::string text = in_notes(filters);
  if (!rows.empty()) {
    return update_in(*writing, schema, std::move(rows), record, options,
                     "Updated record via upsert (match found) with filters: " + text, limits);
  }
  MutationOptions created = options;
  created.source = "mcp_upsert_entry";
  return add_to(*writing, schema, {&record}, created,
                "Created record via upsert (no match found) with filters: " + text, limits);
}

}  // namespace sluice::records
