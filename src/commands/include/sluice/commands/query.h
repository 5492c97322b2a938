#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

namespace sluice::commands {

enum class QueryOutput : std::uint8_t { kTable, kCsv, kJson, kParquet, kExplanation };

inline constexpr std::uint64_t kTableRowsDefault = 1'000;
inline constexpr std::uint64_t kTableRowsMax = 1'000'000;
inline constexpr std::chrono::seconds kQueryTimeMax = std::chrono::hours(24);

struct QueryRequest {
  std::string target;  // A folder, a data file, or sluice.yaml.
  std::string sql;     // One SELECT.
  QueryOutput output = QueryOutput::kTable;
  std::string file;                            // For kParquet.
  bool overwrites = false;                     // A file that exists.
  std::uint64_t rows_max = kTableRowsDefault;  // Of a table.
  std::chrono::seconds time_max = kQueryTimeMax;
};

// Answers one SELECT over the tables of the target on standard output or in a file. Notes and progress go to
// standard error. SIGINT, SIGTERM and SIGHUP cancel it; nothing temporary is left behind. Returns the exit
// status of the process. Must be called before other threads begin.
Result<int> query(const QueryRequest& request, const config::Environment& environment);

}  // namespace sluice::commands
