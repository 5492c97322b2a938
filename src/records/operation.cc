#include "sluice/records/operation.h"

#include <algorithm>
#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "journal.h"

namespace sluice::records {

namespace {

void write_row(json::Writer& out, const RowChange& row) {
  out.begin_object()
      .field("audit_id", row.audit_id)
      .raw_field("record_id", row.record_id)
      .field("row", row.row);
  if (!row.old_values.empty()) out.raw_field("old", row.old_values);
  if (!row.new_values.empty()) out.raw_field("new", row.new_values);
  out.end_object();
}

Result<RowChange> row_of(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader reader, json::ObjectReader::of(value, "row"));
  RowChange row;
  SLUICE_TRY(row.audit_id, reader.required_string("audit_id"));
  SLUICE_TRY(const std::optional<double> place, reader.optional_number("row"));
  row.row = place.value_or(0);
  const json::Value* id = reader.find("record_id");
  row.record_id = id == nullptr ? "null" : json::to_text(*id);
  if (const json::Value* old_values = reader.find("old")) row.old_values = json::to_text(*old_values);
  if (const json::Value* new_values = reader.find("new")) row.new_values = json::to_text(*new_values);
  return row;
}

Result<std::string> text_or_empty(const json::ObjectReader& reader, std::string_view key) {
  SLUICE_TRY(std::optional<std::string> text, reader.optional_string(key));
  return std::move(text).value_or("");
}

}  // namespace

Result<std::vector<NewColumn>> columns_of(const json::ObjectReader& reader) {
  std::vector<NewColumn> out;
  SLUICE_TRY(const json::Array* columns, reader.optional_array("new_columns"));
  if (columns == nullptr) return out;
  for (const json::Value& column : *columns) {
    SLUICE_TRY(const json::ObjectReader one, json::ObjectReader::of(column, "new_columns"));
    NewColumn& added = out.emplace_back();
    SLUICE_TRY(added.name, one.required_string("name"));
    SLUICE_TRY(added.type, one.required_string("type"));
  }
  return out;
}

std::string to_json(const Operation& operation) {
  json::Writer out;
  out.begin_object()
      .field("op", operation.kind)
      .field("sequence", operation.sequence)
      .field("time", operation.time);
  out.field("id", operation.id).field("user", operation.user);
  if (!operation.snapshot.empty()) out.field("snapshot", operation.snapshot);
  if (!operation.notes.empty()) out.field("notes", operation.notes);
  if (!operation.undoes.empty()) out.field("undoes", operation.undoes);
  if (!operation.new_columns.empty()) {
    out.key("new_columns").begin_array();
    for (const NewColumn& column : operation.new_columns)
      out.begin_object().field("name", column.name).field("type", column.type).end_object();
    out.end_array();
  }
  if (!operation.set.empty()) {
    out.key("set").begin_array();
    for (const std::string& name : operation.set) out.string(name);
    out.end_array();
  }
  // As text within text: nothing in it can be taken for the rows, see operation_of.
  if (!operation.schema_after.empty())
    out.field("schema_before", operation.schema_before).field("schema_after", operation.schema_after);
  if (operation.last_id > 0) out.field("last_id", operation.last_id);
  out.key("rows").begin_array();
  for (const RowChange& row : operation.rows) write_row(out, row);
  out.end_array().end_object();
  return std::move(out).take();
}

Result<Operation> operation_of(std::string_view json) {
  SLUICE_TRY(const json::Value value, json::read(json, kJournalLimits));
  SLUICE_TRY(const json::ObjectReader reader, json::ObjectReader::of(value, "operation"));
  Operation out;
  SLUICE_TRY(out.kind, reader.required_string("op"));
  SLUICE_TRY(const std::optional<std::int64_t> sequence, reader.optional_int("sequence"));
  out.sequence = sequence.value_or(0);
  SLUICE_TRY(out.time, text_or_empty(reader, "time"));
  SLUICE_TRY(out.id, text_or_empty(reader, "id"));
  SLUICE_TRY(out.user, text_or_empty(reader, "user"));
  SLUICE_TRY(out.snapshot, text_or_empty(reader, "snapshot"));
  SLUICE_TRY(out.notes, text_or_empty(reader, "notes"));
  SLUICE_TRY(out.undoes, text_or_empty(reader, "undoes"));
  SLUICE_TRY(out.schema_before, text_or_empty(reader, "schema_before"));
  SLUICE_TRY(out.schema_after, text_or_empty(reader, "schema_after"));
  SLUICE_TRY(const std::optional<std::int64_t> last_id, reader.optional_int("last_id"));
  out.last_id = last_id.value_or(0);
  SLUICE_TRY(out.set, reader.optional_strings("set"));
  SLUICE_TRY(out.new_columns, columns_of(reader));
  SLUICE_TRY(const json::Array* rows, reader.optional_array("rows"));
  if (rows != nullptr) {
    out.rows.reserve(rows->size());
    for (const json::Value& row : *rows) {
      SLUICE_TRY(RowChange change, row_of(row));
      out.rows.push_back(std::move(change));
    }
  }
  return out;
}

Result<Operation> operation_of(std::string_view json, std::size_t rows_max) {
  // Neither can stand inside a string, whose quotes are escaped. A record may have an object that looks like
  // a row of ours; what then does not add up is read whole.
  constexpr std::string_view kRows = R"("rows":[)";
  constexpr std::string_view kRow = R"({"audit_id":")";
  constexpr std::string_view kEnd = "]}";
  const std::size_t begin = json.find(kRows);
  if (begin == std::string_view::npos || !json.ends_with(kEnd)) return operation_of(json);
  SLUICE_TRY(Operation out, operation_of(std::string(json.substr(0, begin)) + R"("rows":[]})"));
  std::size_t end = json.size() - kEnd.size();
  while (out.rows.size() < rows_max && end > begin + kRows.size()) {
    const std::size_t at = json.rfind(kRow, end - 1);
    if (at == std::string_view::npos || at < begin + kRows.size()) return operation_of(json);
    const Result<json::Value> value = json::read(json.substr(at, end - at), kJournalLimits);
    if (!value.ok()) return operation_of(json);
    Result<RowChange> row = row_of(*value);
    const bool is_ours =
        row.ok() && value->find("row") != nullptr && (json[at - 1] == ',' || json[at - 1] == '[');
    if (!is_ours) return operation_of(json);
    out.rows.push_back(*std::move(row));
    end = at - 1;
  }
  std::reverse(out.rows.begin(), out.rows.end());
  return out;
}

}  // namespace sluice::records
