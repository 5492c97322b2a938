#include "base_file.h"

#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"
#include "sluice/engine/sql.h"
#include "sluice/inspection/parquet_footer.h"

#include "rows.h"

namespace sluice::records {

namespace {

constexpr std::size_t kFooterBytesMax = std::size_t{64} << 20U;
constexpr std::size_t kTrailerBytes = 8;  // The footer's length and "PAR1".

Error unreadable(const std::string& path) {
  return invalid_input("read Parquet file: it is broken or no Parquet file: " + path)
      .with_code("unreadable_file")
      .with_hint("Put a good copy of the file there, or restore one with restore_snapshot.");
}

Result<BaseId> identify(const fs::File& file, const fs::FileStatus& status, const std::string& path) {
  if (status.bytes < kTrailerBytes + 4) return unreadable(path);
  SLUICE_TRY(const std::string trailer, file.read_at(status.bytes - kTrailerBytes, kTrailerBytes));
  if (trailer.size() != kTrailerBytes || !trailer.ends_with("PAR1")) return unreadable(path);
  std::uint32_t length = 0;
  std::memcpy(&length, trailer.data(), sizeof(length));
  if (length > kFooterBytesMax || length + kTrailerBytes > status.bytes) return unreadable(path);
  SLUICE_TRY(const std::string footer, file.read_at(status.bytes - kTrailerBytes - length, length));
  if (footer.size() != length) return unreadable(path);
  BaseId id{.bytes = status.bytes, .digest = {}};
  for (const char byte : crypto::sha256(footer).substr(0, 16))
    id.digest += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return id;
}

// What the values of each leaf are, as Parquet says it. What only spells the same differently is left out:
// integers that are said to be as wide as they are, text by its old and its new name, decimals by the bytes
// that they stand in.
std::string leaves_sql(const std::string& path) {
  return "SELECT CASE WHEN converted_type = 'DECIMAL' OR logical_type LIKE 'DecimalType%' THEN concat_ws(' "
         "', 'DECIMAL', "
         "precision, scale) WHEN converted_type = 'UTF8' OR logical_type LIKE 'StringType%' THEN 'TEXT' WHEN "
         "type = 'INT32' "
         "AND converted_type = 'INT_32' THEN 'INT32' WHEN type = 'INT64' AND converted_type = 'INT_64' THEN "
         "'INT64' WHEN "
         "logical_type LIKE 'IntType%' THEN concat_ws(' ', type, coalesce(converted_type, logical_type)) "
         "ELSE "
         "concat_ws(' ', type, CASE WHEN type = 'FIXED_LEN_BYTE_ARRAY' THEN type_length END, converted_type, "
         "logical_type) END "
         "FROM parquet_schema(" +
         engine::quote_text(path) + ") WHERE coalesce(num_children, 0) = 0";
}

Error cannot_write_back(std::string_view column) {
  return unsupported(
             "change records: the file has a column of a type that cannot be written back as it is: " +
             excerpt(column))
      .with_code("unsupported_columns")
      .with_hint("The data type can be read. To change it, rewrite the file with plain Parquet types.");
}

// Reads every value once: a file with a broken page, or with other rows than its footer says, must not be
// written anew.
Status check_readable(const BaseFile& base, engine::Engine& engine, const engine::RunLimits& limits) {
  std::string columns;
  for (const engine::Field& column : base.columns) columns += ", " + engine::quote_name(column.name);
  const std::string sql = fmt::format(
      "SELECT count(*) FROM (SELECT hash(0{}) AS h FROM read_parquet({}, hive_partitioning = false)) WHERE h "
      "<> 0",
      columns, engine::quote_text(base.engine_path()));
  SLUICE_TRY(const std::vector<TextRow> counted, read_texts(engine, {.sql = sql, .parameters = {}}, limits));
  if (counted.front().front() == std::to_string(base.rows)) return {};
  return unsupported("change records: the file has other rows than its footer says")
      .with_code("unsupported_columns")
      .with_hint("Write the file anew with another program.");
}

}  // namespace

std::string BaseFile::engine_path() const { return fmt::format("/proc/self/fd/{}", file->descriptor()); }

Result<BaseFile> open_base(const fs::Root& root, const std::string& path, engine::Engine& engine,
                           const engine::RunLimits& limits) {
  SLUICE_TRY(fs::File file, root.open_beneath(path));
  BaseFile base;
  base.file = std::make_unique<fs::File>(std::move(file));
  SLUICE_TRY(base.status, base.file->status());
  SLUICE_TRY(base.id, identify(*base.file, base.status, path));
  // The engine's parser is recursive: a schema that is nested too deep would end the process.
  if (Result<inspection::ParquetFooter> footer = inspection::read_parquet_footer(*base.file); !footer.ok())
    return footer.error().code == "nesting_too_deep" ? std::move(footer).error() : unreadable(path);
  const std::string quoted = engine::quote_text(base.engine_path());
  Result<engine::Description> described = engine.describe(
      {.sql = "SELECT * FROM read_parquet(" + quoted + ", hive_partitioning = false)", .parameters = {}});
  if (!described.ok()) return unreadable(path);
  base.columns = std::move(described->columns);
  Result<std::vector<TextRow>> counted = read_texts(
      engine, {.sql = "SELECT num_rows FROM parquet_file_metadata(" + quoted + ")", .parameters = {}},
      limits);
  if (!counted.ok() || counted->empty()) return unreadable(path);
  const std::string& text = counted->front().front();
  if (std::from_chars(text.data(), text.data() + text.size(), base.rows).ec != std::errc{})
    return unreadable(path);
  return base;
}

Status check_rewritable(const BaseFile& base, engine::Engine& engine, const std::string& trial_path,
                        const engine::RunLimits& limits) {
  const std::string from = engine::quote_text(base.engine_path());
  SLUICE_CHECK(engine.execute(
      {.sql = fmt::format(
           "COPY (SELECT * FROM read_parquet({}, hive_partitioning = false) LIMIT 0) TO {} (FORMAT parquet)",
           from, engine::quote_text(trial_path)),
       .parameters = {}},
      limits));
  const std::string trial = engine::quote_text(trial_path);
  SLUICE_TRY(const engine::Description columns,
             engine.describe({.sql = "SELECT * FROM read_parquet(" + trial + ", hive_partitioning = false)",
                              .parameters = {}}));
  for (std::size_t i = 0; i < base.columns.size(); ++i) {
    const bool is_same = i < columns.columns.size() && columns.columns[i].name == base.columns[i].name &&
                         engine::sql_name(columns.columns[i].type) == engine::sql_name(base.columns[i].type);
    if (!is_same) return cannot_write_back(base.columns[i].name);
  }
  SLUICE_TRY(const std::vector<TextRow> before,
             read_texts(engine, {.sql = leaves_sql(base.engine_path()), .parameters = {}}, limits));
  SLUICE_TRY(const std::vector<TextRow> after,
             read_texts(engine, {.sql = leaves_sql(trial_path), .parameters = {}}, limits));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i >= after.size() || before[i] != after[i]) return cannot_write_back(before[i].front());
  }
  return check_readable(base, engine, limits);
}

}  // namespace sluice::records
