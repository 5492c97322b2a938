#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/file_moves.h"
#include "sluice/records/name.h"
#include "sluice/records/schema_file.h"

#include "state.h"
#include "typed_rows.h"

// How a data type comes into being. The journal's first line is the commit: it has the audit entry and names
// the file, which waits beside the journal until it is moved into place. Whoever finds it waiting moves it.
namespace sluice::records {

namespace {

Error schema_not_found(const std::string& data_type) {
  return not_found(fmt::format("Schema not found for data type: {}", data_type))
      .with_code("schema_not_found")
      .with_hint("Give `schema`: {\"title\": \"string\", \"due_date\": \"date\"}.");
}

Error schema_exists(const std::string& data_type) {
  return conflict("there is another schema of that data type already: " + data_type)
      .with_code("schema_exists")
      .with_hint("Leave `schema` out to use it, or change it with update_schema once the data type exists.");
}

Error empty_schema(const std::string& data_type) {
  return invalid_input("a data type needs at least one field: " + data_type)
      .with_code("empty_schema")
      .with_hint("Give `schema`: {\"title\": \"string\", \"due_date\": \"date\"}.");
}

// The columns for declared fields. What a hand-made schema file declares in words of its own is text.
Result<std::vector<NewColumn>> columns_for(const SchemaFile& schema, engine::Engine& engine) {
  Columns out;
  for (const json::Member& field : *schema.fields()) {
    const std::string type = sql_type_of(schema.declared(field.key)).value_or("VARCHAR");
    SLUICE_CHECK(add_column(out, engine, {.name = field.key, .type = type}));
  }
  return std::move(out.added);
}

std::string select_nothing(const std::vector<NewColumn>& columns) {
  std::string out;
  for (const NewColumn& column : columns) {
    out += fmt::format("{}CAST(NULL AS {}) AS {}", out.empty() ? "SELECT " : ", ", column.type,
                       engine::quote_name(column.name));
  }
  return out + " LIMIT 0";
}

// What the lines of a part of the journal, which begins with a checkpoint, say of ids that are gone.
Result<std::int64_t> last_id_in(const std::vector<std::string>& lines) {
  std::int64_t out = 0;
  for (const std::string& line : lines) {
    if (line.find("\"last_id\":") == std::string::npos) continue;
    if (is_checkpoint(line)) {
      SLUICE_TRY(const Checkpoint checkpoint, checkpoint_of(line));
      out = std::max(out, checkpoint.last_id);
    } else {
      SLUICE_TRY(const Operation operation, operation_of(line, 0));
      out = std::max(out, operation.last_id);
    }
  }
  return out;
}

}  // namespace

Result<DataType::State::Creation> DataType::State::plan_creation(const CreateRequest& request) const {
  Creation plan;
  plan.exists = dependencies_->root.stat(path_).ok();
  if (plan.exists && !request.schema) return plan;
  SLUICE_TRY(const std::optional<SchemaFile> known, read_schema_file(dependencies_->root, name_));
  const bool declares = known && known->fields() != nullptr && !known->fields()->empty();
  if (!request.schema && !declares) return schema_not_found(name_);
  if (request.schema) {
    const SchemaFile given{.content = *request.schema};
    if (given.fields() == nullptr || given.fields()->empty()) return empty_schema(name_);
    SLUICE_CHECK(check_declared_types(*given.fields()));
    if (declares && !json::equal(known->content, given.content)) return schema_exists(name_);
  }
  plan.schema = request.schema ? *request.schema : known->content;
  plan.writes_schema = !known || !json::equal(known->content, plan.schema);
  SLUICE_TRY(plan.columns, columns_for(SchemaFile{.content = plan.schema}, *dependencies_->engine));
  return plan;
}

Result<CreatedType> DataType::State::create(const CreateRequest& request, const engine::RunLimits& limits) {
  // Before the lock, which makes a folder: what is refused leaves nothing behind.
  SLUICE_TRY(Creation plan, plan_creation(request));
  CreatedType out;
  out.operation.kind = "create";
  out.operation.id = new_id();
  out.operation.user = request.user;
  out.operation.notes = "Created data type via MCP";
  if (!plan.exists && !request.dry_run) {
    SLUICE_TRY(const Exclusive lock, this->lock(limits));
    SLUICE_CHECK(complete_creation());
    SLUICE_TRY(plan, plan_creation(request));  // Another process may have been first.
    if (!plan.exists) {
      const Status written = write_creation(plan, out.operation, limits);
      if (!written.ok()) return storage_error(written.error());
      if (dependencies_->on_commit) dependencies_->on_commit(name_, out.operation.sequence);
    }
  }
  out.is_new = !plan.exists;
  out.operation.new_columns = std::move(plan.columns);
  return out;
}

Status DataType::State::write_creation(const Creation& plan, Operation& operation,
                                       const engine::RunLimits& limits) {
  const MutexLock guard(mutex_);
  records_.reset();
  place_ = {};
  SLUICE_TRY(const std::int64_t last, last_version());
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal_.segments());
  std::int64_t last_id = 0;
  if (!segments.empty()) {
    place_.segment = segments.back();
    SLUICE_TRY(const std::vector<std::string> lines, journal_.read_on(place_));
    SLUICE_TRY(last_id, last_id_in(lines));
  }
  SLUICE_TRY(const std::optional<SchemaFile> before, read_schema_file(dependencies_->root, name_));
  operation.sequence = last + 1;
  operation.time = now_text();
  operation.new_columns = plan.columns;
  if (plan.writes_schema) {
    operation.schema_before = before ? json::to_text(before->content) : "null";
    operation.schema_after = json::to_text(plan.schema);
  }
  const bool has_folder = dependencies_->root.stat(name_).ok();
  const std::string file = fmt::format("next-created-{}.parquet", new_id());
  const auto write = [&]() SLUICE_REQUIRES(mutex_) -> Status {
    SLUICE_TRY(const BaseFile next, write_next(file, select_nothing(plan.columns), limits));
    SLUICE_CHECK(fs::make_folder(dependencies_->root, name_));
    if (plan.writes_schema) SLUICE_CHECK(apply_schema(operation));
    Checkpoint checkpoint{.sequence = operation.sequence, .base = next.id, .previous = {}, .file = file};
    checkpoint.operation = to_json(operation);
    checkpoint.last_id = last_id;
    return add_checkpoint(checkpoint);
  };
  const Status written = write();
  place_ = {};
  if (written.ok()) return complete_creation();
  // As it was. What cannot be undone here does no harm, and the caller hears of the first failure.
  (void)fs::remove_file(dependencies_->root, journal_path(file));
  if (segments.empty()) (void)journal_.remove_segment(1);  // Its line may be visible though the sync failed.
  if (plan.writes_schema) {
    (void)(before ? write_schema_file(dependencies_->root, name_, before->content)
                  : remove_schema_file(dependencies_->root, name_));
  }
  std::error_code ignored;
  if (!has_folder) std::filesystem::remove(dependencies_->folder + "/" + name_, ignored);  // If it is empty.
  return written;
}

Status DataType::State::complete_creation() {
  if (dependencies_->root.stat(path_).ok()) return {};
  SLUICE_TRY(const std::vector<std::uint64_t> segments, journal_.segments());
  if (segments.empty()) return {};
  std::string file;
  SLUICE_CHECK(journal_.read_back(segments.back(), [&](std::string_view line) {
    const Result<Checkpoint> checkpoint =
        is_checkpoint(line) ? checkpoint_of(line) : Result<Checkpoint>(internal_error("an operation"));
    const Result<Operation> operation = checkpoint.ok() && !checkpoint->operation.empty()
                                            ? operation_of(checkpoint->operation)
                                            : Result<Operation>(internal_error("none"));
    if (operation.ok() && operation->kind == "create") file = checkpoint->file;
    return false;  // Only the last line: after any other the file was in place once.
  }));
  if (file.empty() || !dependencies_->root.stat(journal_path(file)).ok()) return {};
  SLUICE_CHECK(fs::make_folder(dependencies_->root, name_));
  return fs::move_file(dependencies_->root, journal_path(file), path_);
}

Status DataType::State::finish_creation() {
  SLUICE_TRY(const Exclusive lock, this->lock({}));
  return complete_creation();
}

}  // namespace sluice::records
