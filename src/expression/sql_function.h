#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice::expression {

// What the check has to know about a function.
enum class FunctionKind : std::uint8_t {
  kScalar,        // Makes nothing larger than its largest argument.
  kMeasure,       // Returns a number, a boolean or a date, whatever the size of its arguments.
  kGrowing,       // Multiplies the size of its largest argument by `factor`.
  kLike,          // The pattern is matched in one pass where it has no '_'.
  kWildcard,      // The pattern is matched by trying out, whose time is a power of the number of wildcards.
  kRegex,         // RE2, linear; the pattern has to be constant, as compiling one per row is slow.
  kConcat,        // As large as all arguments together.
  kReplace,       // (text, from, to), constants both: grows by their lengths' ratio.
  kRegexReplace,  // (text, pattern, to, options): at most one `to` per character.
  kDateFormat,    // A constant format; each letter of it becomes a word at most.
  kRepeat,        // (text, times): `times` is constant.
  kPad,           // (text, characters, fill): `characters` is constant.
  kBar,           // (value, least, largest, characters): `characters` is constant.
  kFormat,        // (format, values…): the format is constant and has small widths.
  kSeries,        // (first, last, step): constants, of a bounded number of steps.
  kJoinList,      // (list, separator): a constant separator behind every element.
  kJsonPath,      // (document, path): a constant path that visits every value at most once.
  kWord,          // (text, word): the word is constant.
  kTransform,     // (list, lambda): a list of what the lambda returns.
  kFilter,        // (list, lambda): the elements for which the lambda is true.
  kReduce,        // (list, lambda): the lambda must not make text or lists, as it runs on its own result.
  kUnnest,        // One row per element.
  kAggregate,     // Keeps a fixed amount per group.
  kTopAggregate,  // A fixed amount, or a list of the best few: the last argument is a small constant.
  kCollect,       // Keeps every value, in memory that the engine counts, and returns them as one value.
  kHolistic,      // Keeps every value, and that memory is not counted against the engine's limit.
  kWindow,        // Only with OVER.
};

inline bool is_aggregate_kind(FunctionKind kind) {
  return kind == FunctionKind::kAggregate || kind == FunctionKind::kTopAggregate ||
         kind == FunctionKind::kCollect || kind == FunctionKind::kHolistic;
}

struct SqlFunction {
  std::string_view name;
  FunctionKind kind;
  std::size_t arguments_min;
  std::size_t arguments_max;
  std::uint64_t factor = 1;  // How much larger the result is than the largest argument, for kGrowing.
  std::uint64_t copies = 1;  // A macro of the engine repeats its arguments so many times.
  bool is_nested = false;    // Returns a list, a struct or a map.
  bool takes_names = false;  // Arguments may have names.
};

inline constexpr std::size_t kManyArguments = 64;
inline constexpr std::uint64_t kMacroCopies = 3;
// Each part of a text becomes an element of a list, which takes more memory than the part.
inline constexpr std::uint64_t kSplitFactor = 4;

// A function that a caller may use, by its name in lower case, or null. Not among them: what reads files,
// settings, the environment, the clock or chance; what makes any amount out of a few bytes; what runs for
// long on one cell (levenshtein).
const SqlFunction* find_function(std::string_view name);
// The allowed function whose name is nearest, or "".
std::string nearest_function(std::string_view name);
// What to write instead of a function that is not allowed, as a sentence, or "".
std::string_view alternative_to(std::string_view name);

// Functions of lists, structs, maps and JSON documents.
std::span<const SqlFunction> nested_functions();

}  // namespace sluice::expression
