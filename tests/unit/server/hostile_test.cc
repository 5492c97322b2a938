// Whatever a peer sends: an answer, never a crash, and the server goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/json/reader.h"

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

// One value of each JSON type, and some that are worse.
const std::vector<json::Value>& strange_values() {
  static const std::vector<json::Value> kValues{
      json::Value(nullptr),
      json::Value(true),
      json::Value(0),
      json::Value(-1),
      json::Value(json::Number{"1e400"}),
      json::Value(json::Number{"99999999999999999999999999"}),
      json::Value(1.5),
      json::Value(""),
      json::Value("x"),
      json::Value(std::string("\0", 1)),
      json::Value(std::string(70'000, 'y')),
      json::Value(json::Array{}),
      json::Value(json::Array{json::Object{}, nullptr, json::Array{}}),
      json::Value(json::Object{}),
      json::Value(json::Object{{"", json::Object{{"type", 7}}}, {"name", nullptr}}),
  };
  return kValues;
}

struct Request {
  const char* method;
  const char* params;
};

constexpr Request kModernRequests[] = {
    {"server/discover", "{}"},
    {"tools/list", R"({"cursor":"c"})"},
    {"tools/call", R"({"name":"echo","arguments":{"text":"a"},"inputResponses":{"k":{"action":"accept",
      "content":{"a":1}}},"requestState":"s","_meta":{"progressToken":1}})"},
    {"tools/call", R"({"name":"ask","arguments":{},"inputResponses":{"name":{"action":"accept",
      "content":{"name":"x"}}}})"},
    {"tools/call", R"({"name":"routed","arguments":{"region":"r","nested":{"deep":"x"}}})"},
    {"resources/list", R"({"cursor":"c"})"},
    {"resources/templates/list", R"({"cursor":"c"})"},
    {"resources/read", R"({"uri":"memo:a"})"},
    {"prompts/list", R"({"cursor":"c"})"},
    {"prompts/get", R"({"name":"greet","arguments":{"who":"x"}})"},
    {"completion/complete",
     R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""},
      "context":{"arguments":{"a":"b"}}})"},
    {"completion/complete", R"({"ref":{"type":"ref/resource","uri":"note:{id}"},
      "argument":{"name":"id","value":""}})"},
    {"tasks/get", R"({"taskId":"t"})"},
    {"tasks/update", R"({"taskId":"t","inputResponses":{"k":{"action":"accept"}}})"},
    {"tasks/cancel", R"({"taskId":"t"})"},
};

constexpr Request kLegacyRequests[] = {
    {"initialize", R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}},"sampling":{},
      "roots":{"listChanged":true},"extensions":{"a/b":{}}},"clientInfo":{"name":"n","version":"v"}})"},
    {"ping", "{}"},
    {"logging/setLevel", R"({"level":"info"})"},
    {"tools/list", R"({"cursor":"c"})"},
    {"tools/call", R"({"name":"echo","arguments":{"text":"a"},"_meta":{"progressToken":1}})"},
    {"resources/list", R"({"cursor":"c"})"},
    {"resources/templates/list", R"({"cursor":"c"})"},
    {"resources/read", R"({"uri":"memo:a"})"},
    {"resources/subscribe", R"({"uri":"memo:a"})"},
    {"resources/unsubscribe", R"({"uri":"memo:a"})"},
    {"prompts/list", R"({"cursor":"c"})"},
    {"prompts/get", R"({"name":"greet","arguments":{"who":"x"}})"},
    {"completion/complete",
     R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""},
      "context":{"arguments":{"a":"b"}}})"},
};

// Calls `visit` with `whole` after each of its parts in turn was replaced by each strange value or left out.
// `part` is a part of `whole`; the id stays, so that the answer can be told.
template <typename Visit>
void mutate(const json::Value& whole, json::Value& part, int depth, const Visit& visit) {
  json::Object* object = part.if_object();
  if (object == nullptr) return;
  std::vector<std::string> keys;
  for (const json::Member& member : object->members()) keys.push_back(member.key);
  for (const std::string& key : keys) {
    if (depth == 0 && key == "id") continue;
    const json::Value original = *object->find(key);
    for (const json::Value& strange : strange_values()) {
      object->set(key, strange);
      visit(whole, key);
    }
    object->erase(key);
    visit(whole, key);
    object->set(key, original);
  }
  for (const std::string& key : keys) mutate(whole, *object->find(key), depth + 1, visit);
}

class HostileTest : public DialectTest {
 protected:
  HostileTest() {
    server.add_echo();
    server.add_resource("memo:a", "A");
    server.add_tool("ask", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
      SLUICE_TRY(const protocol::ElicitAnswer answer, context.ask_form("name", name_form()));
      return protocol::text_result(describe(answer));
    });
    server.add_tool(
        "routed",
        [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
          return protocol::text_result("");
        },
        R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
            "nested":{"type":"object","properties":{"deep":{"type":"string","x-mcp-header":"Deep"}}}}})");
    server.add_prompt("greet", "Hello");
    server.registry->add_completion("greet", [](const protocol::CompletionRequest&) {
      return Result<protocol::Completion>(protocol::Completion{.values = {"a"}});
    });
    EXPECT_TRUE(server.registry
                    ->add_template({.uri_template = "note:{id}", .name = "note"},
                                   [](const ResourceUri&, const TemplateValues&, Context&)
                                       -> Result<protocol::ReadResult> { return protocol::ReadResult{}; })
                    .ok());
  }

  bool is_alive(TestClient& client) {
    return client.call_tool("echo", R"({"text":"alive"})").text({"result", "content", 0, "text"}) == "alive";
  }

  TestServer server;
};

class MutationTest : public HostileTest {};

// A request that is broken in one place has one answer: an error or a result.
TEST_P(MutationTest, OfEveryFieldOfEveryRequestIsAnswered) {
  TestClient client(*server, GetParam(), {.capabilities = R"({"elicitation":{}})"});
  const bool modern = GetParam().modern();
  const auto first = modern ? std::begin(kModernRequests) : std::begin(kLegacyRequests);
  const auto last = modern ? std::end(kModernRequests) : std::end(kLegacyRequests);
  for (auto request = first; request != last; ++request) {
    json::Value whole = parse(client.request("0", request->method, request->params));
    const protocol::HttpHead head = client.head(request->method, request->params);
    mutate(whole, whole, 0, [&](const json::Value& broken, const std::string& key) {
      const std::string id = client.next_id();
      json::Value sent = broken;
      sent.if_object()->set("id", parse(id));
      // Without a method there is nothing to answer: such a text is a response, and not to a question of
      // ours.
      const json::Value* method = sent.find("method");
      if (method == nullptr) return;
      const std::string body = json::to_text(sent);
      const auto pending = GetParam().pipe() ? client.send(body) : client.post(head, body);
      const WireMessage reply = pending->reply();
      EXPECT_TRUE(reply.is_result() || reply.code() != 0) << request->method << " with a strange " << key;
    });
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_TRUE(is_alive(client));
}

INSTANTIATE_TEST_SUITE_P(, MutationTest, ::testing::ValuesIn(both_eras()), dialect_name);

class HostileEnvelopeTest : public HostileTest {};

TEST_P(HostileEnvelopeTest, ThatIsNoJsonIsAParseError) {
  TestClient client(*server, GetParam());
  for (const std::string& text : std::initializer_list<std::string>{
           "", " ", "{", "}", "nul", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "\xff\xfe", "{\"jsonrpc\":\"2.0\"",
           "[1", "{} {}", std::string(100, '['), std::string(70, '[') + std::string(70, ']'), "\"\\ud800\"",
           std::string("\0", 1), "'single'", "NaN", "01"}) {
    const auto pending = client.send(text);
    const WireMessage reply = GetParam().pipe() ? client.next() : pending->reply();
    EXPECT_EQ(reply.code(), -32700) << text;
    EXPECT_EQ(reply.id(), "");
    if (!GetParam().pipe()) {
      EXPECT_EQ(pending->status(), 400) << text;
    }
  }
  EXPECT_TRUE(is_alive(client));
}

TEST_P(HostileEnvelopeTest, NotificationsAreNeverAnswered) {
  TestClient client(*server, GetParam());
  for (const json::Value& strange : strange_values()) {
    for (const char* method : {"notifications/cancelled", "notifications/initialized",
                               "notifications/progress", "notifications/roots/list_changed", "tools/call"}) {
      const std::string body =
          json::to_text(json::Object{{"jsonrpc", "2.0"},
                                     {"method", method},
                                     {"params", json::Object{{"requestId", strange}, {"name", strange}}}});
      const auto pending =
          GetParam().pipe() ? client.send(body) : client.post(client.head(method, "{}"), body);
      if (!GetParam().pipe()) {
        EXPECT_EQ(pending->status(), 202) << body;
      }
    }
  }
  EXPECT_TRUE(is_alive(client));
  if (GetParam().pipe()) {
    EXPECT_TRUE(client.is_quiet());
  }
}

INSTANTIATE_TEST_SUITE_P(, HostileEnvelopeTest, ::testing::ValuesIn(both_eras()), dialect_name);

TEST_F(HostileTest, AnswersToQuestionsNobodyAskedAreIgnored) {
  TestClient client(*server, kLegacyPipe);
  for (const json::Value& strange : strange_values()) {
    const std::string value = json::to_text(strange);
    client.send(R"({"jsonrpc":"2.0","id":1,"result":)" + value + "}");
    client.send(R"({"jsonrpc":"2.0","id":"1","error":{"code":1,"message":)" + value + "}}");
  }
  EXPECT_TRUE(is_alive(client));
}

TEST_F(HostileTest, ListenWithStrangeFiltersIsAnswered) {
  TestClient client(*server, kModernHttp);
  json::Value whole = parse(client.request("0", "subscriptions/listen", R"({"notifications":{
    "toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,
    "resourceSubscriptions":["memo:a"],"taskIds":[]}})"));
  const protocol::HttpHead head = client.head("subscriptions/listen", "{}");
  json::Value& filter = *whole.if_object()->find("params")->if_object()->find("notifications");
  mutate(whole, filter, 1, [&](const json::Value& broken, const std::string&) {
    const auto pending = client.post(head, json::to_text(broken));
    pending->cancel();
  });
  EXPECT_TRUE(is_alive(client));
}

TEST_F(HostileTest, ManyPipesMayComeAndGo) {
  for (int i = 0; i < 300; ++i) {
    TestClient client(*server, i % 2 == 0 ? kLegacyPipe : kModernPipe);
    client.start_tool("echo", R"({"text":"never read"})");
    if (i % 3 == 0) client.close();
  }
  TestClient client(*server, kModernPipe);
  EXPECT_TRUE(is_alive(client));
}

}  // namespace
}  // namespace sluice::server::testing
