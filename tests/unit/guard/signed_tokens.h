#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/base64.h"
#include "sluice/base/clock.h"
#include "sluice/crypto/signing_key.h"
#include "sluice/guard/access_spec.h"
#include "sluice/guard/jwt_verification.h"

namespace sluice::guard {

// 2026-11-20T00:00:00Z
inline constexpr std::int64_t kTestSeconds = 1'795'132'800;

inline WallTime test_time(std::int64_t seconds = kTestSeconds) {
  return WallTime(std::chrono::seconds(seconds));
}

// "header.payload" and the signature of it, whatever the texts are.
inline std::string signed_token(std::string_view header, std::string_view payload,
                                const crypto::SigningKey& key) {
  const std::string text = base64url_encode(header) + "." + base64url_encode(payload);
  return text + "." + base64url_encode(key.sign(text));
}

// The key with an id, as a key set has it.
inline std::string published(const crypto::SigningKey& key, std::string_view id) {
  const std::string jwk = key.public_jwk();
  return jwk.substr(0, jwk.size() - 1) + ",\"kid\":\"" + std::string(id) + "\"}";
}

inline IssuerSpec test_issuer() {
  IssuerSpec issuer;
  issuer.name = "corp";
  issuer.issuer = "https://id.example.org/realms/main";
  issuer.audiences = {"https://data.example.org/mcp", "api://data"};
  issuer.algorithms = {crypto::JwsAlgorithm::kRs256, crypto::JwsAlgorithm::kPs256,
                       crypto::JwsAlgorithm::kEs256, crypto::JwsAlgorithm::kEs384,
                       crypto::JwsAlgorithm::kEdDsa};
  issuer.types = {"at+jwt", "jwt"};
  issuer.scopes = {ClaimPointer::parse("/scope").value(), ClaimPointer::parse("/scp").value()};
  issuer.groups = {ClaimPointer::parse("/groups").value(),
                   ClaimPointer::parse("/realm_access/roles").value()};
  issuer.display = {ClaimPointer::parse("/preferred_username").value()};
  return issuer;
}

// Claims that are good, with `more` after them: `,"nonce":"1"`.
inline std::string claims_with(std::string_view more = "") {
  return R"({"iss":"https://id.example.org/realms/main","aud":"https://data.example.org/mcp","sub":"8f2a","exp":)" +
         std::to_string(kTestSeconds + 300) + std::string(more) + "}";
}

}  // namespace sluice::guard
