#include "kept_values.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice::query {

namespace {

constexpr std::uint64_t kAlwaysAllowed = 8;
constexpr double kValueBytes = 20;  // Measured: 100 medians of a million rows take 2 GB.

// Of a text file that nobody has counted: by its size, as if its cells were short.
double rows_by_count_or_size(const Dataset& dataset, const Table& table) {
  constexpr double kCellBytes = 8;
  if (dataset.count_state() == CountState::kExact) return static_cast<double>(dataset.row_count());
  const auto columns = static_cast<double>(std::max<std::size_t>(1, table.columns.size()));
  const double row_bytes = table.row_bytes > 0 ? table.row_bytes : kCellBytes * columns;
  return static_cast<double>(dataset.identity().bytes) / row_bytes;
}

}  // namespace

Status check_kept_values(const engine::Engine& engine, const expression::Question& question,
                         const Dataset& dataset, const Table& table) {
  if (question.kept_values <= kAlwaysAllowed) return {};
  const double rows = rows_by_count_or_size(dataset, table);
  const double bytes = rows * static_cast<double>(question.kept_values) * kValueBytes;
  if (bytes <= static_cast<double>(engine.memory_bytes_max())) return {};
  return make_error(
             ErrorKind::kLimitReached,
             fmt::format("{} medians or quantiles, each counted for every grouping set, over about {:.0f} "
                         "rows would take about {:.0f} MB of memory, at most {}",
                         question.kept_values, rows, bytes / 1e6, engine.memory_bytes_max() / 1'000'000))
      .with_code("memory_limit")
      .with_hint("Ask for at most 8 of them at a time, or for avg.");
}

}  // namespace sluice::query
