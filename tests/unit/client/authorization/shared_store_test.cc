// Several authorizers with one store: a server that nobody sits in front of, and the program by which a
// person agrees.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace sluice::client::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SharedTokens, WhatAPersonAgreedToElsewhereIsFoundByTheNextRefusal) {
  World world;
  const std::unique_ptr<Authorizer> server = world.authorizer();
  world.user.is_absent = true;
  EXPECT_EQ(world.authorization(*server), "");
  EXPECT_EQ(code_of(server->challenged(world.refusal(), {})), "user_absent");
  EXPECT_THAT(world.server.seen("/register"), IsEmpty()) << "no client is registered for nobody";
  world.user.is_absent = false;
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  world.user.is_absent = true;
  EXPECT_TRUE(server->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*server), "Bearer token-1");
  EXPECT_THAT(world.user.urls, SizeIs(1));
}

TEST(SharedTokens, NobodyIsNoAttempt) {
  World world;
  world.user.is_absent = true;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(code_of(authorizer->challenged(world.refusal(), {})), "user_absent");
  world.user.is_absent = false;
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
}

TEST(SharedTokens, ARefreshTokenThatAnotherHasUsedUpIsNotSentAgain) {
  World world;
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-a")");
  const std::unique_ptr<Authorizer> one = world.authorizer();
  ASSERT_TRUE(one->challenged(world.refusal(), {}).value());
  const std::unique_ptr<Authorizer> other = world.authorizer();
  ASSERT_EQ(world.authorization(*other), "Bearer token-1");
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-b")");
  world.time.advance(std::chrono::seconds(80));
  ASSERT_EQ(world.authorization(*other), "Bearer token-2");
  world.time.advance(std::chrono::seconds(90));  // What the other one got is about to end as well.
  EXPECT_EQ(world.authorization(*one), "Bearer token-3");
  EXPECT_EQ(world.token_requests().at(2).at("refresh_token"), "refresh-b");
}

// The key of a token that was stored anew comes with it.
TEST(SharedTokens, TokensOfAnotherKeyAreUsedWithThatKey) {
  World world;
  world.serve_metadata({{"dpop_signing_alg_values_supported", R"(["ES256"])"}});
  world.server.on("/token", [](const SeenRequest&, Answer& answer) {
    answer.json(R"({"access_token":"bound","token_type":"DPoP"})");
  });
  const std::unique_ptr<Authorizer> server = world.authorizer();
  ASSERT_TRUE(server->challenged(world.refusal(), {}).value());
  ASSERT_TRUE(world.tokens->remove(world.server.origin(), world.mcp()).ok());
  world.server.on("/token", [](const SeenRequest&, Answer& answer) {
    answer.json(R"({"access_token":"bound-anew","token_type":"DPoP"})");
  });
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  EXPECT_TRUE(server->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*server), "DPoP bound-anew");
  const std::vector<Header> mine = server->headers({.method = "POST", .url = world.mcp()}, {}).value();
  const std::unique_ptr<Authorizer> third = world.authorizer();
  const std::vector<Header> theirs = third->headers({.method = "POST", .url = world.mcp()}, {}).value();
  ASSERT_THAT(mine, SizeIs(2));
  ASSERT_THAT(theirs, SizeIs(2));
  const auto head = [](const std::string& proof) { return proof.substr(0, proof.find('.')); };
  EXPECT_EQ(head(mine[1].second), head(theirs[1].second)) << "the header of a proof holds the key";
}

TEST(SharedTokens, V15_AccountsAndClientsAreKeptApart) {
  World world;
  OAuthOptions work = world.options();
  work.account = "work";
  ASSERT_TRUE(world.authorizer(work)->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*world.authorizer(work)), "Bearer token-1");
  EXPECT_EQ(world.authorization(*world.authorizer()), "");
  OAuthOptions configured = work;
  configured.client.emplace();
  configured.client->id = "another";
  EXPECT_EQ(world.authorization(*world.authorizer(configured)), "") << "obtained by another client";
}

TEST(SharedTokens, V15_OnlyTheConfiguredIssuerIsUsed) {
  World world;
  OAuthOptions pinned = world.options();
  pinned.issuer = world.server.origin();
  ASSERT_TRUE(world.authorizer(pinned)->challenged(world.refusal(), {}).value());
  World other;
  OAuthOptions moved = world.options();
  moved.issuer = other.server.origin();
  const std::unique_ptr<Authorizer> authorizer = world.authorizer(moved);
  EXPECT_EQ(world.authorization(*authorizer), "") << "what another issuer gave is not used";
  EXPECT_EQ(code_of(authorizer->challenged(world.refusal(), {})), "oauth_issuer_refused");
  EXPECT_THAT(other.server.seen(), IsEmpty());
  EXPECT_THAT(world.user.urls, SizeIs(1));
}

TEST(SharedTokens, TheStoreTellsThatItHasChanged) {
  const std::unique_ptr<TokenStore> store = make_memory_token_store();
  const std::string before = store->version();
  StoredGrant grant;
  grant.issuer = "https://a";
  grant.resource = "https://b";
  ASSERT_TRUE(store->save(grant).ok());
  const std::string after = store->version();
  EXPECT_NE(before, after);
  EXPECT_EQ(store->version(), after);
}

}  // namespace
}  // namespace sluice::client::testing
