// Other providers take the place of those that are served, while clients are connected.

#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using catalog::Generation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Result<protocol::ToolResult> nothing(const json::Object&, Context&) { return protocol::text_result(""); }

void offer_tool(Registry& registry, std::string name, Registry::ToolHandler handler = nothing) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.input_schema = parse(R"({"type":"object"})");
  registry.add_tool(std::move(tool), std::move(handler));
}

void offer_resource(Registry& registry, std::string uri) {
  protocol::Resource resource;
  resource.name = uri;
  resource.uri = std::move(uri);
  registry.add_resource(resource, [](const ResourceUri&, Context&) -> Result<protocol::ReadResult> {
    return protocol::ReadResult{};
  });
}

std::shared_ptr<Registry> registry_with(const std::vector<std::string>& tools) {
  auto registry = std::make_shared<Registry>("next");
  for (const std::string& tool : tools) offer_tool(*registry, tool);
  return registry;
}

std::shared_ptr<Generation> generation_of(std::vector<std::shared_ptr<catalog::Provider>> providers,
                                          std::shared_ptr<void> ground = nullptr) {
  catalog::GenerationOptions options;
  options.ground = std::move(ground);
  return std::make_shared<Generation>(std::move(providers), std::move(options));
}

std::vector<std::string> next_methods(TestClient& client, int count) {
  std::vector<std::string> methods;
  for (int i = 0; i < count; ++i) methods.push_back(client.next().method());
  return methods;
}

class ReplaceTest : public DialectTest {
 protected:
  TestServer server;
};

TEST_P(ReplaceTest, OffersWhatTheOthersOfferAndTellsOfIt) {
  offer_tool(*server.registry, "old");
  TestClient client(*server, GetParam());
  client.open_stream();
  auto next = registry_with({"new"});
  offer_resource(*next, "memo:new");
  protocol::Prompt prompt;
  prompt.name = "greet";
  next->add_prompt(prompt, [](const protocol::PromptArguments&, Context&) -> Result<protocol::PromptResult> {
    return protocol::PromptResult{};
  });
  ASSERT_TRUE(server->replace(generation_of({next})).ok());
  EXPECT_THAT(next_methods(client, 3),
              UnorderedElementsAre("notifications/tools/list_changed", "notifications/prompts/list_changed",
                                   "notifications/resources/list_changed"));
  EXPECT_THAT(client.call("tools/list").text({"result", "tools"}),
              AllOf(HasSubstr(R"("new")"), Not(HasSubstr(R"("old")"))));
  EXPECT_THAT(client.call("resources/list").text({"result", "resources"}), HasSubstr("memo:new"));
  EXPECT_THAT(client.call("prompts/list").text({"result", "prompts"}), HasSubstr("greet"));
  EXPECT_TRUE(client.call_tool("new").is_result());
  EXPECT_EQ(client.call_tool("old").code(), -32602);
}

TEST_P(ReplaceTest, TellsNothingOfWhatTheOldOnesTellAfterwards) {
  offer_tool(*server.registry, "old");
  TestClient client(*server, GetParam());
  client.open_stream();
  auto old = registry_with({"new"});
  const std::shared_ptr<Generation> held = generation_of({old});  // As by a call that runs.
  ASSERT_TRUE(server->replace(held).ok());
  EXPECT_EQ(client.next().method(), "notifications/tools/list_changed");
  auto next = registry_with({"new"});
  ASSERT_TRUE(server->replace(generation_of({next})).ok());
  EXPECT_EQ(client.next().method(), "notifications/tools/list_changed");
  offer_tool(*old, "older");
  offer_resource(*next, "memo:later");
  EXPECT_EQ(client.next().method(), "notifications/resources/list_changed");
}

TEST_P(ReplaceTest, KeepsWatchingWhatIsSubscribed) {
  offer_resource(*server.registry, "memo:a");
  offer_resource(*server.registry, "memo:gone");
  TestClient client(*server, GetParam());
  client.open_stream();
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(client.call("resources/subscribe", R"({"uri":"memo:gone"})").is_result());
  auto next = std::make_shared<Registry>("next");
  offer_resource(*next, "memo:a");
  std::vector<std::string> watched;
  next->on_watch([&](const ResourceUri& uri, bool) { watched.push_back(uri.text()); });
  ASSERT_TRUE(server->replace(generation_of({next})).ok());
  EXPECT_THAT(watched, ElementsAre("memo:a"));
  EXPECT_THAT(next_methods(client, 3),
              UnorderedElementsAre("notifications/resources/list_changed", "notifications/resources/updated",
                                   "notifications/resources/updated"));
  next->resource_changed("memo:a");
  EXPECT_EQ(client.next().text({"params"}), R"({"uri":"memo:a"})");
  EXPECT_TRUE(client.call("resources/unsubscribe", R"({"uri":"memo:a"})").is_result());
  EXPECT_TRUE(client.call("resources/unsubscribe", R"({"uri":"memo:gone"})").is_result());
  EXPECT_THAT(watched, ElementsAre("memo:a", "memo:a"));
}

INSTANTIATE_TEST_SUITE_P(, ReplaceTest, ::testing::ValuesIn(every_legacy_dialect()), dialect_name);

TEST(Replace, IsHeardByAStreamThatListens) {
  TestServer server;
  server.add_echo();
  offer_resource(*server.registry, "memo:a");
  TestClient client(*server, kModernHttp);
  const auto stream = client.start("subscriptions/listen", R"({"notifications":{"toolsListChanged":true,
    "resourceSubscriptions":["memo:a"]}})");
  EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
  auto next = registry_with({"new"});
  offer_resource(*next, "memo:a");
  ASSERT_TRUE(server->replace(generation_of({next})).ok());
  EXPECT_EQ(stream->next().method(), "notifications/tools/list_changed");
  EXPECT_EQ(stream->next().text({"params", "uri"}), "memo:a");
  next->resource_changed("memo:a");
  EXPECT_EQ(stream->next().method(), "notifications/resources/updated");
}

TEST(Replace, LetsACallEndOnWhatItBeganWith) {
  auto ground = std::make_shared<std::atomic<int>>(7);
  const std::weak_ptr<void> held = ground;
  std::promise<void> begun;
  std::promise<void> replaced;
  auto old = std::make_shared<Registry>("old");
  offer_tool(*old, "slow",
             [&begun, raw = ground.get(), until = replaced.get_future().share()](
                 const json::Object&, Context&) -> Result<protocol::ToolResult> {
               begun.set_value();
               until.wait();
               return protocol::text_result("ground " + std::to_string(*raw));
             });
  const std::unique_ptr<Server> server =
      Server::create({}, generation_of({std::move(old)}, std::move(ground))).value();
  TestClient client(*server, {protocol::kNewest, Transport::kPipe});
  const auto call = client.start_tool("slow");
  begun.get_future().wait();
  ASSERT_TRUE(server->replace(generation_of({registry_with({"fast"})})).ok());
  EXPECT_TRUE(client.call_tool("fast").is_result());
  EXPECT_FALSE(held.expired());
  replaced.set_value();
  EXPECT_THAT(call->reply().text({"result", "content"}), HasSubstr("ground 7"));
  EXPECT_TRUE(server->stop(kPatience));
  EXPECT_TRUE(held.expired());
}

TEST(Replace, IsSafeWhileClientsAskListAndSubscribe) {
  const auto make = [] {
    auto registry = registry_with({"always"});
    offer_resource(*registry, "memo:a");
    return registry;
  };
  const std::unique_ptr<Server> server = Server::create({}, generation_of({make()})).value();
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::jthread asking([&] {  // One thread for both clients: what checks their messages is not for two.
    TestClient modern(*server, kModernPipe);
    TestClient legacy(*server, kLegacyPipe);
    for (int i = 0; i < 10 || !is_over; ++i) {
      if (!modern.call_tool("always").is_result()) ++wrong;
      if (!modern.call("resources/list").is_result()) ++wrong;
      if (!legacy.call("resources/subscribe", R"({"uri":"memo:a"})").is_result()) ++wrong;
      if (!legacy.call("resources/unsubscribe", R"({"uri":"memo:a"})").is_result()) ++wrong;
    }
  });
  for (int i = 0; i < 200; ++i) {
    auto next = make();
    const std::jthread telling([next] {
      for (int change = 0; change < 10; ++change) next->resource_changed("memo:a");
      offer_tool(*next, "more");
    });
    ASSERT_TRUE(server->replace(generation_of({next})).ok());
  }
  is_over = true;
  asking.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Replace, RefusesANameThatIsOfferedTwiceAndLeavesEverythingAsItIs) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, {protocol::kNewest, Transport::kPipe});
  const Status status = server->replace(generation_of({registry_with({"same"}), registry_with({"same"})}));
  EXPECT_EQ(status.error().code, "name_offered_twice");
  EXPECT_EQ(server->replace(generation_of({registry_with({"not a name"})})).error().code, "invalid_tool");
  EXPECT_TRUE(client.is_quiet());
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"x"})").is_result());
  server.add_tool("later", nothing);
  EXPECT_TRUE(client.call_tool("later").is_result());
}

}  // namespace
}  // namespace sluice::server::testing
