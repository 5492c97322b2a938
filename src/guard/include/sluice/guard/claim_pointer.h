#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::guard {

// A JSON Pointer (RFC 6901) into the claims of a token: "/scope", "/realm_access/roles",
// "/https:~1~1example.org~1groups".
class ClaimPointer {
 public:
  // Begins with a slash; "~" only as "~0" and "~1"; at most 8 steps.
  static Result<ClaimPointer> parse(std::string_view text);

  // Null where there is nothing. Steps lead through objects only.
  const json::Value* find(const json::Value& claims) const;

  friend bool operator==(const ClaimPointer&, const ClaimPointer&) = default;

 private:
  std::vector<std::string> steps_;
};

}  // namespace sluice::guard
