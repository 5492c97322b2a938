#include "sql_function.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "sluice/base/text.h"

namespace sluice::expression {

namespace {

using Kind = FunctionKind;

constexpr std::size_t kManyArguments = 64;

constexpr std::array kFunctions = {
    // Operators.
    SqlFunction{"+", Kind::kScalar, 1, 2},
    SqlFunction{"-", Kind::kScalar, 1, 2},
    SqlFunction{"*", Kind::kScalar, 2, 2},
    SqlFunction{"/", Kind::kScalar, 2, 2},
    SqlFunction{"//", Kind::kScalar, 2, 2},
    SqlFunction{"%", Kind::kScalar, 2, 2},
    SqlFunction{"**", Kind::kScalar, 2, 2},
    SqlFunction{"^", Kind::kScalar, 2, 2},
    SqlFunction{"||", Kind::kConcat, 2, 2},
    SqlFunction{"^@", Kind::kScalar, 2, 2},
    // Patterns.
    SqlFunction{"~~", Kind::kLike, 2, 2},
    SqlFunction{"!~~", Kind::kLike, 2, 2},
    SqlFunction{"~~*", Kind::kWildcard, 2, 2},
    SqlFunction{"!~~*", Kind::kWildcard, 2, 2},
    SqlFunction{"~~~", Kind::kWildcard, 2, 2},
    SqlFunction{"like_escape", Kind::kWildcard, 3, 3},
    SqlFunction{"not_like_escape", Kind::kWildcard, 3, 3},
    SqlFunction{"ilike_escape", Kind::kWildcard, 3, 3},
    SqlFunction{"not_ilike_escape", Kind::kWildcard, 3, 3},
    SqlFunction{"regexp_matches", Kind::kRegex, 2, 3},
    SqlFunction{"regexp_full_match", Kind::kRegex, 2, 3},
    SqlFunction{"regexp_extract", Kind::kRegex, 2, 4},
    SqlFunction{"regexp_replace", Kind::kRegexReplace, 3, 4},
    // Text.
    SqlFunction{"lower", Kind::kScalar, 1, 1},
    SqlFunction{"lcase", Kind::kScalar, 1, 1},
    SqlFunction{"upper", Kind::kScalar, 1, 1},
    SqlFunction{"ucase", Kind::kScalar, 1, 1},
    SqlFunction{"length", Kind::kScalar, 1, 1},
    SqlFunction{"len", Kind::kScalar, 1, 1},
    SqlFunction{"strlen", Kind::kScalar, 1, 1},
    SqlFunction{"char_length", Kind::kScalar, 1, 1},
    SqlFunction{"character_length", Kind::kScalar, 1, 1},
    SqlFunction{"trim", Kind::kScalar, 1, 2},
    SqlFunction{"ltrim", Kind::kScalar, 1, 2},
    SqlFunction{"rtrim", Kind::kScalar, 1, 2},
    SqlFunction{"left", Kind::kScalar, 2, 2},
    SqlFunction{"right", Kind::kScalar, 2, 2},
    SqlFunction{"substring", Kind::kScalar, 2, 3},
    SqlFunction{"substr", Kind::kScalar, 2, 3},
    SqlFunction{"starts_with", Kind::kScalar, 2, 2},
    SqlFunction{"ends_with", Kind::kScalar, 2, 2},
    SqlFunction{"prefix", Kind::kScalar, 2, 2},
    SqlFunction{"suffix", Kind::kScalar, 2, 2},
    SqlFunction{"contains", Kind::kScalar, 2, 2},
    SqlFunction{"instr", Kind::kScalar, 2, 2},
    SqlFunction{"position", Kind::kScalar, 2, 2},
    SqlFunction{"strpos", Kind::kScalar, 2, 2},
    SqlFunction{"reverse", Kind::kScalar, 1, 1},
    SqlFunction{"split_part", Kind::kMacro, 3, 3},
    SqlFunction{"ascii", Kind::kScalar, 1, 1},
    SqlFunction{"unicode", Kind::kScalar, 1, 1},
    SqlFunction{"strip_accents", Kind::kScalar, 1, 1},
    SqlFunction{"concat", Kind::kConcat, 1, kManyArguments},
    SqlFunction{"concat_ws", Kind::kConcat, 2, kManyArguments},
    SqlFunction{"replace", Kind::kReplace, 3, 3},
    // Numbers.
    SqlFunction{"abs", Kind::kScalar, 1, 1},
    SqlFunction{"@", Kind::kScalar, 1, 1},
    SqlFunction{"ceil", Kind::kScalar, 1, 1},
    SqlFunction{"ceiling", Kind::kScalar, 1, 1},
    SqlFunction{"floor", Kind::kScalar, 1, 1},
    SqlFunction{"round", Kind::kScalar, 1, 2},
    SqlFunction{"round_even", Kind::kMacro, 2, 2},
    SqlFunction{"trunc", Kind::kScalar, 1, 2},
    SqlFunction{"sign", Kind::kScalar, 1, 1},
    SqlFunction{"sqrt", Kind::kScalar, 1, 1},
    SqlFunction{"cbrt", Kind::kScalar, 1, 1},
    SqlFunction{"exp", Kind::kScalar, 1, 1},
    SqlFunction{"ln", Kind::kScalar, 1, 1},
    SqlFunction{"log", Kind::kScalar, 1, 2},
    SqlFunction{"log2", Kind::kScalar, 1, 1},
    SqlFunction{"log10", Kind::kScalar, 1, 1},
    SqlFunction{"pow", Kind::kScalar, 2, 2},
    SqlFunction{"power", Kind::kScalar, 2, 2},
    SqlFunction{"mod", Kind::kScalar, 2, 2},
    SqlFunction{"fdiv", Kind::kMacro, 2, 2},
    SqlFunction{"isnan", Kind::kScalar, 1, 1},
    SqlFunction{"isfinite", Kind::kScalar, 1, 1},
    SqlFunction{"isinf", Kind::kScalar, 1, 1},
    // Any type.
    SqlFunction{"greatest", Kind::kScalar, 1, kManyArguments},
    SqlFunction{"least", Kind::kScalar, 1, kManyArguments},
    SqlFunction{"nullif", Kind::kMacro, 2, 2},
    SqlFunction{"typeof", Kind::kScalar, 1, 1},
    SqlFunction{"struct_extract", Kind::kScalar, 2, 2},
    SqlFunction{"array_extract", Kind::kScalar, 2, 2},
    SqlFunction{"list_extract", Kind::kScalar, 2, 2},
    SqlFunction{"list_contains", Kind::kScalar, 2, 2},
    SqlFunction{"array_contains", Kind::kScalar, 2, 2},
    // Dates and times.
    SqlFunction{"date_part", Kind::kScalar, 2, 2},
    SqlFunction{"datepart", Kind::kScalar, 2, 2},
    SqlFunction{"date_trunc", Kind::kScalar, 2, 2},
    SqlFunction{"datetrunc", Kind::kScalar, 2, 2},
    SqlFunction{"date_diff", Kind::kScalar, 3, 3},
    SqlFunction{"datediff", Kind::kScalar, 3, 3},
    SqlFunction{"date_sub", Kind::kScalar, 3, 3},
    SqlFunction{"date_add", Kind::kMacro, 2, 2},
    SqlFunction{"year", Kind::kScalar, 1, 1},
    SqlFunction{"quarter", Kind::kScalar, 1, 1},
    SqlFunction{"month", Kind::kScalar, 1, 1},
    SqlFunction{"week", Kind::kScalar, 1, 1},
    SqlFunction{"day", Kind::kScalar, 1, 1},
    SqlFunction{"dayofweek", Kind::kScalar, 1, 1},
    SqlFunction{"isodow", Kind::kScalar, 1, 1},
    SqlFunction{"dayofyear", Kind::kScalar, 1, 1},
    SqlFunction{"hour", Kind::kScalar, 1, 1},
    SqlFunction{"minute", Kind::kScalar, 1, 1},
    SqlFunction{"second", Kind::kScalar, 1, 1},
    SqlFunction{"epoch", Kind::kScalar, 1, 1},
    SqlFunction{"dayname", Kind::kScalar, 1, 1},
    SqlFunction{"monthname", Kind::kScalar, 1, 1},
    SqlFunction{"last_day", Kind::kScalar, 1, 1},
    SqlFunction{"make_date", Kind::kScalar, 3, 3},
    SqlFunction{"age", Kind::kScalar, 2, 2},
    SqlFunction{"to_years", Kind::kScalar, 1, 1},
    SqlFunction{"to_months", Kind::kScalar, 1, 1},
    SqlFunction{"to_weeks", Kind::kScalar, 1, 1},
    SqlFunction{"to_days", Kind::kScalar, 1, 1},
    SqlFunction{"to_hours", Kind::kScalar, 1, 1},
    SqlFunction{"to_minutes", Kind::kScalar, 1, 1},
    SqlFunction{"to_seconds", Kind::kScalar, 1, 1},
    SqlFunction{"strftime", Kind::kDateFormat, 2, 2},
    SqlFunction{"strptime", Kind::kDateFormat, 2, 2},
    SqlFunction{"try_strptime", Kind::kDateFormat, 2, 2},
    // Aggregates. With a further argument, min and arg_min make lists of any length.
    SqlFunction{"count", Kind::kAggregate, 0, 1},
    SqlFunction{"count_star", Kind::kAggregate, 0, 0},
    SqlFunction{"count_if", Kind::kAggregate, 1, 1},
    SqlFunction{"countif", Kind::kAggregate, 1, 1},
    SqlFunction{"sum", Kind::kAggregate, 1, 1},
    SqlFunction{"fsum", Kind::kAggregate, 1, 1},
    SqlFunction{"avg", Kind::kAggregate, 1, 1},
    SqlFunction{"mean", Kind::kAggregate, 1, 1},
    SqlFunction{"min", Kind::kAggregate, 1, 1},
    SqlFunction{"max", Kind::kAggregate, 1, 1},
    SqlFunction{"first", Kind::kAggregate, 1, 1},
    SqlFunction{"last", Kind::kAggregate, 1, 1},
    SqlFunction{"any_value", Kind::kAggregate, 1, 1},
    SqlFunction{"arg_min", Kind::kAggregate, 2, 2},
    SqlFunction{"arg_max", Kind::kAggregate, 2, 2},
    SqlFunction{"min_by", Kind::kAggregate, 2, 2},
    SqlFunction{"max_by", Kind::kAggregate, 2, 2},
    SqlFunction{"bool_and", Kind::kAggregate, 1, 1},
    SqlFunction{"bool_or", Kind::kAggregate, 1, 1},
    SqlFunction{"product", Kind::kAggregate, 1, 1},
    SqlFunction{"stddev", Kind::kAggregate, 1, 1},
    SqlFunction{"stddev_samp", Kind::kAggregate, 1, 1},
    SqlFunction{"stddev_pop", Kind::kAggregate, 1, 1},
    SqlFunction{"variance", Kind::kAggregate, 1, 1},
    SqlFunction{"var_samp", Kind::kAggregate, 1, 1},
    SqlFunction{"var_pop", Kind::kAggregate, 1, 1},
    SqlFunction{"corr", Kind::kAggregate, 2, 2},
    SqlFunction{"covar_pop", Kind::kAggregate, 2, 2},
    SqlFunction{"covar_samp", Kind::kAggregate, 2, 2},
    SqlFunction{"skewness", Kind::kAggregate, 1, 1},
    SqlFunction{"kurtosis", Kind::kAggregate, 1, 1},
    SqlFunction{"approx_count_distinct", Kind::kAggregate, 1, 1},
    SqlFunction{"median", Kind::kHolistic, 1, 1},
    SqlFunction{"quantile", Kind::kHolistic, 2, 2},
    SqlFunction{"quantile_cont", Kind::kHolistic, 2, 2},
    SqlFunction{"quantile_disc", Kind::kHolistic, 2, 2},
    SqlFunction{"mad", Kind::kHolistic, 1, 1},
    // Windows.
    SqlFunction{"row_number", Kind::kWindow, 0, 0},
    SqlFunction{"rank", Kind::kWindow, 0, 0},
    SqlFunction{"dense_rank", Kind::kWindow, 0, 0},
    SqlFunction{"rank_dense", Kind::kWindow, 0, 0},
    SqlFunction{"percent_rank", Kind::kWindow, 0, 0},
    SqlFunction{"cume_dist", Kind::kWindow, 0, 0},
    SqlFunction{"ntile", Kind::kWindow, 1, 1},
    SqlFunction{"lag", Kind::kWindow, 1, 3},
    SqlFunction{"lead", Kind::kWindow, 1, 3},
    SqlFunction{"first_value", Kind::kWindow, 1, 1},
    SqlFunction{"last_value", Kind::kWindow, 1, 1},
    SqlFunction{"nth_value", Kind::kWindow, 2, 2},
};

}  // namespace

const SqlFunction* find_function(std::string_view name) {
  const auto* const found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                         [name](const SqlFunction& item) { return item.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

std::string nearest_function(std::string_view name) {
  std::vector<std::string> words;
  for (const SqlFunction& function : kFunctions) {
    if (std::isalpha(static_cast<unsigned char>(function.name.front())) != 0)
      words.emplace_back(function.name);
  }
  return nearest_name(name, words);
}

}  // namespace sluice::expression
