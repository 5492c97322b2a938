#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

#include "dataset_tools.h"

namespace sluice::datasets {

// A column of a table, or a member of one, and what is wanted of it.
struct StatisticsColumn {
  std::string sql;  // An expression over the columns of `data`.
  engine::Type type;
  bool counts_distinct = true;
  bool has_extremes = true;  // Least and greatest value. Long text is cut.
  bool has_mean = false;
};

enum class Distinct : std::uint8_t { kExact, kSketch };

// The engine's sketch of distinct values has 64 registers: its standard error is 1.04 / sqrt(64) = 13 %, and
// this is three of it.
inline constexpr double kSketchError = 0.4;

// What a column holds. Cells have one row, which is null where they are not wanted; they live as long as the
// call that they are passed to.
struct ColumnStatistics {
  std::uint64_t values = 0;  // That are not null.
  std::uint64_t distinct = 0;
  const engine::Column* least = nullptr;
  const engine::Column* greatest = nullptr;
  const engine::Column* mean = nullptr;
};

struct FrequentValue {
  const engine::Column* column = nullptr;  // Alive as above.
  std::size_t row = 0;
  std::uint64_t count = 0;
};
using FrequentValues =
    std::vector<FrequentValue>;  // The most frequent first, equally frequent ones in order.

// Computes statistics of one table. It belongs to the call.
class StatisticsReader {
 public:
  // What is passed must outlive it.
  StatisticsReader(const Subject& subject, const engine::RunLimits& limits)
      : subject_(subject), limits_(limits) {}

  // Runs a SELECT over the table, which it calls `data`, and passes each batch.
  Status read(std::string sql, const std::function<void(const engine::Batch&)>& take) const;

  // Reads all rows once. Passes their number, and the statistics of the columns in their order.
  using TakeStatistics =
      std::function<void(std::uint64_t rows, const std::vector<ColumnStatistics>& statistics)>;
  Status read_statistics(const std::vector<StatisticsColumn>& columns, Distinct distinct,
                         const TakeStatistics& take) const;

  // Passes at most `most` values of each column; none of columns whose extremes are not wanted.
  Status read_frequent_values(const std::vector<StatisticsColumn>& columns, std::uint64_t most,
                              const std::function<void(const std::vector<FrequentValues>&)>& take) const;

 private:
  const Subject& subject_;
  const engine::RunLimits& limits_;
};

}  // namespace sluice::datasets
