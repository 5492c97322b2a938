#include "sluice/crypto/digest.h"

#include <cstdlib>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "openssl_bytes.h"

namespace sluice::crypto {
namespace {

constexpr std::size_t kSha256Bytes = 32;

}  // namespace

std::string sha256(std::string_view bytes) {
  std::string digest(kSha256Bytes, '\0');
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), bytes_of(digest), &length, EVP_sha256(), nullptr) != 1)
    std::abort();
  return digest;
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string mac(kSha256Bytes, '\0');
  unsigned int length = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(bytes), bytes.size(),
           bytes_of(mac), &length) == nullptr) {
    std::abort();
  }
  return mac;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace sluice::crypto
