// Upstreams that are down, slow or mad, beside one that is well.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "node_server.h"

namespace sluice::gateway::testing {
namespace {

using std::chrono::steady_clock;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::chrono::milliseconds since(steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start);
}

// Waits until it is stopped: an upstream that does not answer.
Result<protocol::ToolResult> hang(const client::CallOptions& options) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  if (!stopped.wait_for(lock, options.stop, *options.timeout, [] { return false; }) &&
      options.stop.stop_requested())
    return cancelled();
  return deadline_exceeded();
}

TEST(Resilience, StartsWithoutAnUpstreamAndFindsItLater) {
  NodeServer server;
  const auto script = server.add("late");
  script->set_down("connection refused");
  script->add_tool("echo");
  server.start();
  const auto client = server.connect(kLegacyPipe);
  const WireMessage refused = client->call_tool("late.resources_list");
  EXPECT_EQ(refused.text({"result", "isError"}), "true");
  EXPECT_THAT(refused.text({"result", "content", 0, "text"}), HasSubstr("upstream_down"));
  EXPECT_THAT(refused.text({"result", "content", 0, "text"}), HasSubstr("connection refused"));
  script->set_down("");
  EXPECT_TRUE(hears(*client, "notifications/tools/list_changed"));
  EXPECT_EQ(client->call_tool("late.echo").text({"result", "content", 0, "text"}), "called echo");
}

TEST(Resilience, AListThatWasTooSlowIsAskedForAgain) {
  NodeServer server;
  const auto script = server.add("busy");
  script->add_tool("echo");
  script->slow_lists = 2;
  server.start();
  const auto client = server.connect(kLegacyPipe);
  EXPECT_THAT(listed(*client, "tools/list", "tools", "name"), Not(Contains("busy.echo")));
  EXPECT_TRUE(hears(*client, "notifications/tools/list_changed"));
  EXPECT_THAT(listed(*client, "tools/list", "tools", "name"), Contains("busy.echo"));
}

TEST(Resilience, ToolsOfAnUpstreamThatDiedStayAndSaySo) {
  NodeServer server;
  const auto script = server.add("frail");
  script->add_tool("echo");
  server.start();
  const auto client = server.connect(kLegacyPipe);
  script->set_down("the process ended");
  EXPECT_THAT(client->call_tool("frail.echo").text({"result", "content", 0, "text"}),
              HasSubstr("the process ended"));
  EXPECT_THAT(listed(*client, "tools/list", "tools", "name"), Contains("frail.echo"));
  script->set_down("");
  // It is back as soon as it is looked for, which is a fraction of a second later.
  std::string said;
  const auto start = steady_clock::now();
  while (said != "called echo" && since(start) < std::chrono::seconds(20))
    said = client->call_tool("frail.echo").text({"result", "content", 0, "text"});
  EXPECT_EQ(said, "called echo");
}

TEST(Resilience, ASlowUpstreamDelaysNobodyElse) {
  NodeServer server;
  NodeConfig slow;
  slow.timeout = std::chrono::seconds(3);
  slow.max_concurrency = 2;
  const auto sick = server.add("sick", slow);
  sick->add_tool("work");
  sick->on_call = [](const std::string&, const json::Object&, const client::CallOptions& options) {
    return hang(options);
  };
  server.add("well")->add_tool("work");
  server.start();
  const auto client = server.connect();
  std::vector<std::unique_ptr<TestClient::Pending>> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(client->start_tool("sick.work"));
  // Two run, eight wait, the rest is refused at once.
  int refused = 0;
  for (int i = 10; i < 20; ++i)
    refused += waiting.at(static_cast<std::size_t>(i))->reply().text({"result", "isError"}) == "true" ? 1 : 0;
  EXPECT_GE(refused, 9);
  const auto start = steady_clock::now();
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(client->call_tool("well.work").text({"result", "content", 0, "text"}), "called work");
  EXPECT_LT(since(start), std::chrono::seconds(2));
  for (const auto& call : waiting) call->cancel();
}

TEST(Resilience, TimeIsLimited) {
  NodeServer server;
  NodeConfig slow;
  slow.timeout = std::chrono::milliseconds(50);
  const auto sick = server.add("sick", slow);
  sick->add_tool("work");
  sick->on_call = [](const std::string&, const json::Object&, const client::CallOptions& options) {
    return hang(options);
  };
  server.start();
  EXPECT_THAT(server.connect()->call_tool("sick.work").text({"result", "content", 0, "text"}),
              HasSubstr("upstream_timeout"));
}

TEST(Resilience, FloodsOfNotificationsAreTakenTogether) {
  NodeServer server;
  const auto mad = server.add("mad");
  mad->add_tool("x");
  server.add("well")->add_tool("work");
  server.start();
  const auto client = server.connect(kLegacyPipe);
  for (int i = 0; i < 20'000; ++i) {
    mad->options.on_list_changed(client::ListKind::kTools);
    mad->options.on_resource_updated("file:///" + std::to_string(i));
  }
  const auto start = steady_clock::now();
  EXPECT_EQ(client->call_tool("well.work").text({"result", "content", 0, "text"}), "called work");
  EXPECT_LT(since(start), std::chrono::seconds(2));
  EXPECT_LT(mad->connects, 1'000) << "lists are read again once for many notifications";
}

TEST(Resilience, ManyUpstreamsConnectAtOnce) {
  constexpr int kUpstreams = 50;
  NodeServer server;
  std::vector<std::shared_ptr<Script>> scripts;
  for (int i = 0; i < kUpstreams; ++i) {
    scripts.push_back(server.add("u" + std::to_string(i)));
    scripts.back()->add_tool("echo");
  }
  server.start();
  const auto client = server.connect();
  EXPECT_EQ(listed(*client, "tools/list", "tools", "name").size(), kUpstreams * 4U);
}

TEST(Resilience, TwoUpstreamsOfOneNamespaceAreRefused) {
  const auto node = [](const std::string& name) {
    return take(ToolNode::create({.name = name}, scripted(std::make_shared<Script>()), {}));
  };
  const auto store = std::make_shared<InMemoryArtifactStore>();
  EXPECT_FALSE(make_gateway_provider({node("fs"), node("FS")}, store).ok());
  EXPECT_TRUE(make_gateway_provider({node("fs"), node("fs2")}, store).ok());
}

}  // namespace
}  // namespace sluice::gateway::testing
