#include "sluice/query/result_file.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/fs/private_folder.h"
#include "sluice/render/arrow_rows.h"
#include "sluice/render/rows.h"

#include "snapshot_columns.h"

namespace sluice::query {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{256} << 10U;  // Collected before they are written.
constexpr Budget kNoBounds{
    .rows = UINT64_MAX, .cells = UINT64_MAX, .bytes = UINT64_MAX, .tokens = UINT64_MAX};

// Feeds all rows of the snapshot to a writer that gives its bytes away as it goes.
template <typename Writer>
Status write_all(engine::Rows& rows, Writer writer, fs::FileWriter& file) {
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows.next());
    if (batch == nullptr) break;
    if (writer.append(*batch) < batch->rows) {
      return limit_reached("bytes of one batch of rows", render::kArrowBatchBytesMax)
          .with_code("oversize_result")
          .with_hint("Ask for the file as CSV or Parquet, or for fewer columns.");
    }
    if (writer.pending_bytes() >= kWriteBytes) SLUICE_CHECK(file.write(writer.drain()));
  }
  return file.write(std::move(writer).take());
}

Result<FilePtr> rendered_file(engine::Engine& engine, Spool& spool, const Snapshot& snapshot, Format format,
                              const engine::RunLimits& limits) {
  const auto make = [&](const fs::PrivateFolder& folder, const std::string& name,
                        const engine::RunLimits& bounded) -> Status {
    SLUICE_TRY(fs::FileWriter file, folder.create(name));
    SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
               engine.query(Spool::page(snapshot, 0, snapshot.rows), bounded));
    if (format == Format::kCsv)
      return write_all(*rows, render::CsvRows(rows->columns(), {.budget = kNoBounds}), file);
    return write_all(*rows, render::ArrowRows(rows->columns(), SIZE_MAX), file);
  };
  return spool.make_file(snapshot, format == Format::kCsv ? ".csv" : ".arrow", limits, make);
}

// Where Parquet holds all columns as they are stored, the snapshot itself is the file.
Result<FilePtr> parquet_file(engine::Engine& engine, Spool& spool, const Snapshot& snapshot,
                             const engine::RunLimits& limits) {
  constexpr std::string_view kEnding = ".parquet";
  if (FilePtr known = spool.made_file(snapshot, kEnding)) return known;
  SLUICE_TRY(const ExportedColumns exported,
             exported_columns(engine, snapshot.columns, Spool::relation(snapshot), limits));
  if (exported.is_as_stored) return snapshot.file;
  const auto make = [&](const fs::PrivateFolder& folder, const std::string& name,
                        const engine::RunLimits& bounded) -> Status {
    const std::string sql =
        fmt::format("COPY (SELECT {} FROM {}) TO {} (FORMAT parquet)", exported.sql,
                    Spool::relation(snapshot), engine::quote_text(folder.path() + "/" + name));
    SLUICE_TRY([[maybe_unused]] const std::uint64_t rows, engine.execute({.sql = sql}, bounded));
    return {};
  };
  return spool.make_file(snapshot, kEnding, limits, make);
}

}  // namespace

Result<FilePtr> result_file(engine::Engine& engine, Spool& spool, const Snapshot& snapshot, Format format,
                            const engine::RunLimits& limits) {
  switch (format) {
    case Format::kCsv:
    case Format::kArrow:
      return rendered_file(engine, spool, snapshot, format, limits);
    case Format::kParquet:
      return parquet_file(engine, spool, snapshot, limits);
    case Format::kJson:
      break;
  }
  return invalid_input("a result cannot be one file of JSON")
      .with_code("unsupported_format")
      .with_hint("Files are csv or parquet; JSON comes in pages.");
}

}  // namespace sluice::query
