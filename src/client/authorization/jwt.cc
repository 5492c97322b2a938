#include "authorization/jwt.h"

#include "sluice/base/base64.h"

namespace sluice::client {

std::string make_jwt(json::Object header, const json::Object& claims, const crypto::SigningKey& key) {
  header.set("alg", crypto::to_string(key.algorithm()));
  std::string out = base64url_encode(json::to_text(header)) + "." + base64url_encode(json::to_text(claims));
  const std::string signature = key.sign(out);
  return out + "." + base64url_encode(signature);
}

}  // namespace sluice::client
