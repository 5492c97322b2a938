// One caller uses as much as it can; what others get meanwhile.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dispatch/fair_queue.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::server {
namespace {

using ::testing::ElementsAre;

// Runs what the queue gives until nothing may run, and returns the names of the jobs in their order.
std::vector<std::string> run_all(FairQueue& queue, std::vector<std::string>& ran) {
  while (std::optional<FairQueue::Taken> taken = queue.pop()) {
    taken->job();
    queue.finished(taken->owner);
  }
  return ran;
}

TEST(FairQueue, ServesOwnersInTurn) {
  FairQueue queue(4, 100);
  std::vector<std::string> ran;
  const auto push = [&](const char* owner, const char* channel, const char* name) {
    EXPECT_TRUE(queue.push({.owner = owner, .channel = channel}, [&ran, name] { ran.emplace_back(name); }));
  };
  for (const char* name : {"a1", "a2", "a3", "a4"}) push("a", "1", name);
  push("b", "1", "b1");
  push("b", "1", "b2");
  EXPECT_THAT(run_all(queue, ran), ElementsAre("a1", "b1", "a2", "b2", "a3", "a4"));
}

TEST(FairQueue, ServesTheChannelsOfOneOwnerInTurn) {
  FairQueue queue(4, 100);
  std::vector<std::string> ran;
  const auto push = [&](const char* channel, const char* name) {
    EXPECT_TRUE(queue.push({.owner = "a", .channel = channel}, [&ran, name] { ran.emplace_back(name); }));
  };
  for (const char* name : {"x1", "x2", "x3"}) push("x", name);
  push("y", "y1");
  EXPECT_THAT(run_all(queue, ran), ElementsAre("x1", "y1", "x2", "x3"));
}

TEST(FairQueue, KeepsWorkersForOtherOwners) {
  FairQueue queue(8, 100);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(queue.push({.owner = "a", .channel = ""}, [] {}));
  int running = 0;
  while (queue.pop()) ++running;
  EXPECT_EQ(running, 4);
  EXPECT_FALSE(queue.can_pop());
  EXPECT_TRUE(queue.push({.owner = "b", .channel = ""}, [] {}));
  const std::optional<FairQueue::Taken> taken = queue.pop();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->owner, "b");
}

TEST(FairQueue, KeepsRoomToWaitForOtherOwners) {
  FairQueue queue(2, 10);
  int waiting = 0;
  while (queue.push({.owner = "a", .channel = ""}, [] {})) ++waiting;
  EXPECT_EQ(waiting, 5);
  EXPECT_TRUE(queue.push({.owner = "b", .channel = ""}, [] {}));
}

TEST(FairQueue, RunsEverythingWhenSharesAreIgnored) {
  FairQueue queue(1, 10);
  EXPECT_TRUE(queue.push({.owner = "a", .channel = ""}, [] {}));
  EXPECT_TRUE(queue.push({.owner = "a", .channel = ""}, [] {}));
  EXPECT_TRUE(queue.pop(true));
  EXPECT_FALSE(queue.pop());
}

}  // namespace

namespace testing {
namespace {

using ::testing::HasSubstr;

const ClientOptions kAlice{.principal = Principal{.id = "token:alice"}};
const ClientOptions kBob{.principal = Principal{.id = "token:bob"}};

// A tool whose calls wait until the test lets them go.
struct Blocking {
  explicit Blocking(TestServer& server) {
    server.add_tool("block", [this](const json::Object&, Context&) -> Result<protocol::ToolResult> {
      go.wait();
      return protocol::text_result("done");
    });
    server.add_echo();
  }
  Signal go;
};

TEST(FairShares, AnswerOthersWhileOneCallerHasMoreCallsThanThereAreWorkers) {
  TestServer server;
  Blocking blocking(server);
  TestClient alice(*server, kModernHttp, kAlice);
  TestClient bob(*server, kModernHttp, kBob);
  std::vector<std::unique_ptr<TestClient::Pending>> blocked;
  for (int i = 0; i < 70; ++i) blocked.push_back(alice.start_tool("block"));
  EXPECT_TRUE(bob.call_tool("echo", R"({"text":"x"})").is_result());
  blocking.go.set();
  for (const auto& each : blocked) EXPECT_TRUE(each->reply().is_result());
}

TEST(FairShares, LeaveRequestsUnderWayToOthers) {
  TestServer server;
  Blocking blocking(server);
  TestClient alice(*server, kModernHttp, kAlice);
  TestClient bob(*server, kModernHttp, kBob);
  std::vector<std::unique_ptr<TestClient::Pending>> blocked;
  for (int i = 0; i < 512; ++i) blocked.push_back(alice.start_tool("block"));
  const auto refused = alice.start_tool("block");
  EXPECT_EQ(refused->reply().text({"error", "data", "code"}), "too_busy");
  EXPECT_TRUE(bob.call_tool("echo", R"({"text":"x"})").is_result());
  blocking.go.set();
  for (const auto& each : blocked) EXPECT_TRUE(each->reply().is_result());
}

// 300 KB of text that take 4 MB and more as values.
TEST(FairShares, BoundTheMemoryOfTheParametersOfRequestsUnderWay) {
  TestServer server;
  Blocking blocking(server);
  TestClient alice(*server, kModernHttp, kAlice);
  TestClient bob(*server, kModernHttp, kBob);
  std::string arguments = R"({"list":[[])";
  for (int i = 0; i < 100'000; ++i) arguments += ",[]";
  arguments += "]}";
  std::vector<std::unique_ptr<TestClient::Pending>> blocked;
  for (int i = 0; i < 35; ++i) blocked.push_back(alice.start_tool("block", arguments));
  const WireMessage refused = blocked.back()->reply();
  EXPECT_EQ(refused.text({"error", "data", "code"}), "too_busy");
  EXPECT_THAT(refused.text({"error", "message"}), HasSubstr("bytes of the parameters"));
  const auto small = alice.start_tool("block");
  const auto other = bob.start_tool("block", arguments);
  blocking.go.set();
  EXPECT_TRUE(small->reply().is_result());
  EXPECT_TRUE(other->reply().is_result());
  blocked.pop_back();
  std::size_t answered = 0;
  for (const auto& each : blocked) answered += each->reply().is_result() ? 1U : 0U;
  EXPECT_GE(answered, 20U);
  EXPECT_TRUE(alice.call_tool("block", arguments).is_result()) << "what was answered makes room";
}

TEST(FairShares, EndTheSessionsOfTheCallerThatHasMost) {
  constexpr std::string_view kInitialize =
      R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}})";
  TestServer server;
  TestClient bob(*server, kLegacyHttp, kBob);
  TestClient alice(*server, kLegacyHttp, kAlice);
  for (int i = 0; i < 4'200; ++i) EXPECT_EQ(alice.start("initialize", kInitialize)->status(), 200);
  EXPECT_TRUE(bob.call("ping").is_result());
  EXPECT_EQ(alice.start("ping")->status(), 404);
}

constexpr std::string_view kListen = R"({"notifications":{"toolsListChanged":true}})";

TEST(FairShares, LeaveListenStreamsToOthers) {
  TestServer server;
  server.add_echo();
  TestClient alice(*server, kModernHttp, kAlice);
  TestClient bob(*server, kModernHttp, kBob);
  std::vector<std::unique_ptr<TestClient::Pending>> streams;
  for (int i = 0; i < 256; ++i) streams.push_back(alice.start("subscriptions/listen", kListen));
  for (const auto& stream : streams)
    EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(alice.call("subscriptions/listen", kListen).text({"error", "data", "code"}), "too_busy");
  const auto stream = bob.start("subscriptions/listen", kListen);
  EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
}

TEST(FairShares, BoundTheBytesOfSubscribedUris) {
  TestServer server;
  server.add_resource("test:///a", "x");
  const Status added = server.registry->add_template(
      {.uri_template = "test:///{name}", .name = "any"},
      [](const ResourceUri& uri, const TemplateValues&, Context&) -> Result<protocol::ReadResult> {
        return protocol::resource_not_found(uri.text());
      });
  ASSERT_TRUE(added.ok());
  TestClient alice(*server, kModernHttp, kAlice);
  TestClient bob(*server, kModernHttp, kBob);
  std::string uris;
  for (int i = 0; i < 1'000; ++i) {
    uris += uris.empty() ? "" : ",";
    uris += "\"test:///" + std::to_string(i) + std::string(2'000, 'x') + '"';
  }
  const std::string params = R"({"notifications":{"resourceSubscriptions":[)" + uris + "]}}";
  std::vector<std::unique_ptr<TestClient::Pending>> streams;
  for (int i = 0; i < 4; ++i) {
    streams.push_back(alice.start("subscriptions/listen", params));
    EXPECT_EQ(streams.back()->next().method(), "notifications/subscriptions/acknowledged");
  }
  EXPECT_EQ(alice.call("subscriptions/listen", params).text({"error", "data", "code"}),
            "too_many_subscriptions");
  const auto stream = bob.start("subscriptions/listen", params);
  EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
}

TEST(FairShares, LeaveTasksToOthers) {
  TestServer server;
  server.add_task_tool("work", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
    return protocol::text_result("done");
  });
  constexpr std::string_view kTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
  TestClient alice(*server, kModernHttp,
                   {.capabilities = std::string(kTasks), .principal = kAlice.principal});
  TestClient bob(*server, kModernHttp, {.capabilities = std::string(kTasks), .principal = kBob.principal});
  for (int i = 0; i < 512; ++i) EXPECT_TRUE(alice.call_tool("work").has({"result", "taskId"}));
  EXPECT_EQ(alice.call_tool("work").text({"result", "isError"}), "true");
  EXPECT_TRUE(bob.call_tool("work").has({"result", "taskId"}));
}

constexpr std::string_view kAskable = R"({"elicitation":{"form":{}}})";

void add_question(TestServer& server) {
  server.add_tool("ask", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("name", name_form()));
    return protocol::text_result(describe(answer));
  });
  server.add_echo();
}

TEST(FairShares, BoundTheCallsThatWaitForAPerson) {
  TestServer server;
  add_question(server);
  TestClient alice(*server, kLegacyHttp,
                   {.capabilities = std::string(kAskable), .principal = kAlice.principal});
  TestClient bob(*server, kLegacyHttp, {.capabilities = std::string(kAskable), .principal = kBob.principal});
  std::vector<std::unique_ptr<TestClient::Pending>> asking;
  for (int i = 0; i < 8; ++i) {
    asking.push_back(alice.start_tool("ask"));
    EXPECT_EQ(asking.back()->next().method(), "elicitation/create");
  }
  EXPECT_THAT(alice.call_tool("ask").text({"result", "content", 0, "text"}), HasSubstr("too_many_questions"));
  const auto pending = bob.start_tool("ask");
  bob.answer(pending->next(), R"({"action":"decline"})");
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "decline");
}

TEST(FairShares, EndAQuestionWhoseClientHasDisconnected) {
  ServerOptions options;
  options.ask_reconnect_timeout = std::chrono::milliseconds(1);
  TestServer server(std::move(options));
  Signal ended;
  std::string code;
  server.add_tool("ask", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    const Result<protocol::ElicitAnswer> answer = context.ask_form("name", name_form());
    code = answer.ok() ? "" : answer.error().code;
    ended.set();
    return protocol::text_result("");
  });
  TestClient client(*server, kLegacyHttp, {.capabilities = std::string(kAskable)});
  const auto pending = client.start_tool("ask");
  EXPECT_EQ(pending->next().method(), "elicitation/create");
  pending->disconnect();
  ASSERT_TRUE(ended.wait());
  EXPECT_EQ(code, "ask_abandoned");
}

// A handler that ignores its stop token until the test ends.
TEST(StuckHandler, IsAnsweredForAndItsWorkerIsReplaced) {
  ServerOptions options;
  options.worker_threads_max = 2;  // One caller gets one of them.
  options.request_timeout = std::chrono::milliseconds(50);
  options.stuck_grace = std::chrono::milliseconds(1);
  TestServer server(std::move(options));
  Signal go;
  Signal returned;
  server.add_tool("stuck", [&](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    go.wait();
    returned.set();
    return protocol::text_result("too late");
  });
  server.add_echo();
  TestClient client(*server, kModernHttp);
  EXPECT_THAT(client.call_tool("stuck").text({"error", "message"}), HasSubstr("ran out of time"));
  // On a busy machine some of these run out of time as well.
  bool is_answered = false;
  for (int i = 0; i < 100 && !is_answered; ++i)
    is_answered = client.call_tool("echo", R"({"text":"x"})").is_result();
  EXPECT_TRUE(is_answered) << "another worker serves the caller";
  EXPECT_FALSE(server->stop(std::chrono::milliseconds(0)));
  go.set();
  EXPECT_TRUE(returned.wait());
}

}  // namespace
}  // namespace testing
}  // namespace sluice::server
