#pragma once

#include <atomic>
#include <memory>
#include <variant>
#include <vector>

#include "sluice/guard/access_spec.h"
#include "sluice/guard/jwt.h"
#include "sluice/guard/key_set.h"
#include "sluice/guard/token_claims.h"
#include "sluice/guard/token_fault.h"

namespace sluice::guard {

struct VerifiedJwt {
  VerifiedCaller caller;
  std::shared_ptr<const std::atomic<bool>> key_removed;  // Shared with the key; see IssuerKey::removed.
};

// The token names a key that is not in the set: the set may be out of date.
struct UnknownKey {};

using JwtVerdict = std::variant<VerifiedJwt, UnknownKey, TokenFault>;

// The issuer whose `issuer` is the text of the claim `iss`; null where there is none.
const IssuerSpec* find_issuer(const Jwt& jwt, const std::vector<IssuerSpec>& issuers);

// Checks what a token says against the rules and the keys of its issuer: type, algorithm, key, signature and
// claims, in this order.
JwtVerdict verify_jwt(const Jwt& jwt, const KeySet& keys, const ClaimRules& rules);

}  // namespace sluice::guard
