#include "sluice/guard/token_gate.h"

#include <gmock/gmock.h>

namespace sluice::guard {
namespace {

std::shared_ptr<TokenGate> gate_with_two() {
  return TokenGate::create({{.name = "alice", .secret = "alice-secret-0123"},
                            {.name = "bob", .secret = "bob-secret-0123456"}})
      .value();
}

TEST(TokenGate, GivesEachTokenItsPrincipal) {
  EXPECT_EQ(gate_with_two()->authenticate("Bearer alice-secret-0123").value().id, "token:alice");
  EXPECT_EQ(gate_with_two()->authenticate("bearer bob-secret-0123456").value().id, "token:bob");
}

TEST(TokenGate, RefusesEverythingElse) {
  for (const std::string_view header :
       {"", "Bearer", "Bearer ", "Bearer alice-secret-012", "Bearer alice-secret-01234",
        "Basic alice-secret-0123", "alice-secret-0123"}) {
    const Result<Principal> principal = gate_with_two()->authenticate(header);
    ASSERT_FALSE(principal.ok()) << header;
    EXPECT_EQ(principal.error().kind, ErrorKind::kUnauthenticated);
    EXPECT_EQ(principal.error().message.find("secret"), std::string::npos);
  }
}

TEST(TokenGate, LetsEverybodyInWithoutTokens) {
  const auto gate = TokenGate::create({}).value();
  EXPECT_FALSE(gate->requires_token());
  EXPECT_EQ(gate->authenticate("").value().id, "local");
}

TEST(TokenGate, RefusesWeakAndRepeatedTokens) {
  EXPECT_EQ(TokenGate::create({{.name = "a", .secret = "short"}}).error().code, "weak_token");
  EXPECT_FALSE(TokenGate::create({{.name = "", .secret = "0123456789abcdef"}}).ok());
  EXPECT_FALSE(TokenGate::create(
                   {{.name = "a", .secret = "0123456789abcdef"}, {.name = "a", .secret = "0123456789abcdeg"}})
                   .ok());
  EXPECT_FALSE(TokenGate::create(
                   {{.name = "a", .secret = "0123456789abcdef"}, {.name = "b", .secret = "0123456789abcdef"}})
                   .ok());
}

}  // namespace
}  // namespace sluice::guard
