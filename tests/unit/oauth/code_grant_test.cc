#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/base64.h"
#include "sluice/crypto/digest.h"

#include "world.h"

namespace sluice::oauth::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string in_quotes(const std::string& text) { return "\"" + text + "\""; }

TEST(OAuth, ObtainsATokenWithPkceResourceAndState) {
  World world;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  EXPECT_EQ(world.authorization(*authorizer), "");
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-1");

  ASSERT_THAT(world.user.urls, SizeIs(1));
  EXPECT_THAT(world.user.urls[0], ::testing::StartsWith(world.server.origin() + "/authorize?"));
  const Fields visit = query_of(world.user.urls[0]);
  EXPECT_EQ(visit.at("response_type"), "code");
  EXPECT_EQ(visit.at("client_id"), "registered");
  EXPECT_EQ(visit.at("resource"), world.mcp());
  EXPECT_EQ(visit.at("code_challenge_method"), "S256");
  EXPECT_FALSE(visit.contains("scope"));
  ASSERT_THAT(world.token_requests(), SizeIs(1));
  const Fields token = world.token_requests()[0];
  EXPECT_EQ(token.at("grant_type"), "authorization_code");
  EXPECT_EQ(token.at("code"), "the-code");
  EXPECT_EQ(token.at("resource"), world.mcp());
  EXPECT_EQ(token.at("redirect_uri"), "http://127.0.0.1:7777/callback");
  EXPECT_EQ(token.at("client_id"), "registered");
  EXPECT_EQ(base64url_encode(crypto::sha256(token.at("code_verifier"))), visit.at("code_challenge"));
}

TEST(OAuth, RegistersAsANativePublicClient) {
  World world;
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  ASSERT_THAT(world.server.seen("/register"), SizeIs(1));
  const std::string body = world.server.seen("/register")[0].body;
  EXPECT_THAT(body, HasSubstr(R"("application_type":"native")"));
  EXPECT_THAT(body, HasSubstr(R"("grant_types":["authorization_code","refresh_token"])"));
  EXPECT_THAT(body, HasSubstr(R"("token_endpoint_auth_method":"none")"));
  EXPECT_THAT(body, HasSubstr(R"("redirect_uris":["http://127.0.0.1:7777/callback"])"));
}

TEST(OAuth, UsesADocumentOfItsOwnWhereTheServerTakesIt) {
  World world;
  world.serve_metadata({{"client_id_metadata_document_supported", "true"}});
  OAuthOptions options = world.options();
  options.client_document_url = "https://client.example.org/client.json";
  ASSERT_TRUE(world.authorizer(options)->challenged(world.refusal(), {}).value());
  EXPECT_EQ(query_of(world.user.urls.at(0)).at("client_id"), "https://client.example.org/client.json");
  EXPECT_THAT(world.server.seen("/register"), IsEmpty());
}

TEST(OAuth, AuthenticatesAsTheServerWants) {
  for (const std::string method : {"client_secret_basic", "client_secret_post", "none"}) {
    World world;
    world.serve_metadata({{"token_endpoint_auth_methods_supported", "[" + in_quotes(method) + "]"}});
    OAuthOptions options = world.options();
    options.client = OAuthClient{.issuer = world.server.origin(),
                                 .id = "id",
                                 .secret = "se:cret",
                                 .private_key_pem = "",
                                 .auth_method = ""};
    ASSERT_TRUE(world.authorizer(options)->challenged(world.refusal(), {}).value());
    const SeenRequest request = world.server.seen("/token").at(0);
    const Fields form = fields_of(request.body);
    const bool is_basic = method == "client_secret_basic";
    EXPECT_EQ(request.header("authorization"), is_basic ? "Basic " + base64_encode("id:se%3Acret") : "");
    EXPECT_EQ(form.contains("client_secret"), method == "client_secret_post");
    EXPECT_EQ(form.contains("client_id"), !is_basic);
    EXPECT_THAT(world.server.seen("/register"), IsEmpty());
  }
}

TEST(OAuth, FindsMetadataWhereverItMayStand) {
  struct Case {
    std::string issuer_path;
    std::string document;
  };
  for (const Case& each : {Case{"", "/.well-known/openid-configuration"},
                           Case{"/tenant", "/.well-known/oauth-authorization-server/tenant"},
                           Case{"/tenant", "/.well-known/openid-configuration/tenant"},
                           Case{"/tenant", "/tenant/.well-known/openid-configuration"}}) {
    World world;
    world.server.remove("/.well-known/oauth-authorization-server");
    const std::string issuer = world.server.origin() + each.issuer_path;
    world.server.json(each.document, world.metadata({{"issuer", in_quotes(issuer)}}));
    world.serve_resource({{"authorization_servers", "[" + in_quotes(issuer) + "]"}});
    EXPECT_TRUE(world.authorizer()->challenged(world.refusal(), {}).ok()) << each.document;
  }
}

TEST(OAuth, FindsTheResourceAtTheRootAndWhereAChallengeSays) {
  World world;
  const std::string servers = R"("authorization_servers":[")" + world.server.origin() + R"("]})";
  world.resource.remove("/.well-known/oauth-protected-resource/mcp");
  world.resource.json("/.well-known/oauth-protected-resource",
                      R"({"resource":")" + world.resource.origin() + "\"," + servers);
  EXPECT_TRUE(world.authorizer()->challenged(world.refusal(), {}).ok());
  EXPECT_EQ(query_of(world.user.urls.at(0)).at("resource"), world.resource.origin());

  world.tokens = make_memory_token_store();
  world.resource.json("/elsewhere.json", R"({"resource":")" + world.mcp() + "\"," + servers);
  const std::string url = world.resource.origin() + "/elsewhere.json";
  EXPECT_TRUE(
      world.authorizer()->challenged(world.refusal("Bearer resource_metadata=\"" + url + "\""), {}).ok());
  EXPECT_EQ(query_of(world.user.urls.at(1)).at("resource"), world.mcp());
}

TEST(OAuth, WorksWithoutResourceMetadataAsIn2025_03_26) {
  World world;
  world.resource.remove("/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(code_of(world.authorizer()->challenged(world.refusal(), {})), "oauth_no_server");
  OAuthOptions options = world.options();
  options.may_guess_endpoints = true;
  world.resource.json("/register", R"({"client_id":"guessed"})");
  world.resource.json("/token", R"({"access_token":"old","token_type":"bearer"})");
  const std::unique_ptr<Authorizer> authorizer = world.authorizer(options);
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer old");
  EXPECT_THAT(world.user.urls.at(0), HasSubstr(world.resource.origin() + "/authorize?"));
}

TEST(OAuth, AsksForTheScopesOfTheChallengeElseForThoseOfTheResource) {
  World world;
  world.serve_resource({{"scopes_supported", R"(["a","b"])"}});
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).ok());
  EXPECT_EQ(query_of(world.user.urls.at(0)).at("scope"), "a b");
  world.tokens = make_memory_token_store();
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(R"(Bearer scope="c")"), {}).ok());
  EXPECT_EQ(query_of(world.user.urls.at(1)).at("scope"), "c");
}

TEST(OAuth, AsksForOfflineAccessOnlyWhereItIsOffered) {
  World world;
  world.serve_metadata({{"scopes_supported", R"(["a","offline_access"])"}});
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(R"(Bearer scope="a")"), {}).ok());
  EXPECT_EQ(query_of(world.user.urls.at(0)).at("scope"), "a offline_access");
}

TEST(OAuth, StepsUpToTheUnionOfScopes) {
  World world;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(R"(Bearer scope="read")"), {}).value());
  Challenge more = world.refusal(R"(Bearer error="insufficient_scope", scope="write")");
  more.status = 403;
  EXPECT_TRUE(authorizer->challenged(more, {}).value());
  EXPECT_EQ(query_of(world.user.urls.at(1)).at("scope"), "read write");
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-2");
  EXPECT_THAT(world.server.seen("/register"), SizeIs(1));  // The client is the same.
  // It has been asked for: asking again would not help.
  EXPECT_FALSE(authorizer->challenged(more, {}).value());
  EXPECT_THAT(world.user.urls, SizeIs(2));
}

TEST(OAuth, LeavesOtherRefusalsAlone) {
  World world;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  Challenge other = world.refusal(R"(Bearer error="something_else", scope="write")");
  other.status = 403;
  EXPECT_FALSE(authorizer->challenged(other, {}).value());
  EXPECT_THAT(world.user.urls, IsEmpty());
}

TEST(OAuth, RefreshesBeforeTheEndAndRotates) {
  World world;
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-a")");
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(R"(Bearer scope="a")"), {}).value());
  world.serve_tokens(R"(,"expires_in":100,"refresh_token":"refresh-b")");
  world.time.advance(std::chrono::seconds(80));
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-2");
  world.serve_tokens(R"(,"expires_in":100)");
  world.time.advance(std::chrono::seconds(80));
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-3");
  world.time.advance(std::chrono::seconds(80));
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-4");
  const std::vector<Fields> requests = world.token_requests();
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_EQ(requests[1].at("grant_type"), "refresh_token");
  EXPECT_EQ(requests[1].at("refresh_token"), "refresh-a");
  EXPECT_EQ(requests[1].at("resource"), world.mcp());
  EXPECT_EQ(requests[2].at("refresh_token"), "refresh-b");
  EXPECT_EQ(requests[3].at("refresh_token"), "refresh-b");  // The answer had no other.
  EXPECT_THAT(world.user.urls, SizeIs(1));
}

TEST(OAuth, AsksTheUserAgainWhereTheRefreshTokenIsRefused) {
  World world;
  world.serve_tokens(R"(,"refresh_token":"refresh-a")");
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  world.server.on("/token", [](const SeenRequest& request, Answer& answer) {
    if (fields_of(request.body).at("grant_type") == "refresh_token") {
      answer.reply(400, {}, R"({"error":"invalid_grant"})");
    } else {
      answer.json(R"({"access_token":"anew","token_type":"Bearer"})");
    }
  });
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer anew");
  EXPECT_THAT(world.user.urls, SizeIs(2));
}

TEST(OAuth, RegistersAnewWhereTheServerHasForgottenTheClient) {
  World world;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  world.server.json("/register", R"({"client_id":"another"})");
  world.server.on("/token", [](const SeenRequest& request, Answer& answer) {
    if (fields_of(request.body).at("client_id") == "another") {
      answer.json(R"({"access_token":"anew","token_type":"Bearer"})");
    } else {
      answer.reply(401, {}, R"({"error":"invalid_client"})");
    }
  });
  EXPECT_EQ(code_of(authorizer->challenged(world.refusal(), {})), "oauth_token_refused");
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer anew");
}

TEST(OAuth, UsesWhatWasStored) {
  World world;
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*world.authorizer()), "Bearer token-1");
  world.time.advance(std::chrono::hours(2));
  EXPECT_EQ(world.authorization(*world.authorizer()), "");  // It has ended, and cannot be refreshed.
}

TEST(OAuth, RegistersAnewWhereTheResourceNamesAnotherServer) {
  World world;
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  World other;
  other.server.json("/register", R"({"client_id":"of-the-other"})");
  other.server.json("/token", R"({"access_token":"of-the-other","token_type":"Bearer"})");
  world.serve_resource({{"authorization_servers", "[" + in_quotes(other.server.origin()) + "]"}});
  EXPECT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer of-the-other");
  EXPECT_EQ(query_of(world.user.urls.at(1)).at("client_id"), "of-the-other");
  for (const SeenRequest& request : other.server.seen())
    EXPECT_THAT(request.body, ::testing::Not(HasSubstr("registered")));
}

}  // namespace
}  // namespace sluice::oauth::testing
