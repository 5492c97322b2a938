#include "sluice/query/rows_reader.h"

#include <charconv>

#include "sluice/render/cell.h"

namespace sluice::query {

Result<std::vector<TextRow>> read_rows(engine::Engine& engine, const engine::Statement& statement,
                                       const engine::RunLimits& limits, std::size_t rows_max) {
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, engine.query(statement, limits));
  std::vector<TextRow> out;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      if (out.size() == rows_max) return out;
      TextRow& cells = out.emplace_back();
      for (const engine::Column& column : batch->columns)
        render::append_text(cells.emplace_back(), column, row);
    }
  }
}

Result<std::uint64_t> read_count(engine::Engine& engine, const engine::Statement& statement,
                                 const engine::RunLimits& limits) {
  SLUICE_TRY(const std::vector<TextRow> rows, read_rows(engine, statement, limits, 1));
  std::uint64_t count = 0;
  if (rows.empty() || rows.front().empty()) return internal_error("read a count: no row");
  const std::string& text = rows.front().front();
  if (std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc{}) {
    return internal_error("read a count: " + text);
  }
  return count;
}

}  // namespace sluice::query
