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
};
inline constexpr EstimateTime kPreflightTime{.count = std::chrono::milliseconds(12),
                                             .sample = std::chrono::milliseconds(8)};

Result<Estimate> estimate(engine::Engine& engine, const expression::Question& question,
                          const Dataset& dataset, const Table& table, const EstimateTime& time,
                          const engine::RunLimits& limits);

}  // namespace sluice::query
