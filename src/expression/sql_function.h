#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::expression {

// What the check has to know about a function.
enum class FunctionKind : std::uint8_t {
  kScalar,        // Makes nothing larger than its largest argument.
  kMacro,         // The engine writes it out, with an argument in up to three places.
  kLike,          // The pattern is matched in one pass where it has no '_'.
  kWildcard,      // The pattern is matched by trying out, whose time is a power of the number of wildcards.
  kRegex,         // RE2, linear; the pattern has to be constant, as compiling one per row is slow.
  kConcat,        // As long as all arguments together.
  kReplace,       // (text, from, to), constants both: grows by their lengths' ratio.
  kRegexReplace,  // (text, pattern, to, options): at most one `to` per character.
  kDateFormat,    // A constant format; each letter of it becomes a word at most.
  kAggregate,     // Keeps a fixed amount per group.
  kHolistic,      // Keeps every value, and that memory is not counted against the engine's limit.
  kWindow,        // Only with OVER.
};

struct SqlFunction {
  std::string_view name;
  FunctionKind kind;
  std::size_t arguments_min;
  std::size_t arguments_max;
};

// A function that a caller may use, by its name in lower case, or null. Not among them: what reads files,
// settings, the environment, the clock or chance; what makes lists or text larger than its input
// (repeat, lpad, range, printf, string_agg, list, to_json, hex, …); what runs for long on one cell
// (levenshtein).
const SqlFunction* find_function(std::string_view name);
// The allowed function whose name is nearest, or "".
std::string nearest_function(std::string_view name);

}  // namespace sluice::expression
