#pragma once

#include <cstdint>
#include <optional>

#include "dataset_tools.h"

namespace sluice::datasets {

// Counts the rows that query arguments give, to explain an answer. All counts of one object take at most a
// second.
class RowCounts {
 public:
  RowCounts(const Subject& subject, const catalog::Context& context);  // `subject` must outlive it.

  // Whatever the order, limit and offset. Nothing if that takes too long.
  std::optional<std::uint64_t> of(query::QueryArguments query_arguments) const;
  const engine::RunLimits& limits() const { return limits_; }

 private:
  Result<std::uint64_t> count_of(const query::QueryArguments& query_arguments) const;

  const Subject& subject_;
  engine::RunLimits limits_;
};

}  // namespace sluice::datasets
