// Work that goes on after its call was answered.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kWithTasks =
    R"({"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{}}})";

class TaskTest : public DialectTest {
 protected:
  TaskTest() {
    options.clock = &clock;
    server.emplace(std::move(options));
    server->add_task_tool(
        "work", [this](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
          SLUICE_TRY(const bool became, context.become_task());
          context.progress({.done = 1, .total = {}, .message = {}});  // Tasks have no progress.
          go.wait(context.stop());
          stopped = context.stop().stop_requested();
          ended.set();
          return protocol::text_result(became ? "as a task" : "at once");
        });
    server->add_task_tool("form", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
      SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("name", name_form()));
      return protocol::text_result(describe(answer));
    });
    server->add_task_tool("fail", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
      return internal_error("the disk is full");
    });
    server->add_task_tool("refuse",
                          [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
                            SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
                            return invalid_input("no such table: x");
                          });
    server->add_task_tool("throw", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
      throw std::runtime_error("a bug");
    });
    protocol::Tool required;
    required.name = "required";
    required.task_support = protocol::TaskSupport::kRequired;
    server->registry->add_tool(required,
                               [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
                                 SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
                                 return protocol::text_result("done");
                               });
  }

  TestClient connect(Principal principal = local_principal()) {
    return TestClient(**server, GetParam(),
                      {.capabilities = std::string(kWithTasks), .principal = std::move(principal)});
  }

  // Begins a task and gives its id.
  static std::string begin(TestClient& client, std::string_view tool) {
    const WireMessage created = client.call_tool(tool);
    EXPECT_EQ(created.text({"result", "resultType"}), "task");
    return created.text({"result", "taskId"});
  }

  static std::string named(const std::string& id) { return json::to_text(json::Object{{"taskId", id}}); }

  // Follows a task on a stream of its own until it has the status. Every state it passes is checked.
  static WireMessage wait_for(TestClient& client, const std::string& id, std::string_view status) {
    const auto stream =
        client.start("subscriptions/listen", R"({"notifications":{"taskIds":[")" + id + R"("]}})");
    WireMessage opened = stream->next();
    // On a pipe, what a stream before this one brought may still be unread.
    while (opened.method() == "notifications/tasks") opened = stream->next();
    EXPECT_EQ(opened.text({"params", "notifications", "taskIds", 0}), id);
    WireMessage state = client.call("tasks/get", named(id));
    while (state.text({"result", "status"}) != status) {
      const WireMessage change = stream->next();
      EXPECT_EQ(change.method(), "notifications/tasks");
      if (::testing::Test::HasFailure()) break;
      state = client.call("tasks/get", named(id));
    }
    stream->cancel();
    return state;
  }

  Signal go;
  Signal ended;
  std::atomic<bool> stopped{false};
  TestClock clock;
  ServerOptions options;
  std::optional<TestServer> server;
};

TEST_P(TaskTest, IsCreatedAtOnceAndCompletesLater) {
  TestClient client = connect();
  const WireMessage created = client.call("tools/call", R"({"name":"work","_meta":{"progressToken":"t"}})");
  EXPECT_EQ(created.text({"result", "resultType"}), "task");
  EXPECT_EQ(created.text({"result", "status"}), "working");
  const std::string id = created.text({"result", "taskId"});
  EXPECT_EQ(client.call("tasks/get", named(id)).text({"result", "status"}), "working");
  go.set();
  const WireMessage done = wait_for(client, id, "completed");
  EXPECT_EQ(done.text({"result", "resultType"}), "complete");
  EXPECT_EQ(done.text({"result", "result", "content", 0, "text"}), "as a task");
}

TEST_P(TaskTest, IsNotMadeForAClientThatKnowsNone) {
  TestClient client(**server, GetParam());
  go.set();
  const WireMessage reply = client.call_tool("work");
  EXPECT_EQ(reply.text({"result", "resultType"}), "complete");
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), "at once");
}

TEST_P(TaskTest, ThatIsRequiredNeedsTheExtension) {
  TestClient without(**server, GetParam());
  const WireMessage refused = without.call_tool("required");
  EXPECT_EQ(refused.code(), -32021);
  EXPECT_EQ(refused.text({"error", "data", "requiredCapabilities"}),
            R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  TestClient with = connect();
  EXPECT_EQ(with.call_tool("required").text({"result", "resultType"}), "task");
}

TEST_P(TaskTest, MethodsNeedTheExtension) {
  TestClient with = connect();
  const std::string id = begin(with, "work");
  TestClient without(**server, GetParam());
  for (const char* method : {"tasks/get", "tasks/cancel", "tasks/update"})
    EXPECT_EQ(without.call(method, named(id)).code(), -32021) << method;
}

TEST_P(TaskTest, IsCancelled) {
  TestClient client = connect();
  const std::string id = begin(client, "work");
  EXPECT_TRUE(client.call("tasks/cancel", named(id)).is_result());
  ASSERT_TRUE(ended.wait());
  EXPECT_TRUE(stopped);
  EXPECT_EQ(client.call("tasks/get", named(id)).text({"result", "status"}), "cancelled");
}

TEST_P(TaskTest, ThatIsOverStaysAsItIs) {
  TestClient client = connect();
  go.set();
  const std::string id = begin(client, "work");
  wait_for(client, id, "completed");
  EXPECT_TRUE(client.call("tasks/cancel", named(id)).is_result());
  EXPECT_EQ(client.call("tasks/get", named(id)).text({"result", "status"}), "completed");
}

TEST_P(TaskTest, ThatFailsSaysWhy) {
  TestClient client = connect();
  const WireMessage failed = wait_for(client, begin(client, "fail"), "failed");
  EXPECT_EQ(failed.text({"result", "error", "code"}), "-32603");
  EXPECT_THAT(failed.text({"result", "error", "message"}), HasSubstr("disk is full"));
}

TEST_P(TaskTest, WithAnErrorOfTheToolIsComplete) {
  TestClient client = connect();
  const WireMessage done = wait_for(client, begin(client, "refuse"), "completed");
  EXPECT_EQ(done.text({"result", "result", "isError"}), "true");
}

TEST_P(TaskTest, WhoseHandlerThrowsHasFailed) {
  TestClient client = connect();
  const WireMessage failed = wait_for(client, begin(client, "throw"), "failed");
  EXPECT_EQ(failed.text({"result", "error", "code"}), "-32603");
}

TEST_P(TaskTest, AsksThroughItsState) {
  TestClient client = connect();
  const std::string id = begin(client, "form");
  const WireMessage asking = wait_for(client, id, "input_required");
  EXPECT_EQ(asking.text({"result", "inputRequests", "name", "method"}), "elicitation/create");
  EXPECT_TRUE(client
                  .call("tasks/update",
                        R"({"taskId":")" + id + R"(","inputResponses":{"unknown":{"action":"accept"}}})")
                  .is_result());
  EXPECT_EQ(client.call("tasks/get", named(id)).text({"result", "status"}), "input_required");
  EXPECT_TRUE(client
                  .call("tasks/update",
                        R"({"taskId":")" + id +
                            R"(","inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}}})")
                  .is_result());
  const WireMessage done = wait_for(client, id, "completed");
  EXPECT_EQ(done.text({"result", "result", "content", 0, "text"}), R"(accept {"name":"Ada"})");
}

TEST_P(TaskTest, IsUpdatedWithResponsesOnly) {
  TestClient client = connect();
  const std::string id = begin(client, "form");
  wait_for(client, id, "input_required");
  EXPECT_EQ(client.call("tasks/update", named(id)).code(), -32602);
  EXPECT_EQ(client.call("tasks/update", R"({"taskId":")" + id + R"(","inputResponses":{"name":7}})").code(),
            -32602);
}

TEST_P(TaskTest, ThatAsksMayBeCancelled) {
  TestClient client = connect();
  const std::string id = begin(client, "form");
  wait_for(client, id, "input_required");
  EXPECT_TRUE(client.call("tasks/cancel", named(id)).is_result());
  const WireMessage state = client.call("tasks/get", named(id));
  EXPECT_EQ(state.text({"result", "status"}), "cancelled");
  EXPECT_FALSE(state.has({"result", "inputRequests"}));
}

TEST_P(TaskTest, ThatIsUnknownIsAnError) {
  TestClient client = connect();
  for (const char* method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
    const WireMessage reply = client.call(method, R"({"taskId":"made-up","inputResponses":{}})");
    EXPECT_EQ(reply.code(), -32602) << method;
    EXPECT_EQ(reply.text({"error", "data", "code"}), "unknown_task") << method;
  }
}

TEST_P(TaskTest, IsForgottenSomeTimeAfterItsEnd) {
  TestClient client = connect();
  go.set();
  const std::string id = begin(client, "work");
  wait_for(client, id, "completed");
  clock.advance(std::chrono::minutes(11));
  EXPECT_EQ(client.call("tasks/get", named(id)).code(), -32602);
}

TEST_P(TaskTest, HasNoTimeLimitOfARequest) {
  ServerOptions quick_options;
  quick_options.request_timeout = std::chrono::seconds(1);  // Enough for the task to be made.
  Signal finish;
  TestServer quick(std::move(quick_options));
  quick.add_task_tool("long", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
    finish.wait(context.stop());
    return protocol::text_result(context.stop().stop_requested() ? "stopped" : "finished");
  });
  quick.add_tool("slow", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    finish.wait(context.stop());
    return cancelled();
  });
  TestClient client(*quick, GetParam(), {.capabilities = std::string(kWithTasks)});
  const std::string id = begin(client, "long");
  EXPECT_EQ(client.call_tool("slow").code(), -32603);  // Began later, and its time is up.
  finish.set();
  EXPECT_EQ(wait_for(client, id, "completed").text({"result", "result", "content", 0, "text"}), "finished");
}

TEST_P(TaskTest, IsStoppedWithTheServer) {
  TestClient client = connect();
  begin(client, "work");
  (*server)->stop(std::chrono::milliseconds(0));
  EXPECT_TRUE(ended.wait());
  EXPECT_TRUE(stopped);
}

TEST_P(TaskTest, OutlivesACancellationOfTheRequestThatMadeIt) {
  TestClient client = connect();
  const auto pending = client.start_tool("work");
  const std::string id = pending->reply().text({"result", "taskId"});
  pending->cancel();
  EXPECT_EQ(client.call("tasks/get", named(id)).text({"result", "status"}), "working");
}

TEST_P(TaskTest, NotificationsNeedTheExtension) {
  TestClient with = connect();
  const std::string id = begin(with, "work");
  TestClient without(**server, GetParam());
  EXPECT_EQ(without.call("subscriptions/listen", R"({"notifications":{"taskIds":[")" + id + R"("]}})").code(),
            -32021);
}

INSTANTIATE_TEST_SUITE_P(, TaskTest, ::testing::Values(kModernPipe, kModernHttp), dialect_name);

class TaskOwnerTest : public TaskTest {};

TEST_P(TaskOwnerTest, OfAnotherPrincipalLooksLikeOneThatDoesNotExist) {
  TestClient alice = connect({"token:alice"});
  TestClient bob = connect({"token:bob"});
  const std::string id = begin(alice, "work");
  const WireMessage unknown = bob.call("tasks/get", R"({"taskId":"made-up"})");
  const WireMessage foreign = bob.call("tasks/get", named(id));
  EXPECT_EQ(foreign.text({"error"}), unknown.text({"error"}));
  EXPECT_EQ(bob.call("tasks/cancel", named(id)).code(), -32602);
  EXPECT_EQ(alice.call("tasks/get", named(id)).text({"result", "status"}), "working");
  const auto stream = bob.start("subscriptions/listen", R"({"notifications":{"taskIds":[")" + id + R"("]}})");
  EXPECT_EQ(stream->next().text({"params", "notifications"}), "{}");
}

TEST_P(TaskOwnerTest, IsNamedInAHeader) {
  TestClient client = connect();
  const std::string id = begin(client, "work");
  protocol::HttpHead head = client.head("tasks/get", named(id));
  head.mcp_name = "another";
  EXPECT_EQ(client.post(head, client.request("90", "tasks/get", named(id)))->reply().code(), -32020);
}

TEST_P(TaskOwnerTest, OutlivesTheConnectionThatMadeIt) {
  TestClient client = connect();
  const auto pending = client.start_tool("work");
  const std::string id = pending->reply().text({"result", "taskId"});
  pending->disconnect();
  EXPECT_EQ(client.call("tasks/get", named(id)).text({"result", "status"}), "working");
}

INSTANTIATE_TEST_SUITE_P(, TaskOwnerTest, ::testing::Values(kModernHttp), dialect_name);

TEST(LegacyTask, ThatIsRequiredCannotBeCalled) {
  TestServer server;
  protocol::Tool required;
  required.name = "required";
  required.task_support = protocol::TaskSupport::kRequired;
  server.registry->add_tool(required, [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result("must not run");
  });
  TestClient client(*server, kLegacyPipe);
  EXPECT_NE(client.call_tool("required").code(), 0);
}

TEST(TaskClock, ThatIsSetBackNeitherLosesATaskNorTurnsItsTimesAroundNorKeepsItLonger) {
  TestClock clock;
  ServerOptions options;
  options.clock = &clock;
  TestServer server(std::move(options));
  Signal go;
  server.add_task_tool("work", [&](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    SLUICE_TRY([[maybe_unused]] const bool became, context.become_task());
    go.wait();
    return protocol::text_result("done");
  });
  TestClient client(*server, kModernHttp,
                    {.capabilities = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})"});
  const std::string id = client.call_tool("work").text({"result", "taskId"});
  clock.set_back(std::chrono::hours(24));
  go.set();
  const std::string params = R"({"taskId":")" + id + R"("})";
  WireMessage task = client.call("tasks/get", params);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (task.text({"result", "status"}) != "completed" && std::chrono::steady_clock::now() < end)
    task = client.call("tasks/get", params);
  EXPECT_EQ(task.text({"result", "status"}), "completed");
  EXPECT_EQ(task.text({"result", "createdAt"}), task.text({"result", "lastUpdatedAt"}));
  clock.advance(std::chrono::minutes(11));
  EXPECT_EQ(client.call("tasks/get", params).text({"error", "data", "code"}), "unknown_task");
}

}  // namespace
}  // namespace sluice::server::testing
