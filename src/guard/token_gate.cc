#include "sluice/guard/token_gate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"

namespace sluice::guard {
namespace {

constexpr std::size_t kSecretBytesMin = 16;
constexpr std::size_t kAuthorizationBytesMax = 8 * 1024;

Error refused(std::string_view why) {
  return unauthenticated(why)
      .with_code("unauthenticated")
      .with_hint("Send Authorization: Bearer <token> with a token of this server.");
}

}  // namespace

Result<std::shared_ptr<TokenGate>> TokenGate::create(const std::vector<Token>& tokens) {
  auto gate = std::make_shared<TokenGate>();
  for (const Token& token : tokens) {
    if (token.name.empty()) return invalid_input("a token needs a name");
    if (token.secret.size() < kSecretBytesMin) {
      return invalid_input(fmt::format("the secret of a token needs at least {} characters: {}",
                                       kSecretBytesMin, token.name))
          .with_code("weak_token");
    }
    Entry entry{.principal = Principal{.id = "token:" + token.name}, .digest = crypto::sha256(token.secret)};
    const bool twice = std::any_of(gate->entries_.begin(), gate->entries_.end(), [&](const Entry& other) {
      return other.principal == entry.principal || other.digest == entry.digest;
    });
    if (twice) return invalid_input(fmt::format("a name or secret of a token stands twice: {}", token.name));
    gate->entries_.push_back(std::move(entry));
  }
  return gate;
}

Result<Principal> TokenGate::authenticate(std::string_view authorization) {
  if (entries_.empty()) return local_principal();
  if (authorization.empty()) return refused("no bearer token");
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() > kAuthorizationBytesMax ||
      !equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return refused("Authorization is not a bearer token");
  }
  const std::string digest = crypto::sha256(trim_spaces(authorization.substr(kScheme.size())));
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {  // All of them, whichever matches: the time tells nothing.
    if (crypto::equal_in_constant_time(entry.digest, digest)) found = &entry;
  }
  if (found == nullptr) return refused("unknown bearer token");
  return found->principal;
}

Status TokenGate::allow(const Principal& /*principal*/, std::string_view /*method*/,
                        std::string_view /*target*/) {
  return {};
}

}  // namespace sluice::guard
