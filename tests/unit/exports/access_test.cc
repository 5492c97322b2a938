#include "access.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::exports {
namespace {

// Lets ada read, and nobody else do anything.
class GateOfAda final : public catalog::Gate {
 public:
  void authenticate(const catalog::Credentials& /*credentials*/, AdmissionDone done) override {
    done(Admitted{.principal = local_principal()});
  }
  std::optional<Refusal> allow(const catalog::Caller& caller,
                               const std::vector<catalog::Operation>& operations) override {
    asked.emplace_back(operations.front().method);
    if (caller.principal.id == "token:ada") return std::nullopt;
    return Refusal{.error = forbidden("not ada").with_code("access_denied"), .challenge = "Bearer"};
  }

  std::vector<std::string> asked;
};

constexpr catalog::Operation kRead{.method = "download", .target = "handle"};

TEST(Access, AsksTheGateForEveryRequestAndEveryLink) {
  GateOfAda gate;
  protocol::Inbound inbound;
  inbound.principal.id = "token:ada";
  const Access::Decision own = Access::of_request(inbound, kRead, &gate);
  ASSERT_TRUE(std::holds_alternative<Access>(own));
  EXPECT_EQ(std::get<Access>(own).principal().id, "token:ada");
  EXPECT_TRUE(std::holds_alternative<Access>(Access::of_link(Principal{.id = "token:ada"}, kRead, &gate)));

  inbound.principal.id = "token:bob";
  const Access::Decision other = Access::of_request(inbound, kRead, &gate);
  ASSERT_TRUE(std::holds_alternative<Refusal>(other));
  EXPECT_EQ(std::get<Refusal>(other).error.code, "access_denied");
  EXPECT_TRUE(std::holds_alternative<Refusal>(Access::of_link(Principal{.id = "token:bob"}, kRead, &gate)));
  EXPECT_EQ(gate.asked, (std::vector<std::string>{"download", "download", "download", "download"}));
}

TEST(Access, IsRefusedToARequestWithoutCredentials) {
  protocol::Inbound inbound;
  inbound.principal.id = "";
  const Access::Decision decision = Access::of_request(inbound, kRead, nullptr);
  ASSERT_TRUE(std::holds_alternative<Refusal>(decision));
  EXPECT_EQ(std::get<Refusal>(decision).error.kind, ErrorKind::kUnauthenticated);
  inbound.principal = local_principal();
  EXPECT_TRUE(std::holds_alternative<Access>(Access::of_request(inbound, kRead, nullptr)));
}

}  // namespace
}  // namespace sluice::exports
