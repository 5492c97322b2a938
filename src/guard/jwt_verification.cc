#include "sluice/guard/jwt_verification.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::guard {

const IssuerSpec* find_issuer(const Jwt& jwt, const std::vector<IssuerSpec>& issuers) {
  const json::Value* claim = jwt.claims.find("iss");
  const std::string* text = claim == nullptr ? nullptr : claim->if_string();
  if (text == nullptr) return nullptr;
  const auto found = std::find_if(issuers.begin(), issuers.end(),
                                  [&](const IssuerSpec& each) { return each.issuer == *text; });
  return found == issuers.end() ? nullptr : &*found;
}

JwtVerdict verify_jwt(const Jwt& jwt, const KeySet& keys, const ClaimRules& rules) {
  const IssuerSpec& issuer = rules.issuer;
  if (std::find(issuer.types.begin(), issuer.types.end(), jwt.type) == issuer.types.end())
    return TokenFault::kMalformed;
  if (!jwt.algorithm || std::find(issuer.algorithms.begin(), issuer.algorithms.end(), *jwt.algorithm) ==
                            issuer.algorithms.end()) {
    return TokenFault::kSignature;
  }
  const KeySet::Found found = keys.find(jwt.key_id, *jwt.algorithm);
  if (found.is_unknown) return UnknownKey{};
  if (found.key == nullptr || !found.key->key.verify(*jwt.algorithm, jwt.signed_text, jwt.signature))
    return TokenFault::kSignature;
  std::variant<VerifiedCaller, TokenFault> caller = read_claims(jwt.claims, rules);
  if (const TokenFault* fault = std::get_if<TokenFault>(&caller)) return *fault;
  return VerifiedJwt{.caller = std::get<VerifiedCaller>(std::move(caller)),
                     .key_removed = found.key->removed};
}

}  // namespace sluice::guard
