#include "dpop.h"

#include <algorithm>

#include "sluice/base/base64.h"
#include "sluice/crypto/digest.h"
#include "sluice/crypto/random.h"
#include "sluice/json/reader.h"

#include "jwt.h"

namespace sluice::oauth {

namespace {

constexpr std::size_t kNonceBytesMax = 1'024;
constexpr std::size_t kOriginsMax = 16;  // The resource and its servers; more would be somebody's game.

std::int64_t unix_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

bool is_nonce(const std::string& text) {
  return !text.empty() && text.size() <= kNonceBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

std::string DpopProver::proof(const std::string& method, const fetch::Url& url,
                              const std::string& access_token) {
  json::Object claims;
  claims.set("jti", crypto::random_token());
  claims.set("htm", method);
  claims.set("htu", url.origin() + url.path());  // Without its query: RFC 9449, section 4.2.
  claims.set("iat", unix_seconds(clock_.wall()));
  if (!access_token.empty()) claims.set("ath", base64url_encode(crypto::sha256(access_token)));
  {
    const MutexLock lock(mutex_);
    if (const auto found = nonces_.find(url.origin()); found != nonces_.end())
      claims.set("nonce", found->second);
  }
  json::Object header;
  header.set("typ", "dpop+jwt");
  header.set("jwk", json::read(key_.public_jwk()).value());  // Our own text.
  return make_jwt(std::move(header), claims, key_);
}

bool DpopProver::set_nonce(const std::string& origin, const std::string& nonce) {
  if (!is_nonce(nonce)) return false;
  const MutexLock lock(mutex_);
  if (nonces_.size() >= kOriginsMax && !nonces_.contains(origin)) nonces_.clear();
  std::string& known = nonces_[origin];
  if (known == nonce) return false;
  known = nonce;
  return true;
}

}  // namespace sluice::oauth
