#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::crypto {

// Makes tokens that a client may carry and cannot change. The payload is readable by whoever holds the token.
// `purpose` separates uses of one key: a cursor is never accepted as a request state. Any thread.
class Signer {
 public:
  // `key`: at least 32 random bytes; replicas that serve each other's tokens share it.
  explicit Signer(std::string key);
  static Signer with_random_key();

  std::string sign(std::string_view purpose, std::string_view payload) const;
  // The payload, or nothing where the token is not ours, was changed, or was made for another purpose.
  std::optional<std::string> verify(std::string_view purpose, std::string_view token) const;

 private:
  std::string mac(std::string_view purpose, std::string_view payload) const;

  std::string key_;
};

}  // namespace sluice::crypto
