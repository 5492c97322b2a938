#include "sign_in.h"

#include <algorithm>

#include "sluice/base/log.h"
#include "sluice/crypto/digest.h"
#include "sluice/crypto/random.h"

namespace sluice::console {

namespace {

constexpr std::string_view kTokenPrefix = "sluice-console-";
constexpr std::size_t kKeyBits = 128;
constexpr std::size_t kTokenBits = 256;
constexpr std::chrono::minutes kKeyLifetime{2};
constexpr std::size_t kKeysMax = 64;
constexpr std::size_t kTokensMax = 64;

// Looks at all of them, whichever matches: the time tells nothing.
template <typename Entries>
auto find_digest(Entries& entries, std::string_view digest) {
  auto found = entries.end();
  for (auto one = entries.begin(); one != entries.end(); ++one) {
    if (crypto::equal_in_constant_time(one->digest, digest)) found = one;
  }
  return found;
}

}  // namespace

bool SignInBook::is_token(std::string_view text) { return text.starts_with(kTokenPrefix); }

void SignInBook::forget_old(Monotonic now) {
  std::erase_if(keys_, [&](const Key& key) { return key.expires <= now; });
  std::erase_if(tokens_, [&](const Token& token) { return token.expires <= now; });
}

std::string SignInBook::new_key() {
  std::string key = crypto::random_token(kKeyBits);
  const Monotonic now = clock_.now();
  const MutexLock lock(mutex_);
  forget_old(now);
  if (keys_.size() == kKeysMax) keys_.pop_front();
  keys_.push_back({.digest = crypto::sha256(key), .expires = now + kKeyLifetime, .token_digest = {}});
  return key;
}

std::optional<std::string> SignInBook::redeem(std::string_view key) {
  const std::string digest = crypto::sha256(key);
  std::string token = std::string(kTokenPrefix) + crypto::random_token(kTokenBits);
  const Monotonic now = clock_.now();
  const MutexLock lock(mutex_);
  forget_old(now);
  const auto found = find_digest(keys_, digest);
  if (found == keys_.end()) return std::nullopt;
  if (!found->token_digest.empty()) {
    std::erase_if(tokens_, [&](const Token& one) { return one.digest == found->token_digest; });
    log::warning("console.key_reused");
    return std::nullopt;
  }
  found->token_digest = crypto::sha256(token);
  if (tokens_.size() == kTokensMax) tokens_.pop_front();
  tokens_.push_back({.digest = found->token_digest, .expires = now + idle_});
  return token;
}

bool SignInBook::knows(std::string_view token) {
  if (!is_token(token)) return false;
  const std::string digest = crypto::sha256(token);
  const Monotonic now = clock_.now();
  const MutexLock lock(mutex_);
  forget_old(now);
  const auto found = find_digest(tokens_, digest);
  if (found == tokens_.end()) return false;
  found->expires = now + idle_;
  tokens_.splice(tokens_.end(), tokens_, found);
  return true;
}

void SignInBook::sign_out(std::string_view token) {
  const std::string digest = crypto::sha256(token);
  const MutexLock lock(mutex_);
  if (const auto found = find_digest(tokens_, digest); found != tokens_.end()) tokens_.erase(found);
}

}  // namespace sluice::console
