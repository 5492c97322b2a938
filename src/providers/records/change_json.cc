#include "change_json.h"

#include <algorithm>
#include <utility>

#include "sluice/json/object_reader.h"
#include "sluice/records/audit.h"

namespace sluice::records_provider {

namespace {

constexpr std::size_t kIdsShown = 100;
constexpr std::size_t kChangesShown = 5;
constexpr std::size_t kChangeBytes = 4'000;

}  // namespace

Result<records::MutationOptions> mutation_options(const json::Object& arguments,
                                                  const catalog::Context& context) {
  const json::ObjectReader reader(arguments, "");
  records::MutationOptions out;
  SLUICE_TRY(const std::optional<bool> dry_run, reader.optional_bool("dry_run"));
  SLUICE_TRY(const std::optional<bool> all_rows, reader.optional_bool("all_rows"));
  SLUICE_TRY(const std::optional<bool> force, reader.optional_bool("force"));
  SLUICE_TRY(out.expected_version, reader.optional_int("expected_version"));
  out.dry_run = dry_run.value_or(false);
  out.all_rows = all_rows.value_or(false);
  out.force = force.value_or(false);
  out.user = context.principal().id;
  return out;
}

void write_audit_ids(json::Writer& out, const records::Operation& operation) {
  out.key("audit_ids").begin_array();
  const std::size_t shown = std::min(kIdsShown, operation.rows.size());
  for (std::size_t i = 0; i < shown; ++i) out.string(operation.rows[i].audit_id);
  out.end_array();
  if (shown < operation.rows.size()) out.field("audit_ids_omitted", operation.rows.size() - shown);
}

void write_record_ids(json::Writer& out, const records::Operation& operation) {
  out.key("record_ids").begin_array();
  const std::size_t shown = std::min(kIdsShown, operation.rows.size());
  for (std::size_t i = 0; i < shown; ++i) out.raw(operation.rows[i].record_id);
  out.end_array();
}

void write_values(json::Writer& out, std::string_view name, const std::string& json, std::size_t bytes_max) {
  out.key(name);
  if (json.size() <= bytes_max) {
    out.raw(json);
  } else {
    out.begin_object().field("omitted_bytes", json.size()).end_object();
  }
}

void write_new_columns(json::Writer& out, std::string_view key,
                       const std::vector<records::NewColumn>& columns) {
  out.key(key).begin_array();
  for (const records::NewColumn& column : columns)
    out.begin_object().field("name", column.name).field("type", column.type).end_object();
  out.end_array();
}

void write_remarks(json::Writer& out, const records::Mutated& mutated) {
  if (!mutated.operation.new_columns.empty())
    write_new_columns(out, "new_columns", mutated.operation.new_columns);
  if (mutated.warnings.empty()) return;
  out.key("warnings").begin_array();
  for (const std::string& warning : mutated.warnings) out.string(warning);
  out.end_array();
}

std::string dry_run_json(const records::Mutated& mutated) {
  const records::Operation& operation = mutated.operation;
  json::Writer out;
  out.begin_object().field("success", true).field("dry_run", true).field("operation", operation.kind);
  out.field("records_affected", operation.rows.size()).field("total_records_after", mutated.records_after);
  out.field("version", mutated.version_before);
  write_remarks(out, mutated);
  out.key("changes").begin_array();
  for (std::size_t i = 0; i < std::min(kChangesShown, operation.rows.size()); ++i) {
    const records::AuditEntry entry = records::audit_entry("", operation, i);
    out.begin_object().raw_field("record_id", entry.record_id);
    write_values(out, "old", entry.old_values, kChangeBytes);
    write_values(out, "new", entry.new_values, kChangeBytes);
    out.end_object();
  }
  out.end_array().end_object();
  return std::move(out).take();
}

}  // namespace sluice::records_provider
