#include "foreign_operation.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/reader.h"

#include "journal.h"
#include "typed_rows.h"

namespace sluice::records {

namespace {

Error foreign_not_reversible(std::string_view why) {
  return unsupported(fmt::format("Cannot rollback: {}", why))
      .with_code("not_reversible")
      .with_hint(
          "The entry is from the log of another program. read_audit_log shows its values: change the "
          "records with update_records, add_record or delete_records.");
}

// Python writes NaN and the infinities as bare words, which no JSON has.
std::string without_bare_words(std::string_view json) {
  std::string out;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (in_text && json[i] == '\\' && i + 1 < json.size()) {
      out += json.substr(i++, 2);
      continue;
    }
    if (json[i] == '"') in_text = !in_text;
    std::size_t skipped = 0;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (!in_text && json.substr(i).starts_with(word)) skipped = word.size();
    }
    out += skipped > 0 ? std::string_view("null") : json.substr(i, 1);
    i += skipped > 0 ? skipped - 1 : 0;
  }
  return out;
}

Result<json::Object> values_of(const View& view, const std::string& text) {
  Result<json::Value> read = json::read(without_bare_words(text), kJournalLimits);
  if (!read.ok() || !read->is_object())
    return foreign_not_reversible("the values in the audit log cannot be read");
  json::Object out;
  for (const json::Member& member : *read->if_object()) {
    if (view.find(member.key) != nullptr) {
      out.append_unchecked(member.key, member.value);
    } else if (!member.value.is_null()) {
      return foreign_not_reversible("there is no such column any more: " + excerpt(member.key));
    }
  }
  return out;
}

Result<StoredRow> stored(const View& view, const json::Object& values, const engine::RunLimits& limits) {
  const Columns columns{.all = view.columns, .added = {}};
  Result<std::vector<StoredRow>> rows = typed_rows(view, columns, {&values}, 0, view.id_column, limits);
  if (!rows.ok()) {
    if (rows.error().kind != ErrorKind::kInvalidInput) return rows.error();
    return foreign_not_reversible("a value in the audit log does not fit: " + rows.error().message);
  }
  return std::move(rows->front());
}

}  // namespace

Result<Operation> as_ours(const View& view, Operation foreign, const engine::RunLimits& limits) {
  RowChange& row = foreign.rows.front();
  if (view.id_column.empty()) return foreign;  // Whoever looks for the record says so.
  const json::Object id{{view.id_column, json::read(row.record_id, kJournalLimits).value()}};
  SLUICE_TRY(const StoredRow found, stored(view, id, limits));
  row.record_id = found.id;
  if (!row.old_values.empty()) {
    SLUICE_TRY(const json::Object values, values_of(view, row.old_values));
    for (const json::Member& member : values) foreign.set.push_back(member.key);
    SLUICE_TRY(StoredRow old_row, stored(view, values, limits));
    row.old_values = std::move(old_row.values);
  }
  if (!row.new_values.empty()) {
    SLUICE_TRY(const json::Object values, values_of(view, row.new_values));
    SLUICE_TRY(StoredRow new_row, stored(view, values, limits));
    row.new_values = std::move(new_row.values);
  }
  return foreign;
}

}  // namespace sluice::records
