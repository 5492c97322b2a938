#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

#include "sql_function.h"
#include "sql_shape.h"

namespace sluice::expression {

inline constexpr std::uint64_t kSqlSeriesRowsMax = 1'000'000;  // range and generate_series in FROM,
inline constexpr std::uint64_t kSqlSeriesElementsMax = 4'000;  // and as a list.
inline constexpr std::uint64_t kSqlPivotColumnsMax = 1'000;

// Bounds of functions that make much out of little, taken from their constant arguments.

// The whole number that an argument is, also within casts; nullopt for anything else.
std::optional<std::int64_t> constant_number(const json::Value& expression);

// Fails unless the argument at `index` is a number from 0 to `most`; returns it.
Result<std::uint64_t> constant_count(const SqlFunction& function, const json::Array& arguments,
                                     std::size_t index, std::uint64_t most);

// Fails unless range or generate_series is called with numbers or dates that it can reach in `steps_max`
// steps; returns the number of steps.
Result<std::uint64_t> check_series(const SqlFunction& function, const json::Array& arguments,
                                   std::uint64_t steps_max);

// Fails unless the first argument of format or printf is a constant with small widths; returns the bytes that
// it can add to those of its values.
Result<std::uint64_t> format_bytes(const SqlFunction& function, const json::Array& arguments);

// Fails unless a JSON path is constant and reaches every value at most once. True if it gives a list.
Result<bool> json_path_lists(const json::Value& path);

// The bytes of a constant text, or of a list of them; nullopt for anything else.
std::optional<std::uint64_t> constant_bytes(const json::Value& expression);

// Fails if values of many rows are copied by a query that repeats its rows.
Status check_copies(bool repeats_rows, const Shape& used);

}  // namespace sluice::expression
