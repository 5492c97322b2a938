#include "sluice/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world.h"

namespace sluice::oauth::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

// A client that is authorized by the parts of a world.
std::unique_ptr<client::Client> client_of(World& world) {
  client::Endpoint endpoint;
  endpoint.url = world.mcp();
  endpoint.authorizer = world.authorizer();
  client::ClientOptions options;
  options.timeout = std::chrono::seconds(10);
  return client::Client::create(std::move(endpoint), std::move(options)).value();
}

void refuse(Answer& answer) { answer.reply(401, {{"WWW-Authenticate", "Bearer"}}, ""); }

TEST(AuthorizedClient, BringsItsTokenWithEveryRequest) {
  World world;
  world.resource.on("/mcp", [](const SeenRequest& request, Answer& answer) {
    if (request.header("authorization") != "Bearer token-1") return refuse(answer);
    answer.json(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"nothing here"}})");
  });
  const Result<client::ServerInfo> info = client_of(world)->connect();
  EXPECT_FALSE(info.ok());  // It got past the door, and there is nothing behind it.
  const std::vector<SeenRequest> seen = world.resource.seen("/mcp");
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen[0].header("authorization"), "");
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i].header("authorization"), "Bearer token-1");
  EXPECT_THAT(world.user.urls, ::testing::SizeIs(1));
}

TEST(AuthorizedClient, ATokenDoesNotFollowARedirectElsewhere) {
  for (const int status : {302, 303, 307, 308}) {
    World world;
    World attacker;
    world.resource.on("/mcp", [&](const SeenRequest& request, Answer& answer) {
      if (request.header("authorization").empty()) return refuse(answer);
      answer.redirect(status, attacker.resource.origin() + "/mcp");
    });
    EXPECT_FALSE(client_of(world)->connect().ok());
    EXPECT_THAT(world.user.urls, Not(IsEmpty()));
    for (const SeenRequest& request : attacker.resource.seen())
      EXPECT_EQ(request.header("authorization"), "");
  }
}

TEST(AuthorizedClient, AServerThatRefusesForEverIsGivenUp) {
  World world;
  world.resource.on("/mcp", [](const SeenRequest&, Answer& answer) { refuse(answer); });
  const std::unique_ptr<client::Client> client = client_of(world);
  EXPECT_FALSE(client->connect().ok());
  const std::size_t visits = world.user.urls.size();
  EXPECT_LE(visits, 4U);
  EXPECT_LE(world.resource.seen("/mcp").size(), 12U);
}

}  // namespace
}  // namespace sluice::oauth::testing
