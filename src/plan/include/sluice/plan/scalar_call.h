#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/type.h"
#include "sluice/plan/condition.h"

namespace sluice::plan {

// What a plan computes of the values of one row. nullif(a, b) is compiled to kCase.
enum class ScalarFunction : std::uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kDay,
  kIsodow,  // Monday is 1, Sunday 7.
  kDateTrunc,
  kCoalesce,
  kCase,
};

// What date_trunc() keeps. Centuries and the like are left out: the databases count them differently.
enum class DatePart : std::uint8_t { kYear, kQuarter, kMonth, kWeek, kDay, kHour, kMinute, kSecond };
inline constexpr std::size_t kDateParts = 8;

std::string_view name_of(DatePart part);  // "year"
std::optional<DatePart> date_part_named(std::string_view name);

// A column, or a constant that the type of the call holds exactly, or NULL if it is neither.
struct Argument {
  std::optional<std::size_t> column;
  std::optional<Constant> constant;
};

struct ScalarCall {
  ScalarFunction function = ScalarFunction::kYear;
  DatePart part = DatePart::kYear;  // Of kDateTrunc.
  // One column of dates or of timestamps without a zone for the functions before kCoalesce. kCase: the value
  // for each of the conditions, and then that of rows for which none of them is true. Except for dates, all
  // columns and constants have the type of the call.
  std::vector<Argument> arguments;
  std::vector<Condition> conditions;
  engine::Type type;  // Of the result.
  std::string name;   // Of the output column.
};

// The type that a function of a date or a timestamp yields.
engine::Type date_result(ScalarFunction function);
bool is_date_function(ScalarFunction function);

// The columns that it uses, each once, in ascending order.
std::vector<std::size_t> columns_of(const ScalarCall& call);

}  // namespace sluice::plan
