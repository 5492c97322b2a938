#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/mutation.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "change_json.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

const json::Object* object_at(const json::Object& arguments, std::string_view name) {
  const json::Value* value = arguments.find(name);
  return value == nullptr ? nullptr : value->if_object();
}

Result<json::Object> schema_content(const json::Object& arguments, const json::Object& fields) {
  const json::ObjectReader reader(arguments, "");
  SLUICE_TRY(const std::optional<std::string> description, reader.optional_string("description"));
  SLUICE_TRY(const std::optional<std::string> version, reader.optional_string("version"));
  return json::Object{
      {"schema", fields}, {"description", description.value_or("")}, {"version", version.value_or("1.0.0")}};
}

void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key).begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array();
}

Result<records::SchemaChange> schema_change(const json::Object& arguments) {
  const json::ObjectReader reader(arguments, "");
  records::SchemaChange out;
  if (const json::Object* added = object_at(arguments, "add_fields")) out.add_fields = *added;
  SLUICE_TRY(out.description, reader.optional_string("update_description"));
  SLUICE_TRY(out.version, reader.optional_string("version"));
  SLUICE_TRY(const std::optional<bool> update_parquet, reader.optional_bool("update_parquet"));
  out.adds_columns = update_parquet.value_or(true);
  return out;
}

}  // namespace

Result<protocol::ToolResult> create_data_type(const RecordTools& tools, const json::Object& arguments,
                                              catalog::Context& context) {
  SLUICE_TRY(const std::string name, json::ObjectReader(arguments, "").required_string("data_type"));
  SLUICE_TRY(const records::MutationOptions options, mutation_options(arguments, context));
  records::CreateRequest request{.schema = {}, .user = options.user, .dry_run = options.dry_run};
  if (const json::Object* fields = object_at(arguments, "schema")) {
    SLUICE_TRY(request.schema, schema_content(arguments, *fields));
  }
  SLUICE_TRY(const records::CreatedType made, tools.store().create(name, request, limits_of(context)));
  json::Writer out;
  out.begin_object().field("success", true);
  if (options.dry_run) {
    out.field("dry_run", true).field("operation", "create").field("would_create", made.is_new);
  } else {
    out.field("created", made.is_new);
    out.field("message", made.is_new ? "Parquet file created" : "Parquet file already exists");
  }
  out.field("path", records::file_path(name));
  if (made.is_new) {
    write_new_columns(out, "columns", made.operation.new_columns);
    if (!options.dry_run) out.field("audit_id", made.operation.id).field("version", made.operation.sequence);
  } else if (request.schema) {
    out.field("hint", "The schema of the call was not used; update_schema adds fields to a data type.");
  }
  out.end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> update_schema(const RecordTools& tools, const json::Object& arguments,
                                           catalog::Context& context) {
  SLUICE_TRY(const std::string name, json::ObjectReader(arguments, "").required_string("data_type"));
  SLUICE_TRY(const std::shared_ptr<records::DataType> type, tools.find(name));
  SLUICE_TRY(const records::MutationOptions options, mutation_options(arguments, context));
  SLUICE_TRY(const records::SchemaChange change, schema_change(arguments));
  SLUICE_TRY(const records::SchemaChanged changed,
             records::change_schema(*type, change, options, limits_of(context)));
  const records::Operation& operation = changed.mutated.operation;
  json::Writer out;
  out.begin_object().field("success", true).field("data_type", name);
  if (options.dry_run) {
    out.field("dry_run", true).field("operation", "schema").field("version", changed.mutated.version_before);
  } else {
    if (changed.is_changed) out.field("audit_id", operation.id);
    out.field("version", operation.sequence);
  }
  out.key("fields_added").begin_array();
  for (const json::Member& field : change.add_fields) out.string(field.key);
  out.end_array();
  write_names(out, "fields_changed", changed.redeclared);
  out.key("columns_added").begin_array();
  for (const records::NewColumn& column : operation.new_columns) out.string(column.name);
  out.end_array().field("schema", changed.content).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
