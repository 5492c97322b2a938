#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/records/mutation.h"

#include "mutating.h"
#include "typed_rows.h"

namespace sluice::records {

namespace {

Error field_exists(const json::Member& field, const json::Value& declared) {
  return conflict(fmt::format("the field {} is declared as {} already, and would become {}",
                              excerpt(field.key), excerpt(json::to_text(declared)),
                              excerpt(json::to_text(field.value))))
      .with_code("field_exists")
      .with_hint("The type of a field stays as it is. Add a field of another name, or leave this one out.");
}

}  // namespace

Result<SchemaChanged> change_schema(DataType& type, const SchemaChange& change,
                                    const MutationOptions& options, const engine::RunLimits& limits) {
  SLUICE_CHECK(check_declared_types(change.add_fields));
  SLUICE_TRY(const std::unique_ptr<WriteTransaction> writing, begin_transaction(type, options, limits));
  const View& view = writing->view();
  // Read while the lock is held: of two changes at the same time none gets lost.
  SLUICE_TRY(const std::optional<SchemaFile> file, read_schema_file(type.root(), type.name()));
  const SchemaFile before = file.value_or(SchemaFile{});
  const SchemaFile given{.content = {{"schema", change.add_fields}}};
  json::Object fields = before.fields() == nullptr ? json::Object() : *before.fields();
  SchemaChanged out;
  Columns columns{.all = view.columns, .added = {}};
  for (const json::Member& field : change.add_fields) {
    const std::string sql = *sql_type_of(given.declared(field.key));
    if (const json::Value* declared = fields.find(field.key);
        declared != nullptr && !json::equal(*declared, field.value)) {
      if (sql_type_of(before.declared(field.key)).value_or("VARCHAR") != sql)
        return field_exists(field, *declared);
      out.redeclared.push_back(field.key);
    }
    fields.set(field.key, field.value);
    // Also where no column is added: a name that no column can have must not get into the schema file.
    if (view.find(field.key) == nullptr)
      SLUICE_CHECK(add_column(columns, *view.engine, {.name = field.key, .type = sql}));
  }
  out.content = before.content;
  out.content.set("schema", std::move(fields));
  if (change.description) out.content.set("description", *change.description);
  if (change.version) out.content.set("version", *change.version);
  const bool adds_columns = change.adds_columns && !columns.added.empty();
  const bool is_asked = !change.add_fields.empty() || change.description || change.version;
  const bool changes_file = is_asked && (!file || !json::equal(out.content, before.content));
  Operation operation =
      new_operation("schema", options, adds_columns ? "Added columns via MCP" : "Changed schema via MCP");
  if (adds_columns) operation.new_columns = std::move(columns.added);
  if (changes_file) {
    operation.schema_before = file ? json::to_text(before.content) : "null";
    operation.schema_after = json::to_text(out.content);
  }
  out.is_changed = adds_columns || changes_file;
  if (!out.is_changed) {
    out.mutated.version_before = view.version;
    out.mutated.records_after = view.rows;
    out.mutated.operation.sequence = view.version;
    return out;
  }
  SLUICE_TRY(out.mutated, finish(*writing, std::move(operation), options));
  return out;
}

}  // namespace sluice::records
