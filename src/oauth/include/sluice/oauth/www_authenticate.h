#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/result.h"

namespace sluice::oauth {

// One challenge of a WWW-Authenticate header: `Bearer scope="a b", error="invalid_token"`.
struct AuthenticateScheme {
  std::string name;                                             // In lower case: "bearer", "dpop".
  std::vector<std::pair<std::string, std::string>> parameters;  // Names in lower case; values unquoted.

  // Null where there is none. Of several the first, so that what is appended cannot replace it.
  const std::string* find(std::string_view parameter) const;
};

// All challenges of a header (RFC 9110, section 11.6.1). A token68 is skipped. invalid_challenge where the
// text is no list of challenges, or larger than kChallengeBytesMax and its siblings allow.
Result<std::vector<AuthenticateScheme>> parse_www_authenticate(std::string_view text);

}  // namespace sluice::oauth
