#pragma once

#include <compare>
#include <functional>
#include <string>

#include "sluice/base/principal.h"

namespace sluice {

// Stands for the rules of a caller: which tables, rows and columns it may see. It differs whenever they do.
struct PolicyDigest {
  std::string text;  // Empty: no rules.

  friend auto operator<=>(const PolicyDigest&, const PolicyDigest&) = default;
};

// What stands for the rules that a principal has now. Empty: nobody has any. Any thread.
using Policies = std::function<PolicyDigest(const Principal&)>;

inline PolicyDigest policy_of(const Policies& policies, const Principal& principal) {
  return policies ? policies(principal) : PolicyDigest{};
}

// Whose results are whose: what one caller keeps is unknown to every other, and to itself under other rules.
struct Caller {
  Principal principal;
  PolicyDigest policy;

  friend auto operator<=>(const Caller&, const Caller&) = default;
};

}  // namespace sluice
