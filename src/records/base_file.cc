#include "base_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"
#include "sluice/engine/sql.h"

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

// How Parquet itself describes the columns. Whether a column may be empty is left out: what is written may
// be.
std::string description_sql(const std::string& path) {
  return "SELECT name, type, CASE WHEN type = 'FIXED_LEN_BYTE_ARRAY' THEN type_length END, num_children, "
         "replace(converted_type, 'NULL', ''), scale, precision, logical_type, repetition_type = 'REPEATED' "
         "FROM "
         "parquet_schema(" +
         engine::quote_text(path) + ")";
}

using Description = std::vector<std::vector<std::string>>;

std::string differing_column(const Description& before, const Description& after) {
  for (std::size_t i = 1; i < before.size(); ++i) {  // The first is the root, whose name is the writer's.
    if (i >= after.size() || before[i] != after[i]) return before[i].front();
  }
  return before.size() == after.size() ? "" : "(more columns)";
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
  SLUICE_TRY(const Description before,
             read_texts(engine, {.sql = description_sql(base.engine_path()), .parameters = {}}, limits));
  SLUICE_TRY(const Description after,
             read_texts(engine, {.sql = description_sql(trial_path), .parameters = {}}, limits));
  const std::string differing = differing_column(before, after);
  if (differing.empty()) return {};
  return unsupported(
             "change records: the file has a column of a type that cannot be written back as it is: " +
             excerpt(differing))
      .with_code("unsupported_columns")
      .with_hint("The data type can be read. To change it, rewrite the file with plain Parquet types.");
}

}  // namespace sluice::records
