#include "few_rows.h"

#include <algorithm>
#include <utility>

#include "sluice/engine/kept_rows.h"

namespace sluice::databases {

FewRowsSource::FewRowsSource(std::shared_ptr<engine::Source> kept, std::vector<std::size_t> places,
                             std::shared_ptr<engine::Source> table)
    : kept_(std::move(kept)), places_(std::move(places)), table_(std::move(table)) {}

Result<std::unique_ptr<engine::Rows>> FewRowsSource::read(const std::vector<std::size_t>& wanted,
                                                          const engine::ReadOptions& options) {
  std::vector<std::size_t> in_kept;
  for (const std::size_t column : wanted) {
    const auto found = std::find(places_.begin(), places_.end(), column);
    if (found == places_.end()) return table_->read(wanted, options);
    in_kept.push_back(static_cast<std::size_t>(found - places_.begin()));
  }
  return kept_->read(in_kept, options);
}

Result<std::shared_ptr<engine::Source>> keep_few(Result<std::unique_ptr<engine::Rows>> rows,
                                                 const query::FewRows& few) {
  if (!rows.ok()) return std::move(rows).error();
  return engine::keep_rows(**rows, {.rows_max = few.rows_max, .bytes_max = few.bytes_max});
}

}  // namespace sluice::databases
