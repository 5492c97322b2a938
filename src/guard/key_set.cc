#include "sluice/guard/key_set.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/json/reader.h"
#include "sluice/json/value.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kKeySetDepthMax = 16;
constexpr std::size_t kKeySetValuesMax = 8'192;

const std::string* text_member(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value == nullptr ? nullptr : value->if_string();
}

std::string bytes_member(const json::Value& object, std::string_view name) {
  const std::string* text = text_member(object, name);
  return text == nullptr ? std::string() : base64url_decode(*text).value_or("");
}

// Whether the key is meant for checking signatures. What is absent says nothing.
bool is_for_verifying(const json::Value& jwk) {
  if (const json::Value* use = jwk.find("use")) {
    if (use->if_string() == nullptr || *use->if_string() != "sig") return false;
  }
  const json::Value* operations = jwk.find("key_ops");
  if (operations == nullptr) return true;
  const json::Array* list = operations->if_array();
  return list != nullptr && std::any_of(list->begin(), list->end(), [](const json::Value& each) {
           return each.if_string() != nullptr && *each.if_string() == "verify";
         });
}

Result<crypto::VerificationKey> verification_key_of(const json::Value& jwk) {
  const std::string* type = text_member(jwk, "kty");
  const std::string* curve = text_member(jwk, "crv");
  const std::string x = bytes_member(jwk, "x");
  const std::string y = bytes_member(jwk, "y");
  if (type != nullptr && *type == "RSA") {
    const std::string modulus = bytes_member(jwk, "n");
    const std::string exponent = bytes_member(jwk, "e");
    return crypto::VerificationKey::rsa({.modulus = modulus, .exponent = exponent});
  }
  if (type != nullptr && curve != nullptr && *type == "EC" && (*curve == "P-256" || *curve == "P-384")) {
    const crypto::EcCurve known = *curve == "P-256" ? crypto::EcCurve::kP256 : crypto::EcCurve::kP384;
    return crypto::VerificationKey::ec({.curve = known, .x = x, .y = y});
  }
  if (type != nullptr && curve != nullptr && *type == "OKP" && *curve == "Ed25519")
    return crypto::VerificationKey::ed25519(x);
  return invalid_input("a key of a type that is not used").with_code("invalid_key");
}

std::optional<IssuerKey> usable_key(const json::Value& jwk) {
  if (!jwk.is_object() || !is_for_verifying(jwk)) return std::nullopt;
  Result<crypto::VerificationKey> key = verification_key_of(jwk);
  if (!key.ok()) return std::nullopt;
  std::optional<crypto::JwsAlgorithm> algorithm;
  if (const json::Value* named = jwk.find("alg")) {
    const std::string* text = named->if_string();
    algorithm = text == nullptr ? std::nullopt : crypto::parse_jws_algorithm(*text);
    if (!algorithm || !key->fits(*algorithm)) return std::nullopt;
  }
  std::optional<std::string> id;
  if (const json::Value* kid = jwk.find("kid")) {
    if (kid->if_string() == nullptr) return std::nullopt;
    id = *kid->if_string();
  }
  return IssuerKey{.id = std::move(id),
                   .algorithm = algorithm,
                   .key = *std::move(key),
                   .removed = std::make_shared<std::atomic<bool>>(false)};
}

bool is_same_key(const IssuerKey& a, const IssuerKey& b) {
  return a.id == b.id && a.algorithm == b.algorithm && a.key.fingerprint() == b.key.fingerprint();
}

}  // namespace

Result<KeySet> KeySet::parse(std::string_view json) {
  const auto refused = [](std::string_view why) {
    return unavailable(fmt::format("read a key set: {}", why)).with_code("invalid_key_set");
  };
  const Result<json::Value> document = json::read(
      json, {.bytes_max = kKeySetBytesMax, .depth_max = kKeySetDepthMax, .values_max = kKeySetValuesMax});
  if (!document.ok()) return refused("it is not JSON");
  const json::Value* list = document->find("keys");
  const json::Array* keys = list == nullptr ? nullptr : list->if_array();
  if (keys == nullptr) return refused("it has no list `keys`");
  if (keys->size() > kKeySetKeysMax) return refused(fmt::format("it has more than {} keys", kKeySetKeysMax));
  KeySet set;
  for (const json::Value& jwk : *keys) {
    if (std::optional<IssuerKey> key = usable_key(jwk)) set.keys_.push_back(*std::move(key));
  }
  return set;
}

KeySet::Found KeySet::find(const std::optional<std::string>& id, crypto::JwsAlgorithm algorithm) const {
  Found found;
  found.is_unknown = id.has_value();
  bool is_ambiguous = false;
  for (const IssuerKey& each : keys_) {
    if (id && each.id != id) continue;
    found.is_unknown = false;
    if (!each.key.fits(algorithm) || each.algorithm.value_or(algorithm) != algorithm) continue;
    is_ambiguous = found.key != nullptr;
    if (is_ambiguous) break;
    found.key = &each;
  }
  if (is_ambiguous) found.key = nullptr;
  return found;
}

void KeySet::replace(const KeySet& before) {
  for (const IssuerKey& old : before.keys_) {
    const auto same = std::find_if(keys_.begin(), keys_.end(),
                                   [&](const IssuerKey& each) { return is_same_key(each, old); });
    if (same == keys_.end()) {
      *old.removed = true;
    } else {
      same->removed = old.removed;
    }
  }
}

void KeySet::retire() const {
  for (const IssuerKey& each : keys_) *each.removed = true;
}

}  // namespace sluice::guard
