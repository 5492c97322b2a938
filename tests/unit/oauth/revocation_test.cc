// What an authorization server is told where tokens are given up, and what happens to those who still have
// them.

#include "sluice/oauth/revocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace sluice::oauth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class Revoked : public ::testing::Test {
 protected:
  Revoked() {
    world_.serve_metadata({{"revocation_endpoint", '"' + world_.server.origin() + "/revoke\""}});
    world_.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-a")");
    answer(200, "");
  }

  void answer(int status, const std::string& text) {
    world_.server.on("/revoke", [status, text](const SeenRequest&, Answer& answer) {
      answer.reply(status, {{"Content-Type", "application/json"}}, text);
    });
  }
  StoredGrant obtain(const OAuthOptions& options) {
    EXPECT_TRUE(world_.authorizer(options)->challenged(world_.refusal(), {}).value());
    return world_.tokens->all().value().back();
  }
  StoredGrant obtain() { return obtain(world_.options()); }
  RevocationOptions options() const {
    RevocationOptions out;
    out.policy.allow_private = true;
    out.clock = &world_.time;
    return out;
  }
  std::vector<Fields> told() const {
    std::vector<Fields> out;
    for (const SeenRequest& request : world_.server.seen("/revoke")) out.push_back(fields_of(request.body));
    return out;
  }

  World world_;
};

TEST_F(Revoked, TheRefreshTokenFirstByTheClientThatObtainedIt) {
  ASSERT_TRUE(revoke_grant(obtain(), options()).ok());
  ASSERT_THAT(told(), SizeIs(2));
  EXPECT_EQ(
      told()[0],
      (Fields{{"token", "refresh-a"}, {"token_type_hint", "refresh_token"}, {"client_id", "registered"}}));
  EXPECT_EQ(told()[1],
            (Fields{{"token", "token-1"}, {"token_type_hint", "access_token"}, {"client_id", "registered"}}));
}

TEST_F(Revoked, OfAnAccountAsWell) {
  OAuthOptions work = world_.options();
  work.account = "work";
  ASSERT_TRUE(revoke_grant(obtain(work), options()).ok());
  EXPECT_THAT(told(), SizeIs(2));
}

TEST_F(Revoked, SaysWhatTheServerSaysInWordsOfTheStandards) {
  const StoredGrant grant = obtain();
  answer(400, R"({"error":"invalid_client"})");
  const Status refused = revoke_grant(grant, options());
  EXPECT_EQ(refused.error().code, "oauth_revocation_refused");
  EXPECT_THAT(refused.error().message, HasSubstr("invalid_client"));
  answer(503, R"({"error":"refresh-a token-1"})");
  const Status echoed = revoke_grant(grant, options());
  EXPECT_EQ(echoed.error().code, "oauth_revocation_refused");
  EXPECT_THAT(echoed.error().message, Not(HasSubstr("refresh-a")));
  EXPECT_THAT(echoed.error().message, Not(HasSubstr("token-1")));
}

TEST_F(Revoked, IsContentWhereAServerEndsRefreshTokensOnly) {
  const StoredGrant grant = obtain();
  world_.server.on("/revoke", [](const SeenRequest& request, Answer& answer) {
    const bool is_refresh = fields_of(request.body).at("token_type_hint") == "refresh_token";
    answer.reply(is_refresh ? 200 : 400, {{"Content-Type", "application/json"}},
                 R"({"error":"unsupported_token_type"})");
  });
  EXPECT_TRUE(revoke_grant(grant, options()).ok());
}

TEST_F(Revoked, TokensGoToTheServerThatIssuedThemOnly) {
  const StoredGrant grant = obtain();
  ScriptedServer other;
  // Nowhere to go.
  world_.serve_metadata();
  EXPECT_EQ(revoke_grant(grant, options()).error().code, "oauth_revocation_unsupported");
  // The issuer has become another server.
  world_.serve_metadata({{"revocation_endpoint", '"' + other.origin() + "/revoke\""},
                         {"token_endpoint", '"' + other.origin() + "/token\""}});
  EXPECT_EQ(revoke_grant(grant, options()).error().code, "oauth_revocation_unsupported");
  // Its metadata is somebody else's.
  world_.serve_metadata({{"issuer", "\"https://other.example.org\""},
                         {"revocation_endpoint", '"' + other.origin() + "/revoke\""}});
  EXPECT_EQ(revoke_grant(grant, options()).error().code, "oauth_issuer_mismatch");
  // An endpoint that is neither https nor on this machine is none.
  world_.serve_metadata({{"revocation_endpoint", "\"http://other.example.org/revoke\""}});
  EXPECT_EQ(revoke_grant(grant, options()).error().code, "oauth_revocation_unsupported");
  EXPECT_THAT(other.seen(), IsEmpty());
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Revoked, ASecretIsShownToItsIssuerOnly) {
  world_.serve_metadata({{"revocation_endpoint", '"' + world_.server.origin() + "/revoke\""},
                         {"token_endpoint_auth_methods_supported", R"(["client_secret_post"])"}});
  OAuthOptions confidential = world_.options();
  confidential.client = OAuthClient{.issuer = world_.server.origin(), .id = "known", .secret = "the-secret"};
  const StoredGrant grant = obtain(confidential);
  RevocationOptions with_secret = options();
  with_secret.client = confidential.client;
  ASSERT_TRUE(revoke_grant(grant, with_secret).ok());
  EXPECT_EQ(told().at(0).at("client_secret"), "the-secret");
  with_secret.client->issuer = "https://other.example.org";
  ASSERT_TRUE(revoke_grant(grant, with_secret).ok());
  for (std::size_t i = 2; i < told().size(); ++i) EXPECT_EQ(told()[i].count("client_secret"), 0U) << i;
}

TEST_F(Revoked, ARefusedAddressIsNotAsked) {
  const StoredGrant grant = obtain();
  RevocationOptions careful = options();
  careful.policy.allow_private = false;
  EXPECT_EQ(revoke_grant(grant, careful).error().code, "address_refused");
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Revoked, WhatWasRemovedIsNotRenewedByWhoStillHasIt) {
  const std::unique_ptr<Authorizer> server = world_.authorizer();
  ASSERT_TRUE(server->challenged(world_.refusal(), {}).value());
  const StoredGrant grant = world_.tokens->all().value().back();
  ASSERT_TRUE(world_.tokens->remove(grant.issuer, grant.resource).ok());
  EXPECT_EQ(world_.authorization(*server), "Bearer token-1") << "until it ends";
  world_.user.is_absent = true;
  world_.time.advance(std::chrono::seconds(101));
  EXPECT_EQ(world_.authorization(*server), "");
  EXPECT_EQ(code_of(server->challenged(world_.refusal(), {})), "user_absent");
  EXPECT_THAT(world_.token_requests(), SizeIs(1));
  EXPECT_THAT(world_.tokens->all().value(), IsEmpty());
}

}  // namespace
}  // namespace sluice::oauth::testing
