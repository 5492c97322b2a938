#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/fs/file_moves.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/writer.h"
#include "sluice/records/name.h"
#include "sluice/records/view_plan.h"

#include "exchange_file.h"
#include "record_query.h"
#include "size_guard.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

std::string_view copy_options(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
      return "FORMAT csv, HEADER true";
    case FileFormat::kTsv:
      return "FORMAT csv, HEADER true, DELIMITER '\t'";
    case FileFormat::kJson:
      return "FORMAT json, ARRAY true";
    case FileFormat::kNdjson:
      return "FORMAT json, ARRAY false";
    case FileFormat::kParquet:
      return "FORMAT parquet, COMPRESSION snappy";
  }
  return "";
}

// Lists and objects are JSON in tables of text.
std::string as_table_of_text(const plan::Columns& columns, const std::string& select) {
  std::string out;
  for (const engine::Field& column : columns) {
    const std::string name = engine::quote_name(column.name);
    out += out.empty() ? "" : ", ";
    out +=
        engine::is_nested(column.type.id) ? fmt::format("CAST(to_json({0}) AS VARCHAR) AS {0}", name) : name;
  }
  return fmt::format("SELECT {} FROM ({}) AS rows", out, select);
}

engine::Statement exported(const RowsQuery& query, FileFormat format) {
  engine::Statement out = records::statement_of(query.view, plan::physical_plan(query.rows, query.guard));
  if (format == FileFormat::kCsv || format == FileFormat::kTsv)
    out.sql = as_table_of_text(query.rows->columns, out.sql);
  return out;
}

Error too_large(std::uint64_t bytes_max) {
  return limit_reached("bytes of an exported file", bytes_max)
      .with_code("oversize_file")
      .with_hint("Export parts of it by `filters`, fewer `columns`, or as Parquet, which is compressed.");
}

Error not_written(const Error& cause, const ExchangeFile& file) {
  if (cause.kind == ErrorKind::kCancelled || cause.kind == ErrorKind::kDeadline) return cause;
  return unavailable("export: the file cannot be written: " + excerpt(file.path))
      .with_code("storage_failed")
      .with_hint(
          "See whether its folder exists in the folder for exports and may be written, and to the disk's "
          "space.");
}

// Writes the file beside its place, then moves it there: readers find the old file, the new one or none.
// Returns how many rows it has.
Result<std::uint64_t> write_file(const RecordTools& tools, const ExchangeFile& file, const RowsQuery& query,
                                 engine::RunLimits limits) {
  const fs::Root& root = *tools.store().exchange();
  const std::string temporary = fmt::format(".sluice-export-{}.tmp", records::new_id());
  const SizeGuard guard(root, temporary, tools.store().export_bytes_max(), limits.stop);
  limits.stop = guard.stop();
  engine::Statement select = exported(query, file.format);
  Result<std::uint64_t> rows = query.view.engine->execute(
      {.sql = fmt::format("COPY ({}) TO {} ({})", select.sql,
                          engine::quote_text(tools.store().exchange_folder() + "/" + temporary),
                          copy_options(file.format)),
       .parameters = std::move(select.parameters)},
      limits);
  const bool is_too_large = guard.is_exceeded();
  Status written = rows.ok() ? fs::sync_file(root, temporary) : Status(rows.error());
  if (written.ok() && !is_too_large) written = fs::move_file(root, temporary, file.path);
  if (written.ok() && !is_too_large) return rows;
  (void)fs::remove_file(root, temporary);
  return is_too_large ? too_large(tools.store().export_bytes_max()) : not_written(written.error(), file);
}

Error file_exists(const ExchangeFile& file) {
  return conflict("export: the file exists: " + excerpt(file.path))
      .with_code("file_exists")
      .with_hint("Give another name, or overwrite: true.");
}

}  // namespace

Result<protocol::ToolResult> export_data_type(const RecordTools& tools, const json::Object& arguments,
                                              catalog::Context& context) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const ExchangeFile file, exchange_file(arguments));
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  SLUICE_TRY(const std::optional<bool> overwrite, in.optional_bool("overwrite"));
  SLUICE_TRY(const std::optional<bool> dry_run, in.optional_bool("dry_run"));
  SLUICE_TRY(const std::vector<std::string> names, in.optional_strings("columns"));
  const records::View& view = subject.view;
  SLUICE_TRY(plan::Condition condition, condition_of(arguments, "filters", view));
  SLUICE_TRY(const RowsQuery query, rows_query(tools, arguments, context, view, std::move(condition), names));
  const fs::Root& root = *tools.store().exchange();
  const bool exists = root.stat(file.path).ok();
  if (exists && !overwrite.value_or(false)) return file_exists(file);
  json::Writer out;
  out.begin_object().field("success", true).field("data_type", view.data_type).field("file", file.path);
  out.field("format", to_string(file.format)).field("version", view.version);
  if (dry_run.value_or(false)) {
    SLUICE_TRY(const std::uint64_t rows, count_rows(view, query.matching, query.guard, limits_of(context)));
    out.field("dry_run", true).field("rows", rows).field("would_overwrite", exists).end_object();
    return protocol::json_text_result(std::move(out).take());
  }
  SLUICE_TRY(const std::uint64_t rows, write_file(tools, file, query, limits_of(context)));
  const Result<fs::Entry> made = root.stat(file.path);
  const std::uint64_t bytes = made.ok() ? made->bytes : 0;
  // The audit log has what changes records, and a read-only store has none: who took them out is logged here.
  log::info("records.exported", {{"data_type", view.data_type},
                                 {"principal", context.principal().id},
                                 {"file", file.path},
                                 {"rows", rows},
                                 {"bytes", bytes}});
  out.field("rows", rows).field("bytes", bytes).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
