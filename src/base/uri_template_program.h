#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sluice/base/uri_template.h"

namespace sluice {

// A template as steps of a matching machine. A step works at one position of the URI and names the steps to
// go on with; (step, position) is the whole state, so that a state which failed once need not be tried again.
struct MatchStep {
  enum class Kind : std::uint8_t {
    kLiteral,     // `literal` stands here; go on with `next`.
    kCharacter,   // One character, escaped or not, that is not in `excluded`; go on with `next`.
    kFork,        // Go on with `next`; where that fails, with `otherwise`.
    kJump,        // Go on with `next`.
    kOpen,        // The value of `variable` begins here; go on with `next`.
    kClose,       // It ends here.
    kParameters,  // Zero or more parameters of the named `expression`; go on with `next`.
    kEnd,         // The URI ends here.
  };
  Kind kind = Kind::kEnd;
  std::uint32_t next = 0;
  std::uint32_t otherwise = 0;
  std::string_view literal{};                           // Kept alive by the template.
  std::string_view excluded{};                          // A constant.
  const UriTemplate::Expression* expression = nullptr;  // Kept alive by the template, as is `variable`.
  const UriTemplate::Variable* variable = nullptr;
};

using MatchProgram = std::vector<MatchStep>;

// Execution starts at step 0. `parts` must outlive the program.
MatchProgram compile_match(const std::vector<UriTemplate::Part>& parts);

}  // namespace sluice
