#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::crypto {

// The signature algorithms of JOSE that are verified. There is no "none" and no HMAC: a caller cannot choose
// what this type cannot express.
enum class JwsAlgorithm : std::uint8_t {
  kRs256,
  kRs384,
  kRs512,
  kPs256,
  kPs384,
  kPs512,
  kEs256,
  kEs384,
  kEdDsa
};
std::optional<JwsAlgorithm> parse_jws_algorithm(std::string_view name);  // Case matters: "RS256".
std::string_view to_string(JwsAlgorithm algorithm);

enum class EcCurve : std::uint8_t { kP256, kP384 };

// Numbers are big-endian bytes, as JSON Web Keys hold them once base64url is decoded.
struct RsaNumbers {
  std::string_view modulus;
  std::string_view exponent;
};
struct EcPoint {
  EcCurve curve = EcCurve::kP256;
  std::string_view x;
  std::string_view y;
};

// The public half of somebody else's signing key. Copies share one key. Any thread.
class VerificationKey {
 public:
  // 2048 to 8192 bits with an odd exponent of at most 64 bits. invalid_key for everything else.
  static Result<VerificationKey> rsa(const RsaNumbers& numbers);
  // A point on the curve, both coordinates at their full length.
  static Result<VerificationKey> ec(const EcPoint& point);
  static Result<VerificationKey> ed25519(std::string_view point);  // 32 bytes

  // Whether signatures of this algorithm are made by keys of this type and curve.
  bool fits(JwsAlgorithm algorithm) const;
  // Whether `signature` was made of `bytes`. ECDSA signatures are the two numbers at their full length, PSS
  // uses a salt as long as the digest. False if the algorithm does not fit.
  bool verify(JwsAlgorithm algorithm, std::string_view bytes, std::string_view signature) const;
  // The same for equal keys only: SHA-256 of the public numbers.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  enum class Type : std::uint8_t { kRsa, kP256, kP384, kEd25519 };
  struct Handle;  // Holds what OpenSSL calls a key.
  VerificationKey(std::shared_ptr<const Handle> handle, Type type, std::string fingerprint);

  std::shared_ptr<const Handle> handle_;  // Owned by every copy; the key itself never changes.
  Type type_;
  std::string fingerprint_;
};

}  // namespace sluice::crypto
