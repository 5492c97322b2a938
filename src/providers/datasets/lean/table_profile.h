#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

#include "dataset_tools.h"

namespace sluice::datasets::lean {

struct ValueCount {
  std::string value;  // See value_text.
  std::uint64_t count = 0;
};

// What is known of the values of one column, or of one member of a column of structs. What could not be
// computed in time is absent.
struct ColumnProfile {
  std::string path;  // As SQL addresses it: properties.name.
  std::string sql;   // The same as an expression over the table's columns.
  engine::Type type;
  std::optional<std::uint64_t> nulls;
  std::uint64_t distinct = 0;  // How many different values; 0: not known.
  bool has_exact_distinct = false;
  std::vector<ValueCount> values;  // All of them if there are few, the most frequent first.
  std::string least;               // Of numbers, dates and times; empty: not known.
  std::string greatest;
  std::string example;  // A value that is not null; empty: there is none in the sample.
  std::string pitfall;  // What would spoil a query, with the expression that avoids it.
  bool is_key = false;  // No value occurs twice and none is null.
  // Hashes of some distinct values, each as likely as the others if all rows were read.
  std::vector<std::uint64_t> sample;
  std::vector<std::uint64_t> key_set;  // Hashes of all values of a key, sorted.
};

struct TableProfile {
  std::vector<ColumnProfile> columns;
};
using ProfilePtr = std::shared_ptr<const TableProfile>;  // The store, and calls that use it.

// Reads a table to profile it; large tables only as far as a sample shows.
Result<TableProfile> profile_table(const Subject& subject, const engine::RunLimits& limits);

// What would spoil a query that sorts or compares a column of text, by the first rows of the table. Empty:
// nothing.
Result<std::string> text_pitfall(const Subject& subject, const engine::Field& column,
                                 const engine::RunLimits& limits);

// The paths of a table's columns, members of structs included, with types alone.
std::vector<ColumnProfile> column_paths(const expression::Columns& columns);

// A short word for a type: text, int, real, date, time, bool, struct, text[].
std::string type_word(const engine::Type& type);

}  // namespace sluice::datasets::lean
