#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sluice/crypto/verification_key.h"
#include "sluice/guard/token_fault.h"
#include "sluice/json/value.h"

namespace sluice::guard {

inline constexpr std::size_t kJwtBytesMax = 16 * 1024;

enum class TokenForm : std::uint8_t {
  kJwt,        // Three parts, the first of which is a JSON object.
  kEncrypted,  // Five parts, the first of which is a JSON object: nobody but its recipient can read it.
  kOpaque      // Anything else.
};
TokenForm form_of(std::string_view token);

// A JSON Web Token (RFC 7519) in compact form, taken apart and not verified.
struct Jwt {
  std::optional<crypto::JwsAlgorithm> algorithm;  // nullopt: none that is verified.
  std::optional<std::string> key_id;
  std::string type;              // In lower case without "application/"; "jwt" if the header has none.
  json::Value claims;            // An object.
  std::string_view signed_text;  // Of the token, which keeps it alive.
  std::string signature;
};

// Strict: at most 16 KiB, base64url without padding, JSON without repeated keys, no `crit`. `jwk`, `jku`,
// `x5c` and `x5u` are not read: a token does not choose the key that it is verified with.
std::variant<Jwt, TokenFault> parse_jwt(std::string_view token);

}  // namespace sluice::guard
