#include "sluice/crypto/signer.h"

#include <utility>

#include "sluice/base/assert.h"
#include "sluice/base/base64.h"
#include "sluice/crypto/digest.h"
#include "sluice/crypto/random.h"

namespace sluice::crypto {
namespace {

constexpr std::size_t kKeyBytesMin = 32;
constexpr std::size_t kMacBytes = 16;  // 128 bits: nobody can search for a forgery offline.

}  // namespace

Signer::Signer(std::string key) : key_(std::move(key)) {
  SLUICE_ASSERT(key_.size() >= kKeyBytesMin, "a key that is shorter can be guessed");
}

Signer Signer::with_random_key() { return Signer(random_bytes(kKeyBytesMin)); }

std::string Signer::mac(std::string_view purpose, std::string_view payload) const {
  std::string signed_text(purpose);
  signed_text.push_back('\0');  // So that purpose "a" with payload "bc" differs from "ab" with "c".
  signed_text.append(payload);
  return hmac_sha256(key_, signed_text).substr(0, kMacBytes);
}

std::string Signer::sign(std::string_view purpose, std::string_view payload) const {
  return base64url_encode(mac(purpose, payload) + std::string(payload));
}

std::optional<std::string> Signer::verify(std::string_view purpose, std::string_view token) const {
  const std::optional<std::string> bytes = base64url_decode(token);
  if (!bytes || bytes->size() < kMacBytes) return std::nullopt;
  std::string payload = bytes->substr(kMacBytes);
  if (!equal_in_constant_time(std::string_view(*bytes).substr(0, kMacBytes), mac(purpose, payload)))
    return std::nullopt;
  return payload;
}

}  // namespace sluice::crypto
