#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::expression {

struct PolarsToken {
  enum class Kind : std::uint8_t { kName, kInteger, kWideInteger, kFloat, kText, kSymbol, kEnd };

  Kind kind = Kind::kEnd;
  std::size_t position = 0;
  std::string text;  // Of kText, what it stands for; of kWideInteger, the digits.
  std::int64_t integer = 0;
  double number = 0;
};

// The words of an expression, as Python has them; the last is kEnd. `text` is at most kExpressionBytesMax
// long.
Result<std::vector<PolarsToken>> lex_polars(std::string_view text);

}  // namespace sluice::expression
