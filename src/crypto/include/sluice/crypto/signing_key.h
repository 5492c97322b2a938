#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::crypto {

enum class SignatureAlgorithm : std::uint8_t { kEs256, kRs256 };
std::string_view to_string(SignatureAlgorithm algorithm);  // "ES256", "RS256": as JOSE calls them.

// A private key that signs as JOSE wants it: ECDSA on P-256 or RSA of at least 2048 bits, with SHA-256.
// Copies share one key. Any thread.
class SigningKey {
 public:
  static SigningKey generate_es256();
  // "-----BEGIN PRIVATE KEY-----" and the older forms, without a passphrase. invalid_key for everything else.
  static Result<SigningKey> from_pem(std::string_view pem);

  SignatureAlgorithm algorithm() const { return algorithm_; }
  // ES256: the two numbers, 32 bytes each. RS256: as long as the key.
  std::string sign(std::string_view bytes) const;
  // The public half as a JSON Web Key with its required members only, in the order that its thumbprint
  // (RFC 7638) is made of.
  std::string public_jwk() const;
  // The private key as PKCS #8: for a store that nobody else may read.
  std::string to_pem() const;

 private:
  struct Handle;  // Holds what OpenSSL calls a key.
  SigningKey(std::shared_ptr<const Handle> handle, SignatureAlgorithm algorithm);

  std::shared_ptr<const Handle> handle_;  // Owned by every copy; the key itself never changes.
  SignatureAlgorithm algorithm_;
};

// Whether `signature` was made of `bytes` by the private half of a key as `public_jwk` writes it. For tests
// and for whoever checks what others signed.
bool verify_es256(std::string_view public_jwk_x, std::string_view public_jwk_y, std::string_view bytes,
                  std::string_view signature);

}  // namespace sluice::crypto
