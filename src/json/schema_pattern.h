#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <re2/re2.h>

#include "sluice/base/result.h"

namespace sluice::json {

// A regular expression of a schema, matched in linear time.
struct SchemaPattern {
  std::string source;                     // As the schema has it: this is what messages quote.
  std::unique_ptr<const re2::RE2> regex;  // RE2 cannot move.

  bool matches(std::string_view text) const;  // Anywhere in the text, as ECMA-262's test().
};

// Takes ECMA-262 syntax. What needs backtracking (lookaround, backreferences) is an error that says so.
Result<SchemaPattern> compile_pattern(std::string_view source);

}  // namespace sluice::json
