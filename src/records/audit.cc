#include "sluice/records/audit.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "journal.h"
#include "overlay.h"

namespace sluice::records {

namespace {

constexpr std::size_t kIdBytes = 16;

json::Object object_or_empty(std::string_view json) {
  Result<json::Value> value = json::read(json, kJournalLimits);
  json::Object* object = value.ok() ? value->if_object() : nullptr;
  return object == nullptr ? json::Object() : std::move(*object);
}

bool is_wanted(const AuditQuery& query, const Operation& operation) {
  return query.operation.empty() || operation.kind == query.operation;
}

bool is_wanted(const AuditQuery& query, const RowChange& row) {
  if (query.record_id.empty()) return true;
  std::string quoted;
  json::append_string(quoted, query.record_id);
  return row.record_id == quoted || row.record_id == query.record_id;
}

// Up to `count` entries of one data type, newest first.
Result<std::vector<AuditEntry>> newest(const fs::Root& root, const std::string& data_type,
                                       const AuditQuery& query, std::size_t count) {
  const Journal journal(root, data_type);
  SLUICE_TRY(std::vector<std::uint64_t> segments, journal.segments());
  std::vector<AuditEntry> out;
  Status failed;
  const auto visit = [&](std::string_view line) {
    Result<std::optional<Operation>> operation =
        operation_in(line, query.record_id.empty() ? count - out.size() : SIZE_MAX);
    if (!operation.ok()) {
      failed = operation.error();
      return false;
    }
    if (!*operation || !is_wanted(query, **operation)) return true;
    if ((*operation)->rows.empty() && query.record_id.empty())
      out.push_back(audit_entry(data_type, **operation, 0));
    for (std::size_t i = (*operation)->rows.size(); i-- > 0 && out.size() < count;) {
      if (is_wanted(query, (*operation)->rows[i])) out.push_back(audit_entry(data_type, **operation, i));
    }
    return out.size() < count;
  };
  for (auto segment = segments.rbegin(); segment != segments.rend() && out.size() < count; ++segment) {
    SLUICE_CHECK(journal.read_back(*segment, visit));
    if (!failed.ok()) return failed.error();
  }
  return out;
}

std::string or_null(const std::string& json) { return json.empty() ? "null" : json; }

void write_names(json::Writer& out, const json::Object& object) {
  for (const json::Member& member : object) out.string(member.key);
}

}  // namespace

Result<std::optional<Operation>> operation_in(std::string_view line, std::size_t rows_max) {
  if (!is_checkpoint(line)) {
    SLUICE_TRY(Operation operation, rows_max == SIZE_MAX ? operation_of(line) : operation_of(line, rows_max));
    return std::optional<Operation>(std::move(operation));
  }
  SLUICE_TRY(const Checkpoint checkpoint, checkpoint_of(line));
  if (checkpoint.operation.empty()) return std::optional<Operation>();
  SLUICE_TRY(Operation operation, operation_of(checkpoint.operation));
  return std::optional<Operation>(std::move(operation));
}

AuditEntry audit_entry(const std::string& data_type, const Operation& operation, std::size_t row) {
  static const RowChange whole{
      .audit_id = {}, .record_id = "null", .row = 0, .old_values = {}, .new_values = {}};
  const RowChange& change = operation.rows.empty() ? whole : operation.rows[row];
  AuditEntry out{.data_type = data_type,
                 .audit_id = operation.rows.empty() ? operation.id : change.audit_id,
                 .operation_id = operation.id,
                 .time = operation.time,
                 .kind = operation.kind,
                 .version = operation.sequence,
                 .record_id = change.record_id,
                 .affected_fields = "[]",
                 .old_values = or_null(operation.rows.empty() ? operation.schema_before : change.old_values),
                 .new_values = or_null(operation.rows.empty() ? operation.schema_after : change.new_values),
                 .user = operation.user,
                 .snapshot = operation.snapshot,
                 .notes = operation.notes};
  json::Writer fields;
  fields.begin_array();
  if (!operation.set.empty()) {
    const json::Object all = object_or_empty(change.new_values);
    json::Object set;
    for (const std::string& name : operation.set) {
      fields.string(name);
      const json::Value* value = all.find(name);
      set.append_unchecked(name, value == nullptr ? json::Value() : *value);
    }
    out.new_values = json::to_text(set);
  } else if (operation.rows.empty()) {
    for (const NewColumn& column : operation.new_columns) fields.string(column.name);
  } else {
    write_names(fields, object_or_empty(change.new_values.empty() ? change.old_values : change.new_values));
  }
  out.affected_fields = std::move(fields.end_array()).take();
  return out;
}

Result<std::vector<double>> places_now(const fs::Root& root, const std::string& data_type,
                                       const Operation& operation) {
  const Journal journal(root, data_type);
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal.segments());
  std::vector<double> out;
  for (const RowChange& row : operation.rows) out.push_back(row.row);
  std::vector<Renumbering> since;  // Newest first.
  bool is_found = false;
  Status failed;
  const auto visit = [&](std::string_view line) {
    is_found = !is_checkpoint(line) && line.find(operation.id) != std::string_view::npos &&
               line.find(fmt::format("\"sequence\":{},", operation.sequence)) != std::string_view::npos;
    if (is_found || !is_checkpoint(line)) return !is_found;
    Result<Checkpoint> checkpoint = checkpoint_of(line);
    if (!checkpoint.ok()) failed = checkpoint.error();
    if (checkpoint.ok() && checkpoint->renumbering) since.push_back(*std::move(checkpoint->renumbering));
    return failed.ok();
  };
  for (auto segment = segments.rbegin(); segment != segments.rend() && !is_found; ++segment) {
    SLUICE_CHECK(journal.read_back(*segment, visit));
    if (!failed.ok()) return failed.error();
  }
  std::reverse(since.begin(), since.end());
  for (const Renumbering& renumbering : since) {
    for (double& row : out) row = renumbering.place_of(row);
  }
  return out;
}

Result<std::vector<std::string>> journaled_types(const fs::Root& root) {
  const Result<fs::Listing> listing = root.list("_journal");
  std::vector<std::string> out;
  if (!listing.ok()) return out;
  for (const fs::Entry& entry : listing->entries) {
    if (entry.kind == fs::EntryKind::kFolder) out.push_back(entry.name);
  }
  return out;
}

Result<AuditPage> read_audit(const fs::Root& root, const std::vector<std::string>& data_types,
                             const AuditQuery& query) {
  AuditPage page;
  const std::size_t wanted = query.offset + query.limit + 1;
  for (const std::string& data_type : data_types) {
    if (!query.data_type.empty() && data_type != query.data_type) continue;
    SLUICE_TRY(std::vector<AuditEntry> some, newest(root, data_type, query, wanted));
    std::move(some.begin(), some.end(), std::back_inserter(page.entries));
    SLUICE_TRY(const std::vector<std::uint64_t> segments, Journal(root, data_type).segments());
    page.has_log = page.has_log || !segments.empty();
  }
  // Of one data type they are in order already; a later operation never has an earlier time there.
  std::stable_sort(page.entries.begin(), page.entries.end(),
                   [](const AuditEntry& a, const AuditEntry& b) { return a.time > b.time; });
  page.total = page.entries.size();
  const std::size_t begin = std::min(query.offset, page.entries.size());
  page.entries.erase(page.entries.begin(), page.entries.begin() + static_cast<std::ptrdiff_t>(begin));
  page.has_more = page.entries.size() > query.limit;
  if (page.has_more) page.entries.resize(query.limit);
  return page;
}

Result<std::int64_t> version_at(const fs::Root& root, const std::string& data_type, std::string_view time) {
  const Journal journal(root, data_type);
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal.segments());
  std::optional<std::int64_t> found;
  std::int64_t oldest = 0;
  Status failed;
  const auto visit = [&](std::string_view line) {
    Result<std::optional<Operation>> operation = operation_in(line);
    if (!operation.ok()) failed = operation.error();
    if (operation.ok() && *operation) {
      if ((*operation)->time <= time) found = (*operation)->sequence;
      oldest = (*operation)->sequence - 1;
    }
    return failed.ok() && !found;
  };
  for (auto segment = segments.rbegin(); segment != segments.rend() && !found; ++segment) {
    SLUICE_CHECK(journal.read_back(*segment, visit));
    if (!failed.ok()) return failed.error();
  }
  return found.value_or(oldest);
}

Result<FoundOperation> find_operation(const fs::Root& root, const std::vector<std::string>& data_types,
                                      std::string_view id) {
  const bool could_be = id.size() == kIdBytes && is_valid_utf8(id);
  std::optional<FoundOperation> found;
  Status failed;
  for (const std::string& data_type : could_be ? data_types : std::vector<std::string>()) {
    const Journal journal(root, data_type);
    SLUICE_TRY(std::vector<std::uint64_t> segments, journal.segments());
    const auto visit = [&](std::string_view line) {
      if (line.find(id) == std::string_view::npos) return true;
      Result<std::optional<Operation>> operation = operation_in(line);
      if (!operation.ok()) failed = operation.error();
      if (!operation.ok() || !*operation) return operation.ok();
      const std::vector<RowChange>& rows = (*operation)->rows;
      const auto row =
          std::find_if(rows.begin(), rows.end(), [&](const RowChange& one) { return one.audit_id == id; });
      if (row == rows.end() && (*operation)->id != id) return true;
      std::optional<std::size_t> index;
      if (row != rows.end()) index = static_cast<std::size_t>(row - rows.begin());
      found.emplace(
          FoundOperation{.data_type = data_type, .operation = *std::move(*operation), .row = index});
      return false;
    };
    for (auto segment = segments.rbegin(); segment != segments.rend() && !found; ++segment) {
      SLUICE_CHECK(journal.read_back(*segment, visit));
      if (!failed.ok()) return failed.error();
    }
    if (found) return *std::move(found);
  }
  return not_found("Audit entry not found: " + excerpt(id))
      .with_code("unknown_audit_id")
      .with_hint("read_audit_log lists the operations with their ids.");
}

}  // namespace sluice::records
