#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/mutation.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "change_json.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using records::SchemaFile;

// Every declared type must be one that columns can have.
Status check_fields(const json::Object& fields) {
  const SchemaFile schema{.content = {{"schema", fields}}};
  for (const json::Member& field : fields) {
    const std::string declared = schema.declared(field.key);
    if (records::sql_type_of(declared)) continue;
    return invalid_input(fmt::format("the field {} has a type that is not known: {}", excerpt(field.key),
                                     excerpt(json::to_text(field.value))))
        .with_code("unknown_type")
        .with_hint("string, integer, float, boolean, date, timestamp, date_string, or {\"enum\": [values]}.");
  }
  return {};
}

const json::Object* object_at(const json::Object& arguments, std::string_view name) {
  const json::Value* value = arguments.find(name);
  return value == nullptr ? nullptr : value->if_object();
}

Result<json::Object> schema_content(const json::Object& arguments, const json::Object& fields) {
  SLUICE_CHECK(check_fields(fields));
  const json::ObjectReader reader(arguments, "");
  SLUICE_TRY(const std::optional<std::string> description, reader.optional_string("description"));
  SLUICE_TRY(const std::optional<std::string> version, reader.optional_string("version"));
  return json::Object{
      {"schema", fields}, {"description", description.value_or("")}, {"version", version.value_or("1.0.0")}};
}

}  // namespace

Result<protocol::ToolResult> create_data_type(const Desk& desk, const json::Object& arguments,
                                              catalog::Context& context) {
  SLUICE_TRY(const std::string name, json::ObjectReader(arguments, "").required_string("data_type"));
  SLUICE_CHECK(records::check_data_type(name));
  records::Store& store = desk.store();
  if (const json::Object* fields = object_at(arguments, "schema")) {
    SLUICE_TRY(const json::Object content, schema_content(arguments, *fields));
    SLUICE_TRY(const std::optional<SchemaFile> known, records::read_schema_file(store.root(), name));
    if (known && !json::equal(known->content, content)) {
      return conflict("there is another schema of that data type already: " + name)
          .with_code("schema_exists")
          .with_hint("Leave `schema` out to use it, or change it with update_schema.");
    }
    SLUICE_CHECK(records::write_schema_file(store.root(), name, content));
  }
  SLUICE_TRY(const bool created, store.create(name, limits_of(context)));
  json::Writer out;
  out.begin_object().field("success", true).field("created", created);
  out.field("message", created ? "Parquet file created" : "Parquet file already exists");
  out.field("path", records::file_path(name)).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> update_schema(const Desk& desk, const json::Object& arguments,
                                           catalog::Context& context) {
  const json::ObjectReader reader(arguments, "");
  SLUICE_TRY(const std::string name, reader.required_string("data_type"));
  SLUICE_TRY(const std::shared_ptr<records::DataType> type, desk.find(name));
  SLUICE_TRY(std::optional<SchemaFile> file, records::read_schema_file(desk.store().root(), name));
  SchemaFile schema = std::move(file).value_or(SchemaFile{});
  static const json::Object kNone;
  const json::Object* added = object_at(arguments, "add_fields");
  const json::Object& fields = added == nullptr ? kNone : *added;
  SLUICE_CHECK(check_fields(fields));
  json::Object all = schema.fields() == nullptr ? json::Object() : *schema.fields();
  std::vector<records::NewColumn> columns;
  SLUICE_TRY(const records::View view, type->view(limits_of(context)));
  const SchemaFile declared{.content = {{"schema", fields}}};
  for (const json::Member& field : fields) {
    all.set(field.key, field.value);
    if (view.find(field.key) != nullptr) continue;
    columns.push_back({.name = field.key, .type = *records::sql_type_of(declared.declared(field.key))});
  }
  SLUICE_TRY(const std::optional<std::string> description, reader.optional_string("update_description"));
  SLUICE_TRY(const std::optional<std::string> version, reader.optional_string("version"));
  SLUICE_TRY(const std::optional<bool> update_parquet, reader.optional_bool("update_parquet"));
  schema.content.set("schema", std::move(all));
  if (description) schema.content.set("description", *description);
  if (version) schema.content.set("version", *version);
  json::Writer out;
  out.begin_object().field("success", true).field("data_type", name);
  // The records first: a schema that declares a column which is not there does no harm, the reverse neither;
  // but a name that no column can have must not get into the file.
  if (update_parquet.value_or(true) && !columns.empty()) {
    SLUICE_TRY(const records::MutationOptions options, mutation_options(arguments, context));
    SLUICE_TRY(const records::Mutated changed,
               records::add_columns(*type, columns, options, limits_of(context)));
    out.field("audit_id", changed.operation.id).field("version", changed.operation.sequence);
  }
  SLUICE_CHECK(records::write_schema_file(desk.store().root(), name, schema.content));
  out.key("fields_added").begin_array();
  for (const json::Member& field : fields) out.string(field.key);
  out.end_array().key("columns_added").begin_array();
  for (const records::NewColumn& column : columns) {
    if (update_parquet.value_or(true)) out.string(column.name);
  }
  out.end_array().field("schema", schema.content).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
