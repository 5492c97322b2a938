#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "lean/table_profile.h"

namespace sluice::datasets::lean {

// A table as `catalog` lists it: a dataset, or a collection of datasets with dimensions.
struct TableEntry {
  std::string name;                    // As SQL spells it.
  std::string full_name;               // As it is.
  std::string rows;                    // 3376, ~3376 if estimated, ? if not known.
  std::string dimensions;              // Of a collection: "year 2019..2025, kind PLAN|SPENDING".
  std::vector<ColumnProfile> columns;  // Paths and types alone.
  bool is_pending = false;             // Not all columns were known in time.
  std::string description;
  std::string problem;  // Why it cannot be read.
};

enum class Detail : std::uint8_t { kName, kColumns, kTypes, kDescription };
std::string line_of(const TableEntry& entry, Detail detail);

// All tables in the order of their names, with rows and columns as far as they are known within a short wait.
std::vector<TableEntry> table_entries(const DatasetTools& tools, const query::Inventory& inventory,
                                      const catalog::Context& context);

// The tables whose statistics are worth computing before anybody asks for them: not many, and none that is
// large.
std::vector<query::DatasetPtr> small_tables(const query::Inventory& inventory);

inline constexpr std::chrono::milliseconds kCountTime{300};  // For the rows of all tables of an answer.
inline constexpr std::uint64_t kTokensMin = 50;              // Of an answer, however few a call allows.
inline constexpr std::uint64_t kNoteTokens = 40;             // For the line that says what was left out.

// The tokens that a call may answer: `max_tokens` within the server's ceiling.
std::uint64_t tokens_of_call(const DatasetTools& tools, const json::Object& arguments, std::uint64_t usual);

// The rows of a dataset: 3376, ~3376 if estimated, of a file at least by its size; ? if not known.
std::string rows_word(const query::Dataset& dataset);

// `path type`, or the path alone for text, which is the default.
std::string typed_path(const ColumnProfile& column);

}  // namespace sluice::datasets::lean
