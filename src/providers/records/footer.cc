#include "footer.h"

#include <fmt/format.h>

#include "sluice/engine/sql.h"
#include "sluice/inspection/parquet_footer.h"
#include "sluice/records/name.h"

namespace sluice::records_provider {

std::string descriptor_path(const fs::File& file) {
  return fmt::format("/proc/self/fd/{}", file.descriptor());
}

std::uint64_t uncompressed_bytes(const records::Store& store, const records::View& view,
                                 const engine::RunLimits& limits) {
  const Result<fs::File> file = store.root().open_beneath(records::file_path(view.data_type));
  if (!file.ok()) return 0;
  const engine::Statement statement{
      .sql = fmt::format(
          "SELECT CAST(coalesce(sum(total_uncompressed_size), 0) AS BIGINT) FROM parquet_metadata({})",
          engine::quote_text(descriptor_path(*file)))};
  const Result<std::unique_ptr<engine::Rows>> rows = view.engine->query(statement, limits);
  if (!rows.ok()) return 0;
  const Result<const engine::Batch*> batch = (*rows)->next();
  if (!batch.ok() || *batch == nullptr) return 0;
  return static_cast<std::uint64_t>((*batch)->columns.front().at<std::int64_t>(0));
}

Result<std::set<std::string>> required_columns(const records::Store& store, const records::View& view,
                                               const engine::RunLimits& limits) {
  SLUICE_TRY(const fs::File file, store.root().open_beneath(records::file_path(view.data_type)));
  SLUICE_CHECK(inspection::read_parquet_footer(file));
  // The footer lists elements depth first, each before its children; the first is the row itself.
  const engine::Statement statement{
      .sql = fmt::format(
          "SELECT name, coalesce(CAST(repetition_type AS VARCHAR), ''), coalesce(num_children, 0) FROM "
          "parquet_schema({})",
          engine::quote_text(descriptor_path(file)))};
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, view.engine->query(statement, limits));
  std::set<std::string> out;
  std::int64_t below = -1;  // Elements that are still to come inside of a column; -1 before the row.
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      const auto children = batch->columns[2].at<std::int64_t>(row);
      if (below < 0) {
        below = 0;
        continue;
      }
      if (below == 0) {
        if (batch->columns[1].text(row) == "REQUIRED") out.emplace(batch->columns[0].text(row));
        below = children;
      } else {
        below += children - 1;
      }
    }
  }
}

}  // namespace sluice::records_provider
