#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::expression {

// A part of an expression as it was written; what the names mean is not decided here.
struct PolarsNode {
  enum class Kind : std::uint8_t {
    kName,         // text
    kInteger,      // integer
    kWideInteger,  // text: sign and digits of what does not fit 64 bits
    kFloat,        // number
    kText,         // text
    kBool,         // integer: 0 or 1
    kNone,
    kList,       // children
    kAttribute,  // children[0] . text
    kCall,       // children[0] ( children[1…] ), whose names, or "", are in `names`
    kUnary,      // text children[0]
    kBinary,     // children[0] text children[1]
  };

  Kind kind = Kind::kNone;
  std::size_t position = 0;  // In bytes, of where it begins or of its operator.
  std::size_t depth = 1;
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<PolarsNode> children;
  std::vector<std::string> names;
};

using PolarsKind = PolarsNode::Kind;

}  // namespace sluice::expression
