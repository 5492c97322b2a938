#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/guard/access_spec.h"

namespace sluice::guard {

// Bearer tokens of the configuration. Secrets are compared in constant time and held as digests only.
// Immutable; any thread.
class StaticTokens {
 public:
  // Fails on secrets that are short, and on names or secrets that occur twice.
  static Result<StaticTokens> create(const std::vector<Token>& tokens);

  bool empty() const { return entries_.empty(); }
  // By the SHA-256 of the token; null if there is none.
  const Principal* find(std::string_view digest) const;

 private:
  struct Entry {
    Principal principal;
    std::string digest;
  };
  std::vector<Entry> entries_;
};

}  // namespace sluice::guard
