#include "audit_export.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/durable.h"
#include "sluice/fs/file_moves.h"
#include "sluice/inspection/parquet_footer.h"
#include "sluice/json/writer.h"
#include "sluice/records/audit.h"

#include "journal.h"
#include "overlay.h"
#include "rows.h"

namespace sluice::records {

namespace {

constexpr std::string_view kLog = "logs/audit_log.parquet";
constexpr std::string_view kBefore = "logs/audit_log_before.parquet";
constexpr std::string_view kNext = "_journal/audit_log.next.parquet";
constexpr std::string_view kLines = "_journal/audit_log.next.ndjson";
constexpr std::size_t kExportChunkBytes = std::size_t{4} << 20U;

void append_entry(std::string& out, const AuditEntry& entry) {
  json::Writer line;
  line.begin_object()
      .field("audit_id", entry.audit_id)
      .field("timestamp", entry.time)
      .field("operation", entry.kind);
  line.field("data_type", entry.data_type);
  const bool is_text = entry.record_id.starts_with('"');
  if (is_text || entry.record_id == "null") {
    line.raw_field("record_id", entry.record_id);
  } else {
    line.field("record_id", entry.record_id);
  }
  line.field("affected_fields", entry.affected_fields);
  if (entry.old_values != "null") line.field("old_values", entry.old_values);
  if (entry.new_values != "null") line.field("new_values", entry.new_values);
  line.field("user", entry.user)
      .field("snapshot_reference", entry.snapshot)
      .field("notes", entry.notes)
      .end_object();
  out += line.text();
  out += '\n';
}

Status append_type(const fs::Root& root, const std::string& data_type, std::string& pending) {
  const Journal journal(root, data_type);
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal.segments());
  for (const std::uint64_t segment : segments) {
    JournalPlace place{.segment = segment, .offset = 0, .last = 0, .mark = {}};
    SLUICE_TRY(const std::vector<std::string> lines, journal.read_on(place));
    for (const std::string& line : lines) {
      SLUICE_TRY(const std::optional<Operation> operation, operation_in(line));
      if (!operation) continue;
      for (std::size_t i = 0; i < std::max<std::size_t>(operation->rows.size(), 1); ++i)
        append_entry(pending, audit_entry(data_type, *operation, i));
      if (pending.size() < kExportChunkBytes) continue;
      SLUICE_CHECK(fs::append_durable(root, kLines, pending));
      pending.clear();
    }
  }
  return {};
}

// The engine's parser is recursive: a log of others is looked at before.
Status check_footer(const fs::Root& root, std::string_view path) {
  if (!root.stat(path).ok()) return {};
  SLUICE_TRY(const fs::File file, root.open_beneath(path));
  SLUICE_CHECK(inspection::read_parquet_footer(file));
  return {};
}

// Whether the log is of this program.
bool is_ours(engine::Engine& engine, const std::string& path, const engine::RunLimits& limits) {
  const std::string sql = "SELECT count(*) FROM parquet_kv_metadata(" + engine::quote_text(path) +
                          ") WHERE key = 'sluice_export'";
  const Result<std::vector<TextRow>> found = read_texts(engine, {.sql = sql, .parameters = {}}, limits);
  return found.ok() && found->front().front() != "0";
}

constexpr std::string_view kColumns =
    "audit_id, CAST(timestamp AS TIMESTAMP) AS timestamp, operation, data_type, CAST(record_id AS VARCHAR) "
    "AS record_id, "
    "affected_fields, old_values, new_values, \"user\", snapshot_reference, notes";

std::string select_entries(const std::string& folder, bool has_before) {
  std::string types;
  for (const std::string_view name :
       {"audit_id", "timestamp", "operation", "data_type", "record_id", "affected_fields", "old_values",
        "new_values", "user", "snapshot_reference", "notes"})
    types += fmt::format("{}'{}': 'VARCHAR'", types.empty() ? "" : ", ", name);
  std::string out =
      fmt::format("SELECT {} FROM read_json({}, format = 'newline_delimited', columns = {{{}}})", kColumns,
                  engine::quote_text(fmt::format("{}/{}", folder, kLines)), types);
  if (has_before) {
    out = fmt::format("SELECT {} FROM read_parquet({}) UNION ALL {}", kColumns,
                      engine::quote_text(fmt::format("{}/{}", folder, kBefore)), out);
  }
  return "SELECT * FROM (" + out + ") ORDER BY timestamp";
}

}  // namespace

Status export_audit_log(const fs::Root& root, const std::string& folder, engine::Engine& engine,
                        const std::vector<std::string>& data_types, const engine::RunLimits& limits) {
  SLUICE_CHECK(fs::make_folder(root, "logs"));
  SLUICE_CHECK(fs::remove_file(root, kLines));
  std::string pending;
  for (const std::string& data_type : data_types) SLUICE_CHECK(append_type(root, data_type, pending));
  SLUICE_CHECK(fs::append_durable(root, kLines, pending));
  SLUICE_CHECK(check_footer(root, kLog));
  SLUICE_CHECK(check_footer(root, kBefore));
  const bool has_foreign =
      root.stat(kLog).ok() && !is_ours(engine, fmt::format("{}/{}", folder, kLog), limits);
  if (has_foreign) SLUICE_CHECK(fs::move_file(root, kLog, kBefore));
  const std::string sql =
      fmt::format("COPY ({}) TO {} (FORMAT parquet, KV_METADATA {{sluice_export: 'audit log'}})",
                  select_entries(folder, root.stat(kBefore).ok()),
                  engine::quote_text(fmt::format("{}/{}", folder, kNext)));
  SLUICE_CHECK(engine.execute({.sql = sql, .parameters = {}}, limits));
  SLUICE_CHECK(fs::sync_file(root, kNext));
  SLUICE_CHECK(fs::move_file(root, kNext, kLog));
  return fs::remove_file(root, kLines);
}

Result<std::vector<AuditEntry>> read_foreign_audit(const fs::Root& root, engine::Engine& engine,
                                                   const AuditQuery& query, const engine::RunLimits& limits) {
  std::vector<AuditEntry> out;
  const std::string path(root.stat(kBefore).ok() ? kBefore : kLog);
  const Result<fs::File> file = root.open_beneath(path);
  if (!file.ok()) return out;
  SLUICE_CHECK(inspection::read_parquet_footer(*file));
  const std::string opened = fmt::format("/proc/self/fd/{}", file->descriptor());
  if (is_ours(engine, opened, limits)) return out;
  engine::Statement statement;
  statement.sql = fmt::format("SELECT * FROM (SELECT {} FROM read_parquet({})) WHERE TRUE", kColumns,
                              engine::quote_text(opened));
  const auto only = [&](std::string_view column, const std::string& value) {
    if (value.empty()) return;
    statement.parameters.emplace_back(value);
    statement.sql += fmt::format(" AND {} = ${}", column, statement.parameters.size());
  };
  only("data_type", query.data_type);
  only("operation", query.operation);
  only("record_id", query.record_id);
  only("audit_id", query.audit_id);
  statement.sql += fmt::format(" ORDER BY timestamp DESC LIMIT {} OFFSET {}", query.limit, query.offset);
  const Result<std::vector<TextRow>> rows = read_texts(engine, statement, limits);
  if (!rows.ok()) return out;
  for (const TextRow& row : *rows) {
    const auto json = [](const std::string& text) { return text.empty() ? std::string("null") : text; };
    AuditEntry& entry = out.emplace_back();
    entry.audit_id = row[0];
    entry.time = row[1];
    entry.kind = row[2];
    entry.data_type = row[3];
    entry.record_id = json::to_text(json::Value(row[4]));
    entry.affected_fields = row[5];
    entry.old_values = json(row[6]);
    entry.new_values = json(row[7]);
    entry.user = row[8];
    entry.snapshot = row[9];
    entry.notes = row[10];
  }
  return out;
}

Result<std::optional<FoundOperation>> find_foreign_operation(const fs::Root& root, engine::Engine& engine,
                                                             std::string_view id,
                                                             const engine::RunLimits& limits) {
  constexpr std::size_t kForeignIdBytesMax = 64;
  if (id.empty() || id.size() > kForeignIdBytesMax || !is_valid_utf8(id))
    return std::optional<FoundOperation>();
  AuditQuery query;
  query.audit_id = id;
  query.limit = 1;
  SLUICE_TRY(const std::vector<AuditEntry> entries, read_foreign_audit(root, engine, query, limits));
  if (entries.empty()) return std::optional<FoundOperation>();
  const AuditEntry& entry = entries.front();
  const auto values = [](const std::string& json) { return json == "null" ? std::string() : json; };
  FoundOperation found{.data_type = entry.data_type, .operation = {}, .row = 0, .is_foreign = true};
  found.operation.kind = entry.kind;
  found.operation.id = entry.audit_id;
  found.operation.time = entry.time;
  found.operation.user = entry.user;
  found.operation.notes = entry.notes;
  found.operation.rows.push_back({.audit_id = entry.audit_id,
                                  .record_id = entry.record_id,
                                  .row = 0,
                                  .old_values = values(entry.old_values),
                                  .new_values = values(entry.new_values)});
  return std::optional<FoundOperation>(std::move(found));
}

}  // namespace sluice::records
