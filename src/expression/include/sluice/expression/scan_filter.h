#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::expression {

// A number with a decimal point, of the fixed-point type that the engine gives it. Of the constants that one
// comparison, BETWEEN or IN compares a column with, all have the type that holds them all.
struct ScanDecimal {
  std::string text;            // -1.50
  std::uint32_t digits = 0;    // Of the type: before the point,
  std::uint32_t decimals = 0;  // and behind it.
};

// A constant of a condition, or the value of a column. monostate is NULL.
using ScanValue = std::variant<std::monostate, std::int64_t, double, std::string, ScanDecimal>;

// A condition over the columns of one table, as far as its value can be computed before a row is read.
struct ScanCondition {
  enum class Kind : std::uint8_t {
    kUnknown,  // Anything else: it may be true, false or NULL.
    kAnd,
    kOr,
    kNot,
    kEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kIn,
    kIsNull,
  };

  Kind kind = Kind::kUnknown;
  std::string column;                   // In lower case. Of comparisons, kIn and kIsNull.
  std::vector<ScanValue> constants;     // One of a comparison, those of the list of kIn.
  std::vector<ScanCondition> operands;  // Of kAnd, kOr and kNot.
};

// A condition that rows of one table must satisfy to have an effect on the answer of a statement.
struct ScanFilter {
  ScanCondition condition;
  // The condition is applied above an outer join that can put NULL in place of all columns of the table. It
  // restricts the table only if such a row does not satisfy it.
  bool is_above_outer_join = false;
};

using ScanFilters = std::vector<ScanFilter>;                       // A row must satisfy all of them.
using ScanValues = std::map<std::string, ScanValue, std::less<>>;  // By column, in lower case.

// The values that a condition can have.
struct PossibleTruth {
  bool can_be_true = true;
  bool can_be_false = true;
  bool can_be_null = true;
};

// Evaluates a condition in three-valued logic. A column that is not in `known` can have any value.
PossibleTruth evaluate(const ScanCondition& condition, const ScanValues& known);

// Whether rows with these values can have an effect on the answer. `known` has the same columns for all rows
// of a table.
bool can_pass(const ScanFilters& filters, const ScanValues& known);

}  // namespace sluice::expression
