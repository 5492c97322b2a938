#include "sql_result_size.h"

#include <algorithm>
#include <optional>
#include <string>

#include "sluice/base/limits.h"

#include "sql_bounds.h"
#include "sql_node.h"
#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

constexpr std::uint64_t kDateFormatFactor = 16;  // "%c" becomes a date and a time.
constexpr std::uint64_t kElementBytes = 16;      // What an element of a list takes at least, about.
constexpr std::uint64_t kCollectedFactor = 4;
constexpr std::uint64_t kElementTextFactor = 4;  // `false` for a boolean.
constexpr std::uint64_t kTopRowsMax = 1000;
constexpr std::uint64_t kPadCharactersMax = 4096;
constexpr std::uint64_t kRepeatsMax = 4096;
constexpr std::uint64_t kCharacterBytes = 4;
constexpr std::size_t kWordBytesMax = 256;

Result<const std::string*> constant_argument(const json::Array& arguments, std::size_t index,
                                             std::string_view function) {
  const std::string* text = index < arguments.size() ? constant_text(arguments[index]) : nullptr;
  if (text == nullptr) {
    return refused(std::string(function) + " with a pattern or replacement that is not plain text");
  }
  return text;
}

// A pattern that is matched by trying out what each wildcard stands for.
Status check_wildcards(const std::string& pattern, std::string_view wildcards) {
  const auto count = std::count_if(pattern.begin(), pattern.end(), [wildcards](char character) {
    return wildcards.find(character) != std::string_view::npos;
  });
  if (static_cast<std::size_t>(count) <= kSqlWildcardsMax) return {};
  return refused("a pattern with so many wildcards: " + pattern)
      .with_hint("Use regexp_matches, or LIKE without '_' on lower(…).");
}

Status check_pattern(const SqlFunction& function, const json::Array& arguments) {
  SLUICE_TRY(const std::string* pattern, constant_argument(arguments, 1, function.name));
  if (function.kind == FunctionKind::kRegex) return {};
  if (function.name == "~~~") return check_wildcards(*pattern, "*?[");
  if (function.kind == FunctionKind::kLike && pattern->find('_') == std::string::npos) return {};
  return check_wildcards(*pattern, "%");
}

Result<std::uint64_t> replace_factor(const json::Array& arguments) {
  SLUICE_TRY(const std::string* from, constant_argument(arguments, 1, "replace"));
  SLUICE_TRY(const std::string* to, constant_argument(arguments, 2, "replace"));
  if (from->empty()) return 1;
  return std::max<std::uint64_t>(1, (to->size() + from->size() - 1) / from->size());
}

// A pattern can match the empty text before every character; "\0" in the replacement repeats what matched.
Result<std::uint64_t> regex_replace_factor(const json::Array& arguments) {
  SLUICE_CHECK(constant_argument(arguments, 1, "regexp_replace"));
  SLUICE_TRY(const std::string* to, constant_argument(arguments, 2, "regexp_replace"));
  if (arguments.size() > 3) SLUICE_CHECK(constant_argument(arguments, 3, "regexp_replace"));
  return 1 + to->size();
}

// A word in all its forms is looked for by its stem, which is prepared once.
Status check_word(const SqlFunction& function, const json::Array& arguments) {
  SLUICE_TRY(const std::string* word, constant_argument(arguments, 1, function.name));
  if (!word->empty() && word->size() <= kWordBytesMax) return {};
  return refused("word_match with no word, or one of more than 256 bytes");
}

// Of functions whose constant arguments say how large the result can be.
Result<Growth> size_by_constants(const SqlFunction& function, const json::Array& arguments,
                                 const ArgumentSizes& sizes) {
  switch (function.kind) {
    case FunctionKind::kReplace: {
      SLUICE_TRY(const std::uint64_t factor, replace_factor(arguments));
      return sizes.largest.times(factor);
    }
    case FunctionKind::kRegexReplace: {
      SLUICE_TRY(const std::uint64_t factor, regex_replace_factor(arguments));
      return sizes.largest.times(factor);
    }
    case FunctionKind::kDateFormat: {
      // Either argument may be the format, strftime('%Y', day), or a list of formats.
      const std::optional<std::uint64_t> format = constant_bytes(arguments[1]);
      if (!format) SLUICE_CHECK(constant_argument(arguments, 0, function.name));
      return (format ? Growth{.cells = 0, .bytes = *format} : sizes.sum).times(kDateFormatFactor);
    }
    case FunctionKind::kRepeat: {
      SLUICE_TRY(const std::uint64_t times, constant_count(function, arguments, 1, kRepeatsMax));
      return sizes.first.times(std::max<std::uint64_t>(1, times));
    }
    case FunctionKind::kPad: {
      SLUICE_TRY(const std::uint64_t length, constant_count(function, arguments, 1, kPadCharactersMax));
      return sizes.first + Growth{.cells = 0, .bytes = length * kCharacterBytes};
    }
    case FunctionKind::kBar: {
      if (arguments.size() < function.arguments_max) return Growth{.cells = 0, .bytes = 80 * kCharacterBytes};
      SLUICE_TRY(const std::uint64_t length, constant_count(function, arguments, 3, kPadCharactersMax));
      return Growth{.cells = 0, .bytes = length * kCharacterBytes};
    }
    case FunctionKind::kFormat: {
      SLUICE_TRY(const std::uint64_t bytes, format_bytes(function, arguments));
      const Growth values = sizes.has_nested ? sizes.sum.times(kNestedTextFactor) : sizes.sum;
      return values + Growth{.cells = 0, .bytes = bytes};
    }
    case FunctionKind::kSeries: {
      SLUICE_TRY(const std::uint64_t steps, check_series(function, arguments, kSqlSeriesElementsMax));
      return Growth{.cells = 0, .bytes = steps * sizeof(std::uint64_t)};
    }
    case FunctionKind::kJoinList: {
      SLUICE_TRY(const std::string* separator, constant_argument(arguments, 1, function.name));
      return sizes.first.times((sizes.has_plain_elements ? kElementTextFactor : kNestedTextFactor) +
                               separator->size());
    }
    default:
      return sizes.largest;
  }
}

}  // namespace

bool makes_values(const SqlFunction& function) {
  switch (function.kind) {
    case FunctionKind::kGrowing:
    case FunctionKind::kConcat:
    case FunctionKind::kReplace:
    case FunctionKind::kRegexReplace:
    case FunctionKind::kDateFormat:
    case FunctionKind::kRepeat:
    case FunctionKind::kPad:
    case FunctionKind::kBar:
    case FunctionKind::kFormat:
    case FunctionKind::kSeries:
    case FunctionKind::kJoinList:
      return true;
    case FunctionKind::kRegex:
      return function.factor > 1;
    default:
      return false;
  }
}

std::uint64_t for_each_element(const Growth& growth) {
  return add_capped(growth.cells, growth.bytes / kElementBytes);
}

Result<Growth> result_size(const SqlFunction& function, const json::Array& arguments,
                           const ArgumentSizes& sizes) {
  constexpr Growth kNumber{.cells = 0, .bytes = kNumberBytes};
  switch (function.kind) {
    case FunctionKind::kScalar:
    case FunctionKind::kWindow:
    case FunctionKind::kAggregate:
    case FunctionKind::kHolistic:
    case FunctionKind::kUnnest:
      return sizes.largest;
    case FunctionKind::kCollect:  // As large as the data, so that a few copies of it have to do.
      return sizes.largest.times(kCollectedFactor *
                                 (sizes.has_nested && !function.is_nested ? kNestedTextFactor : 1));
    case FunctionKind::kMeasure:
      return kNumber;
    case FunctionKind::kWord:
      SLUICE_CHECK(check_word(function, arguments));
      return kNumber;
    case FunctionKind::kTopAggregate: {
      if (arguments.size() < function.arguments_max) return sizes.largest;
      SLUICE_TRY(const std::uint64_t rows,
                 constant_count(function, arguments, arguments.size() - 1, kTopRowsMax));
      return sizes.largest.times(std::max<std::uint64_t>(1, rows));
    }
    case FunctionKind::kLike:
    case FunctionKind::kWildcard:
      SLUICE_CHECK(check_pattern(function, arguments));
      return kNumber;
    case FunctionKind::kRegex:
      SLUICE_CHECK(check_pattern(function, arguments));
      return sizes.largest.times(function.factor);
    case FunctionKind::kGrowing:
      return sizes.largest.times(function.factor);
    case FunctionKind::kConcat: {
      const Growth all =
          function.name == "concat_ws" ? sizes.sum + sizes.first.times(arguments.size()) : sizes.sum;
      return sizes.has_nested && !function.is_nested ? all.times(kNestedTextFactor) : all;
    }
    case FunctionKind::kReplace:
    case FunctionKind::kRegexReplace:
    case FunctionKind::kDateFormat:
    case FunctionKind::kRepeat:
    case FunctionKind::kPad:
    case FunctionKind::kBar:
    case FunctionKind::kFormat:
    case FunctionKind::kSeries:
    case FunctionKind::kJoinList:
      return size_by_constants(function, arguments, sizes);
    case FunctionKind::kJsonPath:
      return sizes.largest;
    case FunctionKind::kFilter:
      return sizes.first;
    case FunctionKind::kTransform:
      return sizes.first.times(std::max<std::uint64_t>(1, for_each_element(sizes.lambda)));
    case FunctionKind::kReduce:
      if (sizes.lambda_made.cells > 0 || sizes.lambda_made.bytes > 0) {
        return refused(std::string(function.name) + " with a lambda that makes text or lists")
            .with_hint("Use array_to_string(list, separator), flatten(list) or string_agg(…).");
      }
      return sizes.largest;
  }
  return sizes.largest;
}

}  // namespace sluice::expression
