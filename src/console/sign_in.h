#pragma once

#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

namespace sluice::console {

// Keys that work once, and the tokens that were given for them. Only digests are kept. Any thread.
class SignInBook {
 public:
  // `clock` must outlive it.
  SignInBook(const Clock& clock, std::chrono::seconds idle) : clock_(clock), idle_(idle) {}

  std::string new_key() SLUICE_EXCLUDES(mutex_);
  // A token for a key. Nothing: the key is not known, too old, or was used before; then the token of its
  // first use ends, too, because somebody else may have it.
  std::optional<std::string> redeem(std::string_view key) SLUICE_EXCLUDES(mutex_);
  // Whether the token is good; keeps it so for another while.
  bool knows(std::string_view token) SLUICE_EXCLUDES(mutex_);
  void sign_out(std::string_view token) SLUICE_EXCLUDES(mutex_);

  // Whether a text has the form of a token, known or not.
  static bool is_token(std::string_view text);

 private:
  struct Key {
    std::string digest;
    Monotonic expires;
    std::string token_digest;  // Of the token that it was used for; empty: it was not used.
  };
  struct Token {
    std::string digest;
    Monotonic expires;
  };

  void forget_old(Monotonic now) SLUICE_REQUIRES(mutex_);

  const Clock& clock_;
  const std::chrono::seconds idle_;
  Mutex mutex_;
  std::list<Key> keys_ SLUICE_GUARDED_BY(mutex_);      // The oldest first.
  std::list<Token> tokens_ SLUICE_GUARDED_BY(mutex_);  // The least recently used first.
};

}  // namespace sluice::console
