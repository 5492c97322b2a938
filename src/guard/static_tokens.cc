#include "sluice/guard/static_tokens.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/crypto/digest.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kSecretBytesMin = 16;

}  // namespace

Result<StaticTokens> StaticTokens::create(const std::vector<Token>& tokens) {
  StaticTokens out;
  for (const Token& token : tokens) {
    if (token.name.empty()) return invalid_input("a token needs a name");
    if (token.secret.size() < kSecretBytesMin) {
      return invalid_input(fmt::format("the secret of a token needs at least {} characters: {}",
                                       kSecretBytesMin, token.name))
          .with_code("weak_token");
    }
    Entry entry{.principal = Principal{.id = "token:" + token.name}, .digest = crypto::sha256(token.secret)};
    const bool twice = std::any_of(out.entries_.begin(), out.entries_.end(), [&](const Entry& other) {
      return other.principal == entry.principal || other.digest == entry.digest;
    });
    if (twice) return invalid_input(fmt::format("a name or secret of a token occurs twice: {}", token.name));
    out.entries_.push_back(std::move(entry));
  }
  return out;
}

const Principal* StaticTokens::find(std::string_view digest) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {  // All of them, whichever matches: the time tells nothing.
    if (crypto::equal_in_constant_time(entry.digest, digest)) found = &entry;
  }
  return found == nullptr ? nullptr : &found->principal;
}

}  // namespace sluice::guard
