#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"
#include "sluice/query/statement.h"

namespace sluice::query {

enum class EstimateKind : std::uint8_t {
  kExact,    // Counted.
  kSampled,  // Counted on a part, and scaled up.
  kPlanner,  // The engine's guess.
};
std::string_view to_string(EstimateKind kind);

// How large an answer would be.
struct Estimate {
  std::uint64_t rows = 0;
  EstimateKind kind = EstimateKind::kPlanner;
  std::uint64_t bytes = 0;  // As JSON records.
  std::uint64_t tokens = 0;
};

// How much time may go into each way of knowing before the next, cheaper one is tried.
struct EstimateTime {
  std::chrono::milliseconds count{100};
  std::chrono::milliseconds sample{100};
  std::uint64_t sample_rows = 16'384;
  std::uint64_t sample_windows = 8;  // Places of a Parquet file that they are taken from; at least 2.
  bool trusts_planner = false;  // A source that answers the question itself is asked for its guess first.
};
inline constexpr EstimateTime kPreflightTime{.count = std::chrono::milliseconds(8),
                                             .sample = std::chrono::milliseconds(12),
                                             .sample_rows = 8'192,
                                             .sample_windows = 2,
                                             .trusts_planner = true};

Result<Estimate> estimate(engine::Engine& engine, const expression::Question& question,
                          const Dataset& dataset, const Table& table, const EstimateTime& time,
                          const engine::RunLimits& limits);

}  // namespace sluice::query
