#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/base64.h"
#include "sluice/crypto/digest.h"
#include "sluice/crypto/signing_key.h"
#include "sluice/json/reader.h"

#include "world.h"

namespace sluice::oauth::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Jwt {
  json::Value header;
  json::Value claims;
  std::string signed_text;
  std::string signature;

  static Jwt parse(const std::string& text) {
    const std::size_t first = text.find('.');
    const std::size_t second = text.find('.', first + 1);
    return {
        .header = json::read(base64url_decode(text.substr(0, first)).value()).value(),
        .claims = json::read(base64url_decode(text.substr(first + 1, second - first - 1)).value()).value(),
        .signed_text = text.substr(0, second),
        .signature = base64url_decode(text.substr(second + 1)).value()};
  }
  std::string claim(const std::string& name) const {
    const json::Value* value = claims.find(name);
    return value == nullptr                ? ""
           : value->if_string() != nullptr ? *value->if_string()
                                           : json::to_text(*value);
  }
  bool is_signed_by(const json::Value& jwk) const {
    return crypto::verify_es256(*jwk.find("x")->if_string(), *jwk.find("y")->if_string(), signed_text,
                                signature);
  }
};

// A token of a platform; nobody here checks its signature.
std::string token_for(const std::string& audience) {
  return "e30." + base64url_encode(R"({"aud":)" + audience + "}") + ".c2ln";
}

OAuthOptions machine(const World& world, OAuthGrant grant) {
  OAuthOptions options = world.options();
  options.grant = grant;
  options.client = OAuthClient{.issuer = world.server.origin(),
                               .id = "robot",
                               .secret = "secret",
                               .private_key_pem = "",
                               .auth_method = "client_secret_basic"};
  return options;
}

TEST(OAuthMachine, GetsATokenForItself) {
  World world;
  const std::unique_ptr<Authorizer> authorizer =
      world.authorizer(machine(world, OAuthGrant::kClientCredentials));
  ASSERT_TRUE(authorizer->challenged(world.refusal(R"(Bearer scope="a")"), {}).value());
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-1");
  const SeenRequest request = world.server.seen("/token").at(0);
  EXPECT_EQ(request.header("authorization"), "Basic " + base64_encode("robot:secret"));
  const Fields form = fields_of(request.body);
  EXPECT_EQ(form.at("grant_type"), "client_credentials");
  EXPECT_EQ(form.at("scope"), "a");
  EXPECT_EQ(form.at("resource"), world.mcp());
  EXPECT_THAT(world.user.urls, IsEmpty());
  // It is renewed without a challenge.
  world.time.advance(std::chrono::hours(2));
  EXPECT_EQ(world.authorization(*authorizer), "Bearer token-2");
}

TEST(OAuthMachine, ProvesItselfWithAKey) {
  World world;
  const crypto::SigningKey key = crypto::SigningKey::generate_es256();
  OAuthOptions options = world.options();
  options.grant = OAuthGrant::kClientCredentials;
  options.client = OAuthClient{.issuer = "",
                               .id = "robot",
                               .secret = "",
                               .private_key_pem = key.to_pem(),
                               .auth_method = "",
                               .key_id = "2026"};
  ASSERT_TRUE(world.authorizer(options)->challenged(world.refusal(), {}).value());
  const Fields form = world.token_requests().at(0);
  EXPECT_EQ(form.at("client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  const Jwt jwt = Jwt::parse(form.at("client_assertion"));
  EXPECT_TRUE(jwt.is_signed_by(json::read(key.public_jwk()).value()));
  EXPECT_EQ(*jwt.header.find("kid")->if_string(), "2026");
  EXPECT_EQ(jwt.claim("iss"), "robot");
  EXPECT_EQ(jwt.claim("sub"), "robot");
  EXPECT_EQ(jwt.claim("aud"), world.server.origin());
  EXPECT_EQ(std::stoll(jwt.claim("exp")) - std::stoll(jwt.claim("iat")), 60);
}

TEST(OAuthMachine, ExchangesTheTokenOfAWorkload) {
  World world;
  OAuthOptions options = world.options();
  options.grant = OAuthGrant::kWorkloadIdentity;
  options.workload_assertion = [](const std::string& audience) {
    return Result<std::string>(token_for("\"" + audience + "\""));
  };
  ASSERT_TRUE(world.authorizer(options)->challenged(world.refusal(), {}).value());
  const Fields form = world.token_requests().at(0);
  EXPECT_EQ(form.at("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  EXPECT_EQ(form.at("assertion"), token_for("\"" + world.server.origin() + "\""));
  EXPECT_FALSE(form.contains("client_id"));
}

TEST(OAuthMachine, TellsARefusalWithoutTryingAnotherGrant) {
  World world;
  world.server.on("/token", [](const SeenRequest&, Answer& answer) {
    answer.reply(400, {}, R"({"error":"unauthorized_client"})");
  });
  OAuthOptions options = world.options();
  options.grant = OAuthGrant::kWorkloadIdentity;
  options.workload_assertion = [](const std::string& audience) {
    return Result<std::string>(token_for("[\"x\",\"" + audience + "/\"]"));
  };
  const Result<bool> result = world.authorizer(options)->challenged(world.refusal(), {});
  EXPECT_EQ(code_of(result), "oauth_token_refused");
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("unauthorized_client"));
  EXPECT_THAT(world.token_requests(), SizeIs(1));
}

TEST(OAuthMachine, AnAssertionForAnotherServerIsNotSent) {
  for (const std::string& assertion :
       {token_for(R"("https://honest.example.org")"), token_for(R"(["https://honest.example.org",1])"),
        token_for("[]"), token_for("{}"), std::string("no.jwt"), std::string("e30.e30.c2ln"),
        std::string("a.!!!.b"), std::string()}) {
    World world;
    OAuthOptions options = world.options();
    options.grant = OAuthGrant::kWorkloadIdentity;
    options.workload_assertion = [&](const std::string&) { return Result<std::string>(assertion); };
    EXPECT_EQ(code_of(world.authorizer(options)->challenged(world.refusal(), {})),
              "oauth_assertion_mismatch");
    EXPECT_THAT(world.token_requests(), IsEmpty());
  }
}

TEST(OAuthMachine, LetsTheEnterpriseDecide) {
  World world;
  ScriptedServer provider;
  provider.json("/idp",
                R"({"access_token":"id-jag","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag",)"
                R"("token_type":"N_A"})");
  OAuthOptions options = machine(world, OAuthGrant::kEnterprise);
  options.enterprise = {.token_endpoint = provider.origin() + "/idp",
                        .client_id = "at-the-provider",
                        .client_secret = "",
                        .id_token = [] { return Result<std::string>("who-the-user-is"); }};
  ASSERT_TRUE(world.authorizer(options)->challenged(world.refusal(), {}).value());
  const Fields exchange = fields_of(provider.seen("/idp").at(0).body);
  EXPECT_EQ(exchange.at("grant_type"), "urn:ietf:params:oauth:grant-type:token-exchange");
  EXPECT_EQ(exchange.at("requested_token_type"), "urn:ietf:params:oauth:token-type:id-jag");
  EXPECT_EQ(exchange.at("subject_token"), "who-the-user-is");
  EXPECT_EQ(exchange.at("audience"), world.server.origin());
  EXPECT_EQ(exchange.at("resource"), world.mcp());
  EXPECT_EQ(exchange.at("client_id"), "at-the-provider");
  const Fields form = world.token_requests().at(0);
  EXPECT_EQ(form.at("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  EXPECT_EQ(form.at("assertion"), "id-jag");
  EXPECT_FALSE(form.contains("subject_token"));
}

TEST(OAuthMachine, RefusesAnotherKindOfTokenFromTheProvider) {
  World world;
  ScriptedServer provider;
  provider.json(
      "/idp", R"({"access_token":"x","issued_token_type":"urn:ietf:params:oauth:token-type:access_token"})");
  OAuthOptions options = machine(world, OAuthGrant::kEnterprise);
  options.enterprise = {
      .token_endpoint = provider.origin() + "/idp", .client_id = "c", .client_secret = "", .id_token = [] {
        return Result<std::string>("t");
      }};
  EXPECT_EQ(code_of(world.authorizer(options)->challenged(world.refusal(), {})), "oauth_token_invalid");
  EXPECT_THAT(world.token_requests(), IsEmpty());
}

TEST(OAuthMachine, RefusesOptionsThatMakeNoSense) {
  World world;
  OAuthOptions options = world.options();
  const auto made = [&](const OAuthOptions& each) {
    return code_of(make_oauth_authorizer(each, {.tokens = *world.tokens}));
  };
  EXPECT_EQ(made(options), "invalid_oauth_options");  // No user agent.
  options.grant = OAuthGrant::kClientCredentials;
  EXPECT_EQ(made(options), "invalid_oauth_options");
  options.client =
      OAuthClient{.issuer = "", .id = "x", .secret = "", .private_key_pem = "", .auth_method = ""};
  EXPECT_EQ(made(options), "");
  options.client->auth_method = "client_secret_post";
  EXPECT_EQ(made(options), "invalid_oauth_options");
  options.client->auth_method = "made_up";
  EXPECT_EQ(made(options), "invalid_oauth_options");
  options.client->auth_method = "";
  options.client->private_key_pem = "not a key";
  EXPECT_EQ(made(options), "invalid_key");
  options.client->private_key_pem = "";
  options.client_document_url = "http://example.org/client.json";
  EXPECT_EQ(made(options), "invalid_oauth_options");
  options.client_document_url = "";
  options.resource_url = "http://example.org/mcp";
  EXPECT_EQ(made(options), "oauth_endpoint_refused");
}

class Dpop : public ::testing::Test {
 protected:
  Dpop() {
    world.serve_metadata({{"dpop_signing_alg_values_supported", R"(["ES256"])"}});
    world.server.json("/token", R"({"access_token":"bound","token_type":"DPoP","refresh_token":"r"})");
  }

  Jwt proof_of(Authorizer& authorizer, const std::string& method = "POST") {
    const std::vector<Header> headers =
        authorizer.headers({.method = method, .url = world.mcp() + "?a=b"}, {}).value();
    EXPECT_EQ(headers.at(0), Header("Authorization", "DPoP bound"));
    EXPECT_EQ(headers.at(1).first, "DPoP");
    return Jwt::parse(headers.at(1).second);
  }

  World world;
};

TEST_F(Dpop, ProvesEachRequestAnew) {
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal("DPoP"), {}).value());
  const Jwt at_token = Jwt::parse(world.server.seen("/token").at(0).header("dpop"));
  EXPECT_EQ(at_token.claim("htu"), world.server.origin() + "/token");
  EXPECT_EQ(at_token.claim("htm"), "POST");
  EXPECT_EQ(at_token.claim("ath"), "");
  const Jwt first = proof_of(*authorizer);
  const Jwt second = proof_of(*authorizer, "GET");
  EXPECT_EQ(*first.header.find("typ")->if_string(), "dpop+jwt");
  EXPECT_EQ(*first.header.find("alg")->if_string(), "ES256");
  EXPECT_TRUE(first.is_signed_by(*at_token.header.find("jwk")));  // One key.
  EXPECT_EQ(first.header.find("jwk")->find("d"), nullptr);
  EXPECT_EQ(first.claim("htu"), world.mcp());  // Without the query.
  EXPECT_EQ(first.claim("ath"), base64url_encode(crypto::sha256("bound")));
  EXPECT_EQ(second.claim("htm"), "GET");
  EXPECT_NE(first.claim("jti"), second.claim("jti"));
}

TEST_F(Dpop, TakesNoncesOfBothServers) {
  world.server.on("/token", [](const SeenRequest& request, Answer& answer) {
    if (Jwt::parse(request.header("dpop")).claim("nonce") == "of-the-server") {
      answer.json(R"({"access_token":"bound","token_type":"DPoP"})");
    } else {
      answer.reply(400, {{"DPoP-Nonce", "of-the-server"}}, R"({"error":"use_dpop_nonce"})");
    }
  });
  const std::unique_ptr<Authorizer> authorizer = world.authorizer();
  ASSERT_TRUE(authorizer->challenged(world.refusal(), {}).value());
  EXPECT_THAT(world.token_requests(), SizeIs(2));
  EXPECT_EQ(proof_of(*authorizer).claim("nonce"), "");  // The other server's is not for the resource.
  Challenge challenge = world.refusal(R"(DPoP error="use_dpop_nonce")");
  challenge.dpop_nonce = "of-the-resource";
  EXPECT_TRUE(authorizer->challenged(challenge, {}).value());
  EXPECT_EQ(proof_of(*authorizer).claim("nonce"), "of-the-resource");
  EXPECT_THAT(world.user.urls, SizeIs(1));  // No new token for that.
}

TEST_F(Dpop, AnEndlessDemandForNoncesAtTheTokenEndpointEnds) {
  int count = 0;
  world.server.on("/token", [&count](const SeenRequest&, Answer& answer) {
    answer.reply(400, {{"DPoP-Nonce", "n" + std::to_string(++count)}}, R"({"error":"use_dpop_nonce"})");
  });
  EXPECT_EQ(code_of(world.authorizer()->challenged(world.refusal(), {})), "oauth_token_refused");
  EXPECT_THAT(world.token_requests(), SizeIs(2));
}

TEST_F(Dpop, GoesOnWithTheStoredKey) {
  ASSERT_TRUE(world.authorizer()->challenged(world.refusal(), {}).value());
  const json::Value key = *Jwt::parse(world.server.seen("/token").at(0).header("dpop")).header.find("jwk");
  EXPECT_TRUE(proof_of(*world.authorizer()).is_signed_by(key));
}

TEST_F(Dpop, MayBeRequired) {
  world.serve_metadata();
  world.serve_tokens();
  OAuthOptions options = world.options();
  options.requires_dpop = true;
  EXPECT_EQ(code_of(world.authorizer(options)->challenged(world.refusal(), {})), "oauth_token_invalid");
}

}  // namespace
}  // namespace sluice::oauth::testing
