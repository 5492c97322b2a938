#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/type.h"
#include "sluice/json/value.h"
#include "sluice/plan/operand.h"

namespace sluice::plan {

using Columns = std::vector<engine::Field>;

// A constant that a column is compared with.
struct Constant {
  json::Value given;  // A number, a text or a boolean: the value itself, whatever the column's type can hold.
  Operand operand;    // The same value placed among those of the column's type.
};

// Which rows of a table to keep: those for which it is true. False and unknown need not be told apart:
// negations of SQL are pushed down to the comparisons when it is made, and kNotTrue holds for both. Columns
// are positions in the input of the node that holds it.
struct Condition {
  enum class Kind : std::uint8_t {
    kAlways,
    kNever,
    kAnd,  // Of `parts`, of which there are at least two; the same holds for kOr.
    kOr,
    kIsNull,
    kIsNotNull,
    kCompare,             // column sign constants[0]
    kIn,                  // Equal to one of `constants`; there is at least one.
    kContains,            // The text of the column contains `text`,
    kStartsWith,          // begins with it,
    kEndsWith,            // or ends with it, byte by byte.
    kNormalizedContains,  // As kContains, after both have been normalized.
    kMatches,             // A regular expression in RE2's syntax.
    kNotTrue,             // parts[0] is false or unknown.
    kHasElement,          // The column is a list that has constants[0] as an element.
    kIsSimilar,           // fuzzy_ratio() of `text` and the text of the column is `similarity` or more.
  };

  Kind kind = Kind::kAlways;
  std::size_t column = 0;
  Sign sign = Sign::kEq;
  std::vector<Constant> constants;
  std::string text;
  std::vector<Condition> parts;
  bool ignores_case = false;   // Of kContains, kStartsWith, kEndsWith and kMatches.
  bool compares_text = false;  // Of comparisons and lists: the cell, or the element, is compared as its text.
  double similarity = 0;
};

// Of no part: always true for `all_of`, never for `any_of`. One part stands for itself, parts of the same
// kind are merged, and a part that decides alone (never true in `all_of`, always true in `any_of`) is the
// result.
Condition all_of(std::vector<Condition> parts);
Condition any_of(std::vector<Condition> parts);

// The rows that the condition leaves out. Unlike NOT in SQL, it holds for rows with missing values.
Condition not_true(Condition condition);

Condition is_null(std::size_t column);
Condition is_not_null(std::size_t column);

// `column sign value`, for a value that is not null. Fails as resolve_operand() does.
Result<Condition> compare(const Columns& columns, std::size_t column, Sign sign, const json::Value& value);
// Equal to one of the values, none of which is null. Fails as resolve_operand() does.
Result<Condition> in_list(const Columns& columns, std::size_t column, const json::Array& values);

// The condition over other columns: `positions[i]` is the new position of column i.
Condition with_columns(Condition condition, const std::vector<std::size_t>& positions);
// For people: `delay > 100 AND (state = 'CA' OR state IS NULL)`. Long values and lists are shortened.
std::string to_text(const Condition& condition, const Columns& columns);
// Whether no database computes it, whatever its column is. Not told of its parts.
bool is_for_engine_only(const Condition& condition);
// The columns that it uses, each once, in ascending order.
std::vector<std::size_t> columns_of(const Condition& condition);

}  // namespace sluice::plan
