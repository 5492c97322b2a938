#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/audit.h"
#include "sluice/records/mutation.h"
#include "sluice/records/name.h"

#include "change_json.h"
#include "page.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using records::AuditEntry;

constexpr std::size_t kUsualEntries = 100;
constexpr std::size_t kEntriesMax = 10'000;
constexpr std::size_t kRecordBytes = 16'000;

Result<records::AuditQuery> query_of(const json::Object& arguments) {
  const json::ObjectReader reader(arguments, "");
  records::AuditQuery out;
  SLUICE_TRY(std::optional<std::string> data_type, reader.optional_string("data_type"));
  SLUICE_TRY(std::optional<std::string> operation, reader.optional_string("operation"));
  SLUICE_TRY(std::optional<std::string> record_id, reader.optional_string("record_id"));
  SLUICE_TRY(const std::optional<std::int64_t> limit, reader.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, reader.optional_int("offset"));
  out.data_type = std::move(data_type).value_or("");
  if (!out.data_type.empty()) SLUICE_CHECK(records::check_data_type(out.data_type));
  out.operation = std::move(operation).value_or("");
  out.record_id = std::move(record_id).value_or("");
  out.limit = std::min(kEntriesMax, static_cast<std::size_t>(limit.value_or(kUsualEntries)));
  out.offset = static_cast<std::size_t>(offset.value_or(0));
  return out;
}

// Without its values where these alone would be larger than an answer may be.
std::string entry_json(const AuditEntry& entry, std::uint64_t bytes_max) {
  json::Writer out;
  out.begin_object().field("audit_id", entry.audit_id).field("timestamp", entry.time);
  out.field("operation", entry.kind)
      .field("data_type", entry.data_type)
      .raw_field("record_id", entry.record_id);
  out.field("affected_fields", entry.affected_fields);
  // As text, as the columns of audit_log.parquet have them.
  const auto values = [&](std::string_view name, const std::string& json) {
    if (json == "null") {
      out.key(name).null();
    } else if (json.size() > bytes_max) {
      out.key(name).null().field(std::string(name) + "_omitted_bytes", json.size());
    } else {
      out.field(name, json);
    }
  };
  values("old_values", entry.old_values);
  values("new_values", entry.new_values);
  out.field("user", entry.user).field("snapshot_reference", entry.snapshot).field("notes", entry.notes);
  out.field("operation_id", entry.operation_id).field("version", entry.version).end_object();
  return std::move(out).take();
}

void write_filters(json::Writer& out, const records::AuditQuery& query) {
  out.key("filters").begin_object();
  if (!query.data_type.empty()) out.field("data_type", query.data_type);
  if (!query.operation.empty()) out.field("operation", query.operation);
  if (!query.record_id.empty()) out.field("record_id", query.record_id);
  out.end_object();
}

// "2026-01-15", "2026-01-15T10:00" and the like as operations have their time; "" for anything else.
std::string full_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00.000000";
  std::string out(text);
  if (out.ends_with('Z')) out.pop_back();
  if (out.size() < 10 || out.size() > kShape.size()) return "";
  if (out.size() > 10 && out[10] == ' ') out[10] = 'T';
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_digit = out[i] >= '0' && out[i] <= '9';
    if (kShape[i] == '0' ? !is_digit : out[i] != kShape[i]) return "";
  }
  return out + std::string(kShape.substr(out.size())) + "Z";
}

// The version that a caller means: after `version`, before `audit_id`, at `time`.
Result<std::int64_t> wanted_version(const RecordTools& tools, const std::string& data_type,
                                    const json::ObjectReader& reader) {
  SLUICE_TRY(const std::optional<std::int64_t> version, reader.optional_int("version"));
  SLUICE_TRY(const std::optional<std::string> audit_id, reader.optional_string("audit_id"));
  SLUICE_TRY(const std::optional<std::string> time, reader.optional_string("time"));
  if (static_cast<int>(version.has_value()) + static_cast<int>(audit_id.has_value()) +
          static_cast<int>(time.has_value()) !=
      1) {
    return invalid_input("restore a data type: to which moment?")
        .with_code("no_moment")
        .with_hint("Give exactly one of version, audit_id and time; read_audit_log shows them.");
  }
  if (version) return *version;
  if (audit_id) {
    SLUICE_TRY(const records::FoundOperation found,
               records::find_operation(tools.store().root(), {data_type}, *audit_id));
    return found.operation.sequence - 1;
  }
  const std::string moment = full_time(*time);
  if (moment.empty()) {
    return invalid_input("not a time: " + excerpt(*time))
        .with_code("invalid_time")
        .with_hint("ISO 8601 in UTC, such as 2026-01-15T10:00:00Z.");
  }
  return records::version_at(tools.store().root(), data_type, moment);
}

void write_undone(json::Writer& out, const records::Mutated& undone, const records::FoundOperation& found) {
  const records::Operation& operation = undone.operation;
  const bool is_one = operation.rows.size() == 1;
  out.field("rollback_audit_id", is_one ? operation.rows.front().audit_id : operation.id);
  if (operation.kind == "delete") out.field("action", "deleted record (rollback of add)");
  if (operation.kind == "update") out.field("action", "restored old values (rollback of update)");
  if (operation.kind == "add") out.field("action", "restored record (rollback of delete)");
  if (operation.kind == "schema") out.field("action", "restored schema (rollback of schema)");
  if (operation.kind == "restore")
    out.field("action", "restored records (rollback of " + found.operation.kind + ")");
  if (is_one) {
    const AuditEntry entry = records::audit_entry("", operation, 0);
    out.raw_field("record_id", entry.record_id);
    if (operation.kind == "update") write_values(out, "restored_values", entry.new_values, kRecordBytes);
    if (operation.kind == "add") write_values(out, "restored_record", entry.new_values, kRecordBytes);
  } else {
    out.field("records_affected", operation.rows.size());
  }
  out.field("version", operation.sequence).field("total_records", undone.records_after);
}

}  // namespace

Result<protocol::ToolResult> read_audit_log(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const records::AuditQuery query, query_of(arguments));
  SLUICE_TRY(const records::AuditPage page, tools.store().audit(query, limits_of(context)));
  json::Writer out;
  out.begin_object();
  if (!page.has_log) {
    out.field("count", 0).field("message", "No audit log exists yet").key("data").begin_array().end_array();
    return protocol::json_text_result(std::move(out.end_object()).take());
  }
  std::uint64_t room = tools.budget().bytes;
  if (!arguments.contains("limit")) room = std::min(room, tools.budget().tokens * 4);
  room -= std::min(kEnvelopeBytes, room / 2);
  std::string data;
  std::size_t count = 0;
  for (; count < page.entries.size(); ++count) {
    const std::string entry = entry_json(page.entries[count], room / 4);
    if (count > 0 && data.size() + entry.size() > room) break;
    data += (count > 0 ? "," : "") + entry;
  }
  const bool has_more = page.has_more || count < page.entries.size();
  out.field("count", count).field("has_more", has_more).field("offset", query.offset);
  if (has_more) out.field("next_offset", query.offset + count);
  write_filters(out, query);
  out.raw_field("data", "[" + data + "]");
  return protocol::json_text_result(std::move(out.end_object()).take());
}

Result<protocol::ToolResult> rollback_operation(const RecordTools& tools, const json::Object& arguments,
                                                catalog::Context& context) {
  SLUICE_TRY(const std::string id, json::ObjectReader(arguments, "").required_string("audit_id"));
  SLUICE_TRY(const records::MutationOptions options, mutation_options(arguments, context));
  SLUICE_TRY(const records::FoundOperation found, tools.store().find_operation(id, limits_of(context)));
  SLUICE_TRY(const std::shared_ptr<records::DataType> type, tools.find(found.data_type));
  SLUICE_TRY(const records::Mutated undone, records::roll_back(*type, found, options, limits_of(context)));
  if (options.dry_run) return protocol::json_text_result(dry_run_json(undone));
  json::Writer out;
  out.begin_object().field("success", true);
  write_undone(out, undone, found);
  return protocol::json_text_result(std::move(out.end_object()).take());
}

Result<protocol::ToolResult> restore_snapshot(const RecordTools& tools, const json::Object& arguments,
                                              catalog::Context& context) {
  const json::ObjectReader reader(arguments, "");
  SLUICE_TRY(const std::string name, reader.required_string("data_type"));
  SLUICE_TRY(const std::shared_ptr<records::DataType> type, tools.find(name));
  SLUICE_TRY(const records::MutationOptions options, mutation_options(arguments, context));
  SLUICE_TRY(const std::optional<bool> keep_file, reader.optional_bool("keep_file"));
  const engine::RunLimits limits = limits_of(context);
  const bool keeps_file = keep_file.value_or(false);
  std::int64_t version = 0;
  if (!keeps_file) {
    SLUICE_TRY(version, wanted_version(tools, name, reader));
    SLUICE_TRY(const std::int64_t last, type->last_version());
    if (version > last) {
      return invalid_input(fmt::format("there is no version {} yet", version))
          .with_code("unknown_version")
          .with_hint(fmt::format("The records have version {}.", last));
    }
  }
  json::Writer out;
  out.begin_object().field("success", true).field("data_type", name);
  if (!keeps_file) out.field("restored_version", version);
  if (options.dry_run) {
    SLUICE_TRY(const std::int64_t last, type->last_version());
    if (options.expected_version && *options.expected_version != last)
      return records::version_conflict(*options.expected_version, last);
    SLUICE_TRY(const records::View then,
               keeps_file ? type->replacement(limits) : type->view_of(version, limits));
    out.field("dry_run", true).field("operation", "restore").field("version", last);
    out.field("total_records_after", then.rows);
    if (!keeps_file) {
      SLUICE_TRY(const bool restores_schema, type->restores_schema(version));
      out.field("schema_restored", restores_schema);
    }
    out.end_object();
    return protocol::json_text_result(std::move(out).take());
  }
  records::Operation operation;
  operation.kind = "restore";
  operation.id = records::new_id();
  operation.user = options.user;
  if (keeps_file) {
    operation.notes = "Went on from the file of another program";
    SLUICE_TRY(operation, type->accept_file(std::move(operation), limits, options.expected_version));
  } else {
    operation.notes = fmt::format("Restored version {}", version);
    SLUICE_TRY(operation, type->restore(version, std::move(operation), limits, options.expected_version));
  }
  SLUICE_TRY(const records::View now, type->view(limits));
  out.field("audit_id", operation.id).field("version", operation.sequence);
  out.field("snapshot_created", operation.snapshot).field("total_records", now.rows);
  if (!keeps_file) out.field("schema_restored", !operation.schema_after.empty());
  return protocol::json_text_result(std::move(out.end_object()).take());
}

}  // namespace sluice::records_provider
