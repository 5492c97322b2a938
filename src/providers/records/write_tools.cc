#include <algorithm>
#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/mutation.h"

#include "change_json.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using records::Mutated;
using records::RowChange;

// What a change is made to, and how.
struct Change {
  std::shared_ptr<records::DataType> data_type;  // Shared with the store.
  std::optional<records::SchemaFile> schema;
  records::MutationOptions options;
  engine::RunLimits limits;

  const records::SchemaFile* declared() const { return schema ? &*schema : nullptr; }
};

Result<Change> change_of(const RecordTools& tools, const json::Object& arguments,
                         const catalog::Context& context) {
  Change out;
  SLUICE_TRY(const std::string name, json::ObjectReader(arguments, "").required_string("data_type"));
  SLUICE_TRY(out.data_type, tools.find(name));
  SLUICE_TRY(out.schema, records::read_schema_file(tools.store().root(), name));
  SLUICE_TRY(out.options, mutation_options(arguments, context));
  out.limits = limits_of(context);
  return out;
}

const json::Object& object_argument(const json::Object& arguments, std::string_view name) {
  static const json::Object none;
  const json::Value* value = arguments.find(name);
  return value != nullptr && value->is_object() ? *value->if_object() : none;
}

protocol::ToolResult done(json::Writer&& out) {
  return protocol::json_text_result(std::move(out.end_object()).take());
}

}  // namespace

Result<protocol::ToolResult> add_record(const RecordTools& tools, const json::Object& arguments,
                                        catalog::Context& context) {
  SLUICE_TRY(const Change change, change_of(tools, arguments, context));
  SLUICE_TRY(const Mutated added,
             records::add_records(*change.data_type, change.declared(),
                                  {&object_argument(arguments, "record")}, change.options, change.limits));
  if (change.options.dry_run) return protocol::json_text_result(dry_run_json(added));
  const RowChange& row = added.operation.rows.front();
  json::Writer out;
  out.begin_object().field("success", true).field("audit_id", row.audit_id);
  out.field("snapshot_created", added.operation.snapshot).field("total_records", added.records_after);
  out.raw_field("added_record", row.new_values).field("embeddings_generated", 0);
  write_remarks(out, added);
  return done(std::move(out));
}

Result<protocol::ToolResult> add_records(const RecordTools& tools, const json::Object& arguments,
                                         catalog::Context& context) {
  SLUICE_TRY(const Change change, change_of(tools, arguments, context));
  SLUICE_TRY(const json::Array* given, json::ObjectReader(arguments, "").required_array("records"));
  std::vector<const json::Object*> records;
  records.reserve(given->size());
  for (const json::Value& one : *given) records.push_back(one.if_object());
  SLUICE_TRY(const Mutated added, records::add_records(*change.data_type, change.declared(), records,
                                                       change.options, change.limits));
  if (change.options.dry_run) return protocol::json_text_result(dry_run_json(added));
  json::Writer out;
  out.begin_object().field("success", true).field("operation_id", added.operation.id);
  out.field("records_added", added.operation.rows.size()).field("total_records", added.records_after);
  out.field("version", added.operation.sequence).field("snapshot_created", added.operation.snapshot);
  write_audit_ids(out, added.operation);
  write_record_ids(out, added.operation);
  write_remarks(out, added);
  return done(std::move(out.field("embeddings_generated", 0)));
}

Result<protocol::ToolResult> update_records(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Change change, change_of(tools, arguments, context));
  const json::Object& filters = object_argument(arguments, "filters");
  const json::Object& updates = object_argument(arguments, "updates");
  SLUICE_TRY(const Mutated updated, records::update_records(*change.data_type, change.declared(), filters,
                                                            updates, change.options, change.limits));
  if (change.options.dry_run) return protocol::json_text_result(dry_run_json(updated));
  json::Writer out;
  out.begin_object().field("success", true);
  write_audit_ids(out, updated.operation);
  out.field("operation_id", updated.operation.id).field("snapshot_created", updated.operation.snapshot);
  out.field("records_updated", updated.operation.rows.size()).field("version", updated.operation.sequence);
  out.field("filters", filters).field("updates", updates).field("embeddings_generated", 0);
  write_remarks(out, updated);
  return done(std::move(out));
}

Result<protocol::ToolResult> upsert_record(const RecordTools& tools, const json::Object& arguments,
                                           catalog::Context& context) {
  SLUICE_TRY(const Change change, change_of(tools, arguments, context));
  const json::Object& filters = object_argument(arguments, "filters");
  const json::Object& record = object_argument(arguments, "record");
  SLUICE_TRY(const Mutated changed, records::upsert_record(*change.data_type, change.declared(), filters,
                                                           record, change.options, change.limits));
  if (change.options.dry_run) return protocol::json_text_result(dry_run_json(changed));
  const RowChange& row = changed.operation.rows.front();
  const bool is_created = changed.operation.kind == "add";
  json::Writer out;
  out.begin_object().field("success", true).field("action", is_created ? "created" : "updated");
  if (is_created) {
    out.field("audit_id", row.audit_id);
  } else {
    write_audit_ids(out, changed.operation);
    out.field("records_updated", changed.operation.rows.size());
  }
  out.raw_field("record_id", row.record_id).field("snapshot_created", changed.operation.snapshot);
  out.field("version", changed.operation.sequence).field("filters", filters);
  if (is_created) {
    out.raw_field("record", row.new_values);
  } else {
    out.field("updates", record);
  }
  write_remarks(out, changed);
  return done(std::move(out.field("embeddings_generated", 0)));
}

Result<protocol::ToolResult> delete_records(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Change change, change_of(tools, arguments, context));
  const json::Object& filters = object_argument(arguments, "filters");
  SLUICE_TRY(const Mutated deleted,
             records::delete_records(*change.data_type, filters, change.options, change.limits));
  if (change.options.dry_run) return protocol::json_text_result(dry_run_json(deleted));
  json::Writer out;
  out.begin_object().field("success", true);
  write_audit_ids(out, deleted.operation);
  out.field("operation_id", deleted.operation.id).field("snapshot_created", deleted.operation.snapshot);
  out.field("records_deleted", deleted.operation.rows.size())
      .field("remaining_records", deleted.records_after);
  out.field("version", deleted.operation.sequence).field("filters", filters);
  return done(std::move(out));
}

}  // namespace sluice::records_provider
