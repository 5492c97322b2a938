#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/mutation.h"
#include "sluice/render/cell.h"

#include "change_json.h"
#include "exchange_file.h"
#include "footer.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

constexpr std::uint64_t kFileBytesMax = std::uint64_t{32} << 20U;
constexpr std::size_t kRecordsMax = 100'000;  // As many as one operation may add.
// Of the records as JSON: a compressed file may hold far more than its size.
constexpr std::size_t kRecordsBytesMax = std::size_t{64} << 20U;
constexpr json::ReadLimits kFileLimits = {
    .bytes_max = kFileBytesMax, .depth_max = kJsonDepthMax, .values_max = std::size_t{2} << 20U};

Error unreadable(const ExchangeFile& file, std::string_view why) {
  return invalid_input(fmt::format("import {}: {}", excerpt(file.path), why))
      .with_code("unreadable_file")
      .with_hint(
          fmt::format("The file must be {} with one record for each row; `format` says what it is where its "
                      "name does not.",
                      to_string(file.format)));
}

Error too_much(std::string_view what, std::size_t limit) {
  return limit_reached(what, limit)
      .with_code("too_many_values")
      .with_hint("Split the file; each part is one operation.");
}

Status add_object(std::vector<json::Object>& out, json::Value value, const ExchangeFile& file) {
  if (!value.is_object()) return unreadable(file, fmt::format("record {} is no object", out.size()));
  if (out.size() == kRecordsMax) return too_much("records in one import", kRecordsMax);
  out.push_back(std::move(*value.if_object()));
  return {};
}

// JSON is read here and not by the engine, which would make dates of texts that look like some.
Result<std::vector<json::Object>> json_records(std::string_view text, const ExchangeFile& file) {
  std::vector<json::Object> out;
  if (file.format == FileFormat::kJson) {
    Result<json::Value> value = json::read(text, kFileLimits);
    if (!value.ok()) return unreadable(file, value.error().message);
    if (value->if_array() == nullptr) return unreadable(file, "it is no list of objects");
    for (json::Value& one : *value->if_array()) SLUICE_CHECK(add_object(out, std::move(one), file));
    return out;
  }
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trim_spaces(line).empty()) continue;
    Result<json::Value> value = json::read(line, kFileLimits);
    if (!value.ok())
      return unreadable(file, fmt::format("line {}: {}", out.size() + 1, value.error().message));
    SLUICE_CHECK(add_object(out, *std::move(value), file));
  }
  return out;
}

// What the engine reads the file by. Columns that the data type has are read as text, so that their values
// are taken as they stand and checked against the column's own type.
Result<std::string> table_sql(const fs::File& opened, const ExchangeFile& file, const records::View& view) {
  const std::string path = engine::quote_text(descriptor_path(opened));
  if (file.format == FileFormat::kParquet)
    return fmt::format("read_parquet({}, hive_partitioning = false)", path);
  const std::string form = fmt::format("{}, delim = '{}', header = true, hive_partitioning = false", path,
                                       file.format == FileFormat::kTsv ? "\t" : ",");
  const Result<engine::Description> found =
      view.engine->describe({.sql = fmt::format("SELECT * FROM read_csv({})", form), .parameters = {}});
  if (!found.ok()) return unreadable(file, "it is no table of text");
  std::string types;
  for (const engine::Field& column : found->columns) {
    if (view.find(column.name) == nullptr) continue;
    types += fmt::format("{}{}: 'VARCHAR'", types.empty() ? "" : ", ", engine::quote_text(column.name));
  }
  return fmt::format("read_csv({}{})", form, types.empty() ? "" : ", types = {" + types + "}");
}

Result<std::vector<json::Object>> table_records(const std::string& table, const ExchangeFile& file,
                                                const records::View& view, const engine::RunLimits& limits) {
  Result<std::unique_ptr<engine::Rows>> rows =
      view.engine->query({.sql = "SELECT * FROM " + table, .parameters = {}}, limits);
  if (!rows.ok()) {
    const bool is_time =
        rows.error().kind == ErrorKind::kCancelled || rows.error().kind == ErrorKind::kDeadline;
    return is_time ? rows.error() : unreadable(file, "its rows cannot be read");
  }
  std::vector<json::Object> out;
  std::size_t bytes = 0;
  while (true) {
    const Result<const engine::Batch*> batch = (*rows)->next();
    if (!batch.ok()) {
      const bool is_time =
          batch.error().kind == ErrorKind::kCancelled || batch.error().kind == ErrorKind::kDeadline;
      return is_time ? batch.error()
                     : unreadable(file, fmt::format("row {} or one behind it cannot be read", out.size()));
    }
    if (*batch == nullptr) return out;
    for (std::size_t row = 0; row < (*batch)->rows; ++row) {
      json::Writer record;
      record.begin_object();
      for (std::size_t i = 0; i < (*batch)->columns.size(); ++i) {
        if ((*batch)->columns[i].is_null(row)) continue;
        std::string cell;
        render::append_json(cell, (*batch)->columns[i], row);
        record.raw_field((*rows)->columns()[i].name, cell);
      }
      const std::string text = std::move(record.end_object()).take();
      bytes += text.size();
      if (bytes > kRecordsBytesMax) return too_much("bytes of records in one import", kRecordsBytesMax);
      SLUICE_TRY(json::Value value, json::read(text, kFileLimits));
      SLUICE_CHECK(add_object(out, std::move(value), file));
    }
  }
}

Result<std::vector<json::Object>> records_of(const RecordTools& tools, const ExchangeFile& file,
                                             const records::View& view, const engine::RunLimits& limits) {
  Result<fs::File> opened = tools.store().exchange()->open_beneath(file.path);
  if (!opened.ok()) {
    return not_found("import: there is no such file in the folder for imports: " + excerpt(file.path))
        .with_code("file_not_found")
        .with_hint(
            "`file` is a path relative to the folder that the operator configured as `records.exchange`.");
  }
  SLUICE_TRY(const fs::FileStatus status, opened->status());
  if (status.bytes > kFileBytesMax) {
    return limit_reached("bytes of a file to import", kFileBytesMax)
        .with_code("oversize_file")
        .with_hint("Split the file; each part is one operation.");
  }
  if (file.format == FileFormat::kJson || file.format == FileFormat::kNdjson) {
    SLUICE_TRY(const std::string text, opened->read_all(kFileBytesMax));
    return json_records(text, file);
  }
  SLUICE_TRY(const std::string table, table_sql(*opened, file, view));
  return table_records(table, file, view, limits);
}

}  // namespace

Result<protocol::ToolResult> import_file(const RecordTools& tools, const json::Object& arguments,
                                         catalog::Context& context) {
  SLUICE_TRY(const ExchangeFile file, exchange_file(arguments));
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(records::MutationOptions options, mutation_options(arguments, context));
  SLUICE_TRY(const std::optional<records::SchemaFile> schema,
             records::read_schema_file(tools.store().root(), subject.view.data_type));
  SLUICE_TRY(const std::vector<json::Object> records,
             records_of(tools, file, subject.view, limits_of(context)));
  std::vector<const json::Object*> pointers;
  for (const json::Object& record : records) pointers.push_back(&record);
  options.source = file.path;
  options.notes = "Imported from " + excerpt(file.path, 500);
  SLUICE_TRY(const records::Mutated added,
             records::add_records(*subject.data_type, schema ? &*schema : nullptr, pointers, options,
                                  limits_of(context)));
  if (options.dry_run) return protocol::json_text_result(dry_run_json(added));
  json::Writer out;
  out.begin_object().field("success", true).field("file", file.path).field("format", to_string(file.format));
  out.field("operation_id", added.operation.id).field("records_added", added.operation.rows.size());
  out.field("total_records", added.records_after).field("version", added.operation.sequence);
  write_remarks(out, added);
  return protocol::json_text_result(std::move(out.end_object()).take());
}

}  // namespace sluice::records_provider
