#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/crypto/verification_key.h"

namespace sluice::guard {

inline constexpr std::size_t kKeySetBytesMax = 256 * 1024;
inline constexpr std::size_t kKeySetKeysMax = 64;

// A public key of an issuer.
struct IssuerKey {
  std::optional<std::string> id;                  // `kid`
  std::optional<crypto::JwsAlgorithm> algorithm;  // `alg`; nullopt: any that fits.
  crypto::VerificationKey key;
  // Set once the issuer does not list the key any more. Shared with what remembers verified tokens.
  std::shared_ptr<std::atomic<bool>> removed;
};

// The JSON Web Key Set (RFC 7517) of one issuer. Immutable; any thread.
class KeySet {
 public:
  // Keys that cannot verify signatures are left out. Fails if the text is no key set or has too many keys.
  static Result<KeySet> parse(std::string_view json);

  struct Found {
    const IssuerKey* key = nullptr;  // Null: none, or more than one.
    bool is_unknown = false;         // No key has this id: the set may be out of date.
  };
  // The key with this id that fits the algorithm; without an id the only one that fits.
  Found find(const std::optional<std::string>& id, crypto::JwsAlgorithm algorithm) const;

  // Keys of `before` that are in this set stay the same for what remembers them; the others are removed.
  void replace(const KeySet& before);
  // No key is good any more.
  void retire() const;

  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<IssuerKey> keys_;
};

}  // namespace sluice::guard
