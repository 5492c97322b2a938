// Limits, time, permission, ids and the end: what every request goes through whatever it asks for.

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

// Tools that wait: until `go`, or until they are stopped, and then they say so.
struct Waiting {
  Signal begun;
  Signal go;
  Registry::ToolHandler handler() {
    return [this](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      begun.set();
      if (!go.wait(context.stop())) return cancelled();
      return protocol::text_result("done");
    };
  }
};

class LifecycleTest : public DialectTest {};

TEST_P(LifecycleTest, StopsAHandlerThatOverrunsItsTime) {
  Waiting waiting;
  ServerOptions options;
  options.request_timeout = std::chrono::milliseconds(20);
  TestServer server(std::move(options));
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call_tool("wait");
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(reply.text({"error", "data", "code"}), "deadline_exceeded");
  EXPECT_TRUE(client.call("tools/list").is_result());  // Runs at once, so the 20 ms are not its own.
}

TEST_P(LifecycleTest, TellsTheHandlerItsDeadline) {
  ServerOptions options;
  options.request_timeout = std::chrono::hours(1);
  TestServer server(std::move(options));
  server.add_tool("when", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    const auto left = context.deadline() - std::chrono::steady_clock::now();
    return protocol::text_result(left > std::chrono::minutes(59) && left <= std::chrono::hours(1) ? "yes"
                                                                                                  : "no");
  });
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call_tool("when").text({"result", "content", 0, "text"}), "yes");
}

TEST_P(LifecycleTest, KeepsAnIdAsItCame) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, GetParam());
  for (const char* id : {R"("7")", "7", "0", "-1", "9223372036854775807", "-9223372036854775808", R"("")",
                         R"("\u00fc\"\\")", "9007199254740993"}) {
    const std::string body = client.request(id, "tools/list", "{}");
    const auto pending =
        GetParam().pipe() ? client.send(body) : client.post(client.head("tools/list", "{}"), body);
    const WireMessage reply = pending->reply();
    EXPECT_TRUE(reply.is_result()) << id;
    EXPECT_EQ(reply.id(), json::to_text(parse(id)));
  }
}

TEST_P(LifecycleTest, RefusesAnIdThatIsNoStringOrInteger) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, GetParam());
  const std::string long_id = '"' + std::string(300, 'x') + '"';
  for (const std::string& id : {std::string("null"), std::string("1.5"), std::string("1.0"),
                                std::string("1e2"), std::string("true"), std::string("{}"), std::string("[]"),
                                std::string("9223372036854775808"), std::string("1e400"), long_id}) {
    const std::string body = client.request(id, "tools/list", "{}");
    const auto pending =
        GetParam().pipe() ? client.send(body) : client.post(client.head("tools/list", "{}"), body);
    const WireMessage reply = GetParam().pipe() ? client.next() : pending->reply();
    EXPECT_EQ(reply.code(), -32600) << id;
    EXPECT_EQ(reply.id(), "") << id;
    if (!GetParam().pipe()) {
      EXPECT_EQ(pending->status(), 400);
    }
  }
}

TEST_P(LifecycleTest, AnswersWithAnErrorWhileItStops) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, GetParam());
  server->stop(std::chrono::milliseconds(0));
  const std::string body = client.request("99", "tools/list", "{}");
  const auto pending =
      GetParam().pipe() ? client.send(body) : client.post(client.head("tools/list", "{}"), body);
  const WireMessage reply = pending->reply();
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(reply.id(), "99");
  EXPECT_THAT(reply.error(), HasSubstr("stopping"));
  if (!GetParam().pipe()) {
    EXPECT_EQ(pending->status(), 503);
  }
}

TEST_P(LifecycleTest, StillHearsOfCancellationsWhileItStops) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("wait");
  ASSERT_TRUE(waiting.begun.wait());
  auto stopping = std::async(std::launch::async, [&] { return server->stop(kPatience); });
  ASSERT_TRUE(client.is_refused_soon());
  pending->cancel();
  EXPECT_EQ(stopping.wait_for(kPatience / 2), std::future_status::ready);
}

TEST_P(LifecycleTest, LetsRequestsFinishBeforeItStops) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("wait");
  ASSERT_TRUE(waiting.begun.wait());
  auto stopping = std::async(std::launch::async, [&] { server->stop(kPatience); });
  waiting.go.set();
  EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "done");
  EXPECT_EQ(stopping.wait_for(kPatience), std::future_status::ready);
}

TEST_P(LifecycleTest, CancelsRequestsThatDoNotFinishBeforeItStops) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("wait");
  ASSERT_TRUE(waiting.begun.wait());
  auto stopping = std::async(std::launch::async, [&] { server->stop(std::chrono::milliseconds(10)); });
  const WireMessage reply = pending->reply();
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_THAT(reply.error(), HasSubstr("stopping"));
  EXPECT_EQ(stopping.wait_for(kPatience), std::future_status::ready);
}

TEST_P(LifecycleTest, MayBeStoppedTwice) {
  TestServer server;
  TestClient client(*server, GetParam());
  server->stop(std::chrono::milliseconds(0));
  server->stop(std::chrono::milliseconds(0));
}

INSTANTIATE_TEST_SUITE_P(, LifecycleTest, ::testing::ValuesIn(both_eras()), dialect_name);

class ScopeTest : public LifecycleTest {};

TEST_P(ScopeTest, RefusesAnIdThatHasNoAnswerYet) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  server.add_echo();
  TestClient client(*server, GetParam());
  constexpr std::string_view kParams = R"({"name":"wait","arguments":{}})";
  const std::string body = client.request("70", "tools/call", kParams);
  const auto send = [&](const std::string& text) {
    return GetParam().pipe() ? client.send(text) : client.post(client.head("tools/call", kParams), text);
  };
  const auto first = send(body);
  ASSERT_TRUE(waiting.begun.wait());
  const auto second = send(body);
  EXPECT_EQ(second->reply().code(), -32602);
  waiting.go.set();
  EXPECT_EQ(first->reply().text({"result", "content", 0, "text"}), "done");
}

TEST_P(ScopeTest, KeepsAStringAndANumberApart) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, GetParam());
  constexpr std::string_view kParams = R"({"name":"wait","arguments":{}})";
  const auto send = [&](std::string_view id) {
    const std::string text = client.request(id, "tools/call", kParams);
    return GetParam().pipe() ? client.send(text) : client.post(client.head("tools/call", kParams), text);
  };
  const auto number = send("70");
  const auto text = send(R"("70")");
  waiting.go.set();
  EXPECT_EQ(number->reply().id(), "70");
  EXPECT_EQ(text->reply().id(), R"("70")");
}

TEST_P(ScopeTest, RefusesMoreThanItsShareOfRequests) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, GetParam());
  std::vector<std::unique_ptr<TestClient::Pending>> pending;
  for (int i = 0; i < 128; ++i) pending.push_back(client.start_tool("wait"));
  const WireMessage refused = client.call_tool("wait");
  EXPECT_EQ(refused.code(), -32603);
  EXPECT_EQ(refused.text({"error", "data", "code"}), "too_busy");
  EXPECT_THAT(refused.error(), HasSubstr("128"));
  TestClient other(*server, GetParam());
  EXPECT_EQ(other.call("tools/list").text({"result", "tools", 0, "name"}), "wait");
  waiting.go.set();
  for (const auto& each : pending) EXPECT_TRUE(each->reply().is_result());
}

INSTANTIATE_TEST_SUITE_P(, ScopeTest, ::testing::Values(kModernPipe, kLegacyPipe, kLegacyHttp), dialect_name);

TEST(ModernHttpScope, LetsTwoRequestsHaveOneId) {
  Waiting waiting;
  TestServer server;
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, kModernHttp);
  constexpr std::string_view kParams = R"({"name":"wait","arguments":{}})";
  const std::string body = client.request("1", "tools/call", kParams);
  const auto first = client.post(client.head("tools/call", kParams), body);
  const auto second = client.post(client.head("tools/call", kParams), body);
  waiting.go.set();
  EXPECT_TRUE(first->reply().is_result());
  EXPECT_TRUE(second->reply().is_result());
}

TEST(ModernHttpScope, RefusesMoreThanTheShareOfOneCaller) {
  Waiting waiting;
  ServerOptions options;
  options.worker_threads_max = 2;
  TestServer server(std::move(options));
  server.add_tool("wait", waiting.handler());
  TestClient client(*server, kModernHttp);
  std::vector<std::unique_ptr<TestClient::Pending>> pending;
  for (int i = 0; i < 512; ++i) pending.push_back(client.start_tool("wait"));
  const auto refused = client.start_tool("wait");
  EXPECT_EQ(refused->reply().text({"error", "data", "code"}), "too_busy");
  EXPECT_EQ(refused->status(), 503);
  waiting.go.set();
  for (const auto& each : pending) EXPECT_TRUE(each->reply().is_result());
}

// Lets nobody call `secret`, and nobody but alice read.
class FussyGate final : public catalog::Gate {
 public:
  void authenticate(const catalog::Credentials& /*credentials*/, AdmissionDone done) override {
    done(Admitted{.principal = local_principal()});
  }
  std::optional<Refusal> allow(const catalog::Caller& caller,
                               const std::vector<catalog::Operation>& operations) override {
    for (const catalog::Operation& operation : operations) {
      if (operation.method == "tools/call" && operation.target == "secret")
        return Refusal{.error = forbidden("call secret: not allowed"), .challenge = "Bearer scope=\"all\""};
      if (operation.method == "resources/read" && caller.principal.id != "token:alice")
        return Refusal{.error = forbidden("read: not allowed")};
    }
    return std::nullopt;
  }
};

class GateTest : public DialectTest {};

TEST_P(GateTest, RefusesWhatIsNotAllowed) {
  ServerOptions options;
  options.gate = std::make_shared<FussyGate>();
  TestServer server(std::move(options));
  server.add_echo();
  server.add_tool("secret", [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    ADD_FAILURE() << "the gate was not asked";
    return protocol::text_result("");
  });
  TestClient client(*server, GetParam());
  const auto pending = client.start_tool("secret");
  EXPECT_EQ(pending->reply().code(), -32600);
  if (!GetParam().pipe()) {
    EXPECT_EQ(pending->status(), 403);
  }
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"x"})").is_result());
}

INSTANTIATE_TEST_SUITE_P(, GateTest, ::testing::ValuesIn(both_eras()), dialect_name);

TEST(Gate, IsAskedWithWhoIsCalling) {
  ServerOptions options;
  options.gate = std::make_shared<FussyGate>();
  TestServer server(std::move(options));
  server.add_resource("memo:a", "A");
  TestClient alice(*server, kLegacyHttp, {.principal = {"token:alice"}});
  TestClient bob(*server, kLegacyHttp, {.principal = {"token:bob"}});
  EXPECT_TRUE(alice.call("resources/read", R"({"uri":"memo:a"})").is_result());
  EXPECT_EQ(bob.call("resources/read", R"({"uri":"memo:a"})").code(), -32600);
}

}  // namespace
}  // namespace sluice::server::testing
