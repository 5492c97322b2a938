#include "sluice/crypto/random.h"

#include <cstdlib>

#include <openssl/rand.h>

#include "sluice/base/assert.h"
#include "sluice/base/base64.h"
#include "sluice/base/log.h"

namespace sluice::crypto {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1) {
    log::error("random.unavailable");
    std::abort();
  }
  return bytes;
}

std::string random_token(std::size_t bits) {
  SLUICE_ASSERT(bits % 8 == 0, "callers pass constants that are whole bytes");
  return base64url_encode(random_bytes(bits / 8));
}

}  // namespace sluice::crypto
