#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "sluice/base/caller_identity.h"
#include "sluice/base/clock.h"
#include "sluice/guard/access_spec.h"
#include "sluice/guard/token_fault.h"
#include "sluice/json/value.h"

namespace sluice::guard {

struct ClaimRules {
  const IssuerSpec& issuer;
  WallTime now;
  std::chrono::milliseconds clock_skew;
};

struct VerifiedCaller {
  std::string subject;
  CallerIdentity identity;
};

// What verified claims say of the bearer, or what is wrong with them. `exp`, `aud` and `sub` are required.
// ID tokens, refresh tokens and tokens that are bound to a key of the client are refused.
std::variant<VerifiedCaller, TokenFault> read_claims(const json::Value& claims, const ClaimRules& rules);

// Whether text of a token may become part of an id: 1 to 256 bytes of UTF-8 without control, direction and
// zero-width characters.
bool is_printable_name(const std::string& text);

}  // namespace sluice::guard
