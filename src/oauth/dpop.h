#pragma once

#include <map>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/crypto/signing_key.h"
#include "sluice/fetch/url.h"

namespace sluice::oauth {

// Proves the possession of a key with each request (RFC 9449). Any thread.
class DpopProver {
 public:
  // `clock` must outlive it.
  DpopProver(crypto::SigningKey key, const Clock& clock) : key_(std::move(key)), clock_(clock) {}

  // A new proof for one request. `access_token` is empty at a token endpoint.
  std::string proof(const std::string& method, const fetch::Url& url, const std::string& access_token);

  // Remembers what an origin wants to see in the next proof. False: that is what it has seen.
  bool set_nonce(const std::string& origin, const std::string& nonce);

  std::string key_pem() const { return key_.to_pem(); }

 private:
  const crypto::SigningKey key_;
  const Clock& clock_;
  Mutex mutex_;
  std::map<std::string, std::string> nonces_
      SLUICE_GUARDED_BY(mutex_);  // By origin: a nonce is one server's.
};

}  // namespace sluice::oauth
