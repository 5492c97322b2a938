#include <utility>

#include "definitions.h"
#include "schema_form.h"

namespace sluice::records_provider {

namespace {

using json::Object;

constexpr protocol::ToolAnnotations kAdds{
    .read_only = false, .destructive = false, .idempotent = false, .open_world = false};
constexpr protocol::ToolAnnotations kDestroys{
    .read_only = false, .destructive = true, .idempotent = false, .open_world = false};

Object flag(std::string_view description) { return form::described(form::typed("boolean"), description); }

// What every change takes beside its own arguments.
Object with_options(Object properties) {
  properties.set("dry_run", flag("Say what would change, and change nothing"));
  properties.set("expected_version",
                 form::described(form::count(0),
                                 "`version` of the records as they were read; refused if it is another"));
  return properties;
}
Object all_rows() { return flag("Needed with empty filters: every record is meant"); }
Object record() {
  return form::described(form::typed("object"),
                         "{column: value}; a new key becomes a new column, which new_columns of the answer "
                         "names; a missing id is made");
}

void add_additions(std::vector<ToolDefinition>& out) {
  out.push_back(
      define({.name = "add_record",
              .title = "Add a record",
              .description = "Adds one record. Durable when it answers; rollback_operation undoes it.",
              .properties = with_options({{"data_type", form::data_type()}, {"record", record()}}),
              .required = {"data_type", "record"},
              .answers = {"success"}},
             kAdds, add_record));
  out.push_back(define(
      {.name = "add_records",
       .title = "Add many records",
       .description = "Adds all records or none, as one operation: much faster than one by one.",
       .properties =
           with_options({{"data_type", form::data_type()}, {"records", form::list_of(record(), 100'000)}}),
       .required = {"data_type", "records"},
       .answers = {"success"}},
      kAdds, add_records));
}

void add_changes(std::vector<ToolDefinition>& out) {
  out.push_back(define(
      {.name = "update_records",
       .title = "Update records",
       .description = "Sets columns of every record that matches.",
       .properties = with_options({{"data_type", form::data_type()},
                                   {"filters", form::filters()},
                                   {"updates", form::described(form::typed("object"), "{column: value}")},
                                   {"all_rows", all_rows()}}),
       .required = {"data_type", "filters", "updates"},
       .answers = {"success"}},
      kDestroys, update_records));
  out.push_back(define({.name = "upsert_record",
                        .title = "Update or add a record",
                        .description = "Updates the records that match, or adds the record where none does.",
                        .properties = with_options({{"data_type", form::data_type()},
                                                    {"filters", form::filters()},
                                                    {"record", record()},
                                                    {"all_rows", all_rows()}}),
                        .required = {"data_type", "filters", "record"},
                        .answers = {"success"}},
                       kDestroys, upsert_record));
  out.push_back(
      define({.name = "delete_records",
              .title = "Delete records",
              .description = "Deletes every record that matches. rollback_operation brings them back.",
              .properties = with_options(
                  {{"data_type", form::data_type()}, {"filters", form::filters()}, {"all_rows", all_rows()}}),
              .required = {"data_type", "filters"},
              .answers = {"success"}},
             kDestroys, delete_records));
}

void add_undoing(std::vector<ToolDefinition>& out) {
  out.push_back(
      define({.name = "rollback_operation",
              .title = "Undo an operation",
              .description = "Undoes what an audit_id did to its record, or a whole operation by its "
                             "operation_id; a rollback too. Refused where the record was changed since.",
              .properties = with_options({{"audit_id", form::text("From read_audit_log")},
                                          {"force", flag("Also where it was changed since")}}),
              .required = {"audit_id"},
              .answers = {"success"}},
             kDestroys, rollback_operation));
  out.push_back(define(
      {.name = "restore_snapshot",
       .title = "Restore a data type",
       .description =
           "Brings all records of a data type back to a moment: after `version`, before `audit_id`, or at "
           "`time`. Can itself be rolled back.",
       .properties = with_options(
           {{"data_type", form::data_type()},
            {"version", form::described(form::count(0), "State after this version")},
            {"audit_id", form::text("State before this operation")},
            {"time", form::text("ISO 8601, UTC")},
            {"keep_file", flag("Where another program has replaced the file: go on from that file")}}),
       .required = {"data_type"},
       .answers = {"success"}},
      kDestroys, restore_snapshot));
}

void add_types(std::vector<ToolDefinition>& out) {
  const Object fields = form::described(
      form::typed("object"),
      "{field: string integer float boolean date timestamp date_string, or {enum: [values]}}");
  out.push_back(define({.name = "create_data_type",
                        .title = "Create a data type",
                        .description = "Makes an empty data type from its schema file, or from `schema`.",
                        .properties = {{"data_type", form::text("Letters, digits, _ and -")},
                                       {"schema", fields},
                                       {"description", form::typed("string")},
                                       {"version", form::text("Of the schema; default 1.0.0")},
                                       {"dry_run", flag("Say what would be made, and make nothing")}},
                        .required = {"data_type"},
                        .answers = {"success"}},
                       kAdds, create_data_type));
  out.push_back(define(
      {.name = "update_schema",
       .title = "Change a schema",
       .description =
           "Adds fields to the schema file and, unless update_parquet is false, columns to the "
           "records; sets description and version. One operation, which rollback_operation undoes.",
       .properties =
           with_options({{"data_type", form::data_type()},
                         {"add_fields", fields},
                         {"update_description", form::typed("string")},
                         {"version", form::text("Of the schema; the answer's `version` is the records'")},
                         {"update_parquet", flag("Default true")}}),
       .required = {"data_type"},
       .answers = {"success"}},
      kAdds, update_schema));
}

void add_import(std::vector<ToolDefinition>& out) {
  out.push_back(define(
      {.name = "import_file",
       .title = "Import records from a file",
       .description =
           "Adds the rows of a CSV or TSV file with a header, or of a JSON, NDJSON or Parquet file, in the "
           "folder for imports: all or none, as one operation.",
       .properties = with_options({{"data_type", form::data_type()},
                                   {"file", form::text("Relative path, such as january/tasks.csv")},
                                   {"format", form::one_of({"csv", "tsv", "json", "ndjson", "parquet"})}}),
       .required = {"data_type", "file"},
       .answers = {"success"}},
      kAdds, import_file));
}

}  // namespace

void add_write_definitions(std::vector<ToolDefinition>& out, const Offer& offer) {
  out.push_back(
      define({.name = "read_audit_log",
              .title = "What was changed",
              .description = "Changes of records, newest first, with the values before and after.",
              .properties = {{"data_type", form::data_type()},
                             {"operation", form::text("add, update, delete, restore, schema or create")},
                             {"record_id", form::typed("string")},
                             {"limit", form::described(form::count(1), "Default 100")},
                             {"offset", form::described(form::count(0), "See next_offset")}},
              .required = {},
              .answers = {"count", "data"}},
             kReads, read_audit_log));
  if (!offer.is_writable) return;
  if (offer.has_exchange) add_import(out);
  add_additions(out);
  add_changes(out);
  add_undoing(out);
  add_types(out);
}

}  // namespace sluice::records_provider
