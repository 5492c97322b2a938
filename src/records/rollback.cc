#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/reader.h"
#include "sluice/records/mutation.h"
#include "sluice/records/name.h"
#include "sluice/records/value.h"

#include "foreign_operation.h"
#include "journal.h"
#include "mutating.h"

namespace sluice::records {

namespace {

Error changed_since(std::string_view what, std::string_view record_id) {
  return conflict(fmt::format("Cannot rollback: {}: {}", what, excerpt(record_id)))
      .with_code("changed_since")
      .with_hint(
          "read_audit_log with record_id shows what happened to it; force: true rolls back all the same.");
}

Error no_old_values() {
  return unsupported("Cannot rollback: no old values stored")
      .with_code("no_old_values")
      .with_hint(
          "The audit entry does not say what the record was before. restore_snapshot brings a whole data "
          "type back.");
}

Result<json::Object> journaled_object(std::string_view json) {
  SLUICE_TRY(json::Value value, json::read(json, kJournalLimits));
  json::Object* object = value.if_object();
  if (object == nullptr) return internal_error("read the journal: values are no object");
  return std::move(*object);
}

// The record as it is now. Places change when files are written anew, ids do not.
Result<std::vector<StoredRow>> current(const View& view, const RowChange& change,
                                       const engine::RunLimits& limits) {
  const engine::Field* id = view.find(view.id_column);
  if (id == nullptr || change.record_id == "null") {
    return unsupported("Cannot rollback: the data type has no id column")
        .with_code("no_id_column")
        .with_hint("restore_snapshot brings a whole data type back.");
  }
  SLUICE_TRY(const json::Value stored, json::read(change.record_id, kJournalLimits));
  const std::string* text = stored.if_string();
  plan::Condition condition{.kind = plan::Condition::Kind::kCompare,
                            .column = static_cast<std::size_t>(id - view.columns.data())};
  condition.constants.push_back({.given = stored,
                                 .operand = {.place = plan::Operand::Place::kEqual,
                                             .text = text != nullptr ? *text : change.record_id}});
  return stored_rows(view, std::move(condition), limits, 2);
}

Result<StoredRow> the_record(const View& view, const RowChange& change, const engine::RunLimits& limits) {
  SLUICE_TRY(std::vector<StoredRow> rows, current(view, change, limits));
  if (rows.empty()) return changed_since("the record is not there any more", change.record_id);
  if (rows.size() > 1) return changed_since("several records have its id", change.record_id);
  return std::move(rows.front());
}

Result<RowChange> undo_add(const View& view, const RowChange& change, bool force,
                           const engine::RunLimits& limits) {
  SLUICE_TRY(StoredRow row, the_record(view, change, limits));
  SLUICE_TRY(const json::Object now, journaled_object(row.values));
  SLUICE_TRY(const json::Object then, journaled_object(change.new_values.empty() ? "{}" : change.new_values));
  if (!force && !json::equal(now, then))
    return changed_since("the record was changed since", change.record_id);
  return RowChange{.audit_id = new_id(),
                   .record_id = change.record_id,
                   .row = row.row,
                   .old_values = std::move(row.values),
                   .new_values = {}};
}

Result<RowChange> undo_update(const View& view, const Operation& operation, const RowChange& change,
                              bool force, const engine::RunLimits& limits) {
  if (change.old_values.empty()) return no_old_values();
  // The id itself may be what was updated: the record is then found by its new one.
  RowChange wanted = change;
  SLUICE_TRY(const json::Object then, journaled_object(change.new_values));
  if (const json::Value* id = then.find(view.id_column)) wanted.record_id = json::to_text(*id);
  SLUICE_TRY(const StoredRow row, the_record(view, wanted, limits));
  SLUICE_TRY(const json::Object now, journaled_object(row.values));
  for (const std::string& name : operation.set) {
    const json::Value* before = then.find(name);
    const json::Value* after = now.find(name);
    const bool is_same =
        before == nullptr || after == nullptr ? before == after : json::equal(*before, *after);
    if (!force && !is_same) return changed_since("the record was changed since", change.record_id);
  }
  SLUICE_TRY(const json::Object old_values, journaled_object(change.old_values));
  return changed_row(row, operation.set, old_values);
}

// Where a deleted record was; always a place of its own.
Result<double> free_place(const View& view, double row, const engine::RunLimits& limits,
                          std::vector<double>& taken) {
  double place = row;
  for (double step = 0.5; step > 1e-6; step /= 2) {
    const std::string sql = fmt::format("SELECT count(*) FROM {} WHERE {} = $1", view.relation, kRowColumn);
    SLUICE_TRY(const std::vector<TextRow> found,
               read_texts(*view.engine, {.sql = sql, .parameters = {place}}, limits));
    const bool is_free =
        found.front().front() == "0" && std::find(taken.begin(), taken.end(), place) == taken.end();
    if (is_free) {
      taken.push_back(place);
      return place;
    }
    place = row - step;
  }
  return conflict("Cannot rollback: too many records were brought back to one place")
      .with_code("changed_since");
}

Result<RowChange> undo_delete(const View& view, const RowChange& change, double row,
                              const engine::RunLimits& limits, std::vector<double>& taken) {
  if (change.old_values.empty()) return no_old_values();
  if (!view.id_column.empty() && change.record_id != "null") {
    SLUICE_TRY(const std::vector<StoredRow> rows, current(view, change, limits));
    if (!rows.empty()) return changed_since("another record has its id now", change.record_id);
  }
  SLUICE_TRY(const double place, free_place(view, row, limits, taken));
  return RowChange{.audit_id = new_id(),
                   .record_id = change.record_id,
                   .row = place,
                   .old_values = {},
                   .new_values = change.old_values};
}

std::string inverse_kind(std::string_view kind) {
  if (kind == "add") return "delete";
  if (kind == "delete") return "add";
  return kind == "update" ? "update" : "";
}

// Where the operation changed the schema file, its inverse brings the old content back.
Status undo_schema_file(Operation& inverse, DataType& type, const Operation& original, bool force) {
  if (original.schema_after.empty()) return {};
  SLUICE_TRY(inverse.schema_before, schema_text(type.root(), type.name()));
  if (!force && inverse.schema_before != original.schema_after)
    return changed_since("the schema file was changed since", original.id);
  inverse.schema_after = original.schema_before;
  return {};
}

// A change of the schema file alone.
Result<Mutated> undo_schema(DataType& type, const FoundOperation& found, const MutationOptions& options,
                            const engine::RunLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  Operation inverse =
      new_operation("schema", options, fmt::format("Rollback of schema operation {}", found.operation.id));
  inverse.undoes = found.operation.id;
  SLUICE_CHECK(undo_schema_file(inverse, type, found.operation, options.force));
  return finish(*writing, std::move(inverse), options);
}

// What changed all records at once is undone by going back to before it, and only while nothing happened
// since.
Result<Mutated> undo_whole(DataType& type, const FoundOperation& found, const MutationOptions& options,
                           const engine::RunLimits& limits) {
  SLUICE_TRY(const std::int64_t last, type.last_version());
  if (options.expected_version && *options.expected_version != last)
    return version_conflict(*options.expected_version, last);
  if (last != found.operation.sequence && !options.force) {
    return changed_since("records were changed since", found.operation.id)
        .with_hint(
            "force: true goes back to before the operation, and gives up everything that came after it. "
            "read_audit_log shows what that is.");
  }
  Mutated out;
  out.version_before = last;
  out.operation =
      new_operation("restore", options,
                    fmt::format("Rollback of {} operation {}", found.operation.kind, found.operation.id));
  out.operation.undoes = found.operation.id;
  SLUICE_CHECK(undo_schema_file(out.operation, type, found.operation, options.force));
  if (options.dry_run) {
    SLUICE_TRY(const View then, type.view_of(found.operation.sequence - 1, limits));
    out.records_after = then.rows;
    return out;
  }
  // What was looked at above must still be so.
  SLUICE_TRY(out.operation,
             type.restore(found.operation.sequence - 1, std::move(out.operation), limits, last));
  SLUICE_TRY(const View view, type.view(limits));
  out.records_after = view.rows;
  return out;
}

Error kind_not_reversible(std::string_view kind) {
  if (kind == "create") {
    return unsupported("Cannot rollback: a data type that was created is not removed")
        .with_code("not_reversible")
        .with_hint("delete_records with all_rows: true empties it.");
  }
  return unsupported("Unknown operation type: " + excerpt(kind))
      .with_code("not_reversible")
      .with_hint("restore_snapshot brings the data type back to before it.");
}

}  // namespace

Result<Mutated> roll_back(DataType& type, const FoundOperation& found, const MutationOptions& options,
                          const engine::RunLimits& limits) {
  const std::string kind = inverse_kind(found.operation.kind);
  const bool is_whole = found.operation.kind == "restore" || found.operation.kind == "schema";
  if (is_whole && !found.is_foreign) {
    const bool is_file_alone = found.operation.kind == "schema" && found.operation.new_columns.empty();
    return is_file_alone ? undo_schema(type, found, options, limits)
                         : undo_whole(type, found, options, limits);
  }
  if (kind.empty()) return kind_not_reversible(found.operation.kind);
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  const View& view = writing->view();
  Operation original = found.operation;
  std::vector<double> places{writing->next_row()};
  if (found.is_foreign) {
    SLUICE_TRY(original, as_ours(view, std::move(original), limits));
  } else {
    SLUICE_TRY(places, places_now(type.root(), found.data_type, original));
  }
  std::string id = found.row ? original.rows[*found.row].audit_id : original.id;
  Operation inverse =
      new_operation(kind, options, fmt::format("Rollback of {} operation {}", original.kind, id));
  inverse.undoes = std::move(id);
  if (kind == "update") inverse.set = original.set;
  const std::size_t first = found.row.value_or(0);
  const std::size_t end = found.row ? first + 1 : original.rows.size();
  std::vector<double> taken;
  for (std::size_t i = first; i < end; ++i) {
    const RowChange& change = original.rows[i];
    Result<RowChange> undone = kind == "delete"   ? undo_add(view, change, options.force, limits)
                               : kind == "update" ? undo_update(view, original, change, options.force, limits)
                                                  : undo_delete(view, change, places[i], limits, taken);
    if (!undone.ok()) return std::move(undone).error();
    inverse.rows.push_back(*std::move(undone));
  }
  return finish(*writing, std::move(inverse), options);
}

}  // namespace sluice::records
