// Calling tools: what goes in is checked, what comes out is written as the revision has it.

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

protocol::Content content(auto body) { return {.body = std::move(body), .annotations = {}, .meta = {}}; }

// A result with one block of every kind.
Result<protocol::ToolResult> every_content(const json::Object&, Context&) {
  protocol::ToolResult result;
  result.content.push_back(protocol::text_content("text"));
  result.content.push_back(content(protocol::ImageContent{.bytes = "\x89PNG", .mime_type = "image/png"}));
  result.content.push_back(content(protocol::AudioContent{.bytes = "RIFF", .mime_type = "audio/wav"}));
  protocol::Resource link;
  link.uri = "memo:linked";
  link.name = "linked";
  link.title = "A linked memo";
  result.content.push_back(content(protocol::ResourceLink{link}));
  protocol::ResourceContents embedded;
  embedded.uri = "memo:embedded";
  embedded.mime_type = "text/plain";
  embedded.body = protocol::TextBody{"embedded"};
  result.content.push_back(content(protocol::EmbeddedResource{embedded}));
  protocol::ResourceContents blob;
  blob.uri = "memo:blob";
  blob.body = protocol::BlobBody{std::string("\0\1\2", 3)};
  result.content.push_back(content(protocol::EmbeddedResource{blob}));
  result.content.front().annotations =
      protocol::Annotations{.audience = {protocol::Role::kUser}, .priority = 0.5, .last_modified = {}};
  result.structured = json::Object{{"answer", 42}};
  return result;
}

class ToolTest : public DialectTest {};

TEST_P(ToolTest, ResultHasEveryKindOfContentThatTheRevisionKnows) {
  TestServer server;
  server.add_tool("every", every_content);
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call_tool("every");
  ASSERT_EQ(reply.size({"result", "content"}), 6);
  EXPECT_EQ(reply.text({"result", "content", 0, "annotations"}), R"({"audience":["user"],"priority":0.5})");
  EXPECT_EQ(reply.text({"result", "content", 1, "data"}), "iVBORw==");
  const bool audio = GetParam().revision >= Revision::k2025_03_26;
  const bool links = GetParam().revision >= Revision::k2025_06_18;
  EXPECT_EQ(reply.text({"result", "content", 2, "type"}), audio ? "audio" : "text");
  EXPECT_EQ(reply.text({"result", "content", 3, "type"}), links ? "resource_link" : "text");
  EXPECT_EQ(reply.text({"result", "content", 4, "resource", "text"}), "embedded");
  EXPECT_EQ(reply.text({"result", "content", 5, "resource", "blob"}), "AAEC");
  EXPECT_EQ(reply.has({"result", "structuredContent"}), links);
  if (!audio) {
    EXPECT_THAT(reply.text({"result", "content", 2, "text"}), HasSubstr("audio/wav, 4 bytes"));
  }
  if (!links) {
    EXPECT_THAT(reply.text({"result", "content", 3, "text"}), HasSubstr("memo:linked"));
  }
}

TEST_P(ToolTest, IsListedWithWhatTheRevisionKnows) {
  TestServer server;
  protocol::Tool tool;
  tool.name = "full";
  tool.title = "Full";
  tool.output_schema = parse(R"({"type":"object"})");
  tool.annotations = protocol::ToolAnnotations{.title = {}, .read_only = true};
  tool.icons.push_back({.src = "https://example.org/i.png", .mime_type = "image/png", .sizes = {"48x48"}});
  tool.meta = json::Object{{"example.org/kind", "test"}};
  server.registry->add_tool(tool, every_content);
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call("tools/list");
  const Revision revision = GetParam().revision;
  EXPECT_EQ(reply.has({"result", "tools", 0, "annotations"}), revision >= Revision::k2025_03_26);
  EXPECT_EQ(reply.has({"result", "tools", 0, "title"}), revision >= Revision::k2025_06_18);
  EXPECT_EQ(reply.has({"result", "tools", 0, "outputSchema"}), revision >= Revision::k2025_06_18);
  EXPECT_EQ(reply.has({"result", "tools", 0, "_meta"}), revision >= Revision::k2025_06_18);
  EXPECT_EQ(reply.has({"result", "tools", 0, "icons"}), revision >= Revision::k2025_11_25);
}

TEST_P(ToolTest, ThatReturnsAListIsStructuredInTheModernEraOnly) {
  TestServer server;
  server.add_tool("numbers", R"({"type":"array","items":{"type":"integer"}})",
                  [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                    return protocol::structured_result(json::Array{1, 2, 3});
                  });
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call_tool("numbers");
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), "[1,2,3]");
  EXPECT_EQ(reply.text({"result", "structuredContent"}), GetParam().modern() ? "[1,2,3]" : "");
  EXPECT_EQ(client.call("tools/list").has({"result", "tools", 0, "outputSchema"}), GetParam().modern());
}

TEST_P(ToolTest, ThatIsUnknownIsAnErrorThatNamesTheNearest) {
  TestServer server;
  server.add_echo();
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call_tool("ehco");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_THAT(reply.error(), HasSubstr("ehco"));
  EXPECT_THAT(reply.text({"error", "data", "hint"}), HasSubstr("echo"));
}

TEST_P(ToolTest, ArgumentsThatDoNotFitAreAResultThatSaysWhy) {
  TestServer server;
  server.add_tool(
      "pick",
      [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
        ADD_FAILURE() << "the handler must not see invalid arguments";
        return protocol::text_result("");
      },
      R"({"type":"object","properties":{"filters":{"type":"array","items":{"type":"object",
          "properties":{"op":{"enum":["=","<"]}}}},"limit":{"type":"integer","maximum":10}},
          "required":["filters"],"additionalProperties":false})");
  TestClient client(*server, GetParam());
  struct Case {
    const char* arguments;
    const char* path;
  };
  for (const Case& each : {Case{"{}", "arguments"}, Case{R"({"filters":1})", "arguments.filters"},
                           Case{R"({"filters":[{},{"op":"=="}]})", "arguments.filters[1].op"},
                           Case{R"({"filters":[],"limit":11})", "arguments.limit"},
                           Case{R"({"filters":[],"limt":1})", "arguments"}}) {
    const WireMessage reply = client.call_tool("pick", each.arguments);
    EXPECT_EQ(reply.text({"result", "isError"}), "true") << each.arguments;
    const WireMessage body(parse(reply.text({"result", "content", 0, "text"})));
    EXPECT_EQ(body.text({"code"}), "invalid_arguments");
    EXPECT_THAT(body.text({"diagnostics", 0, "path"}), HasSubstr(each.path));
    EXPECT_THAT(body.text({"error"}), HasSubstr(each.path));
    EXPECT_THAT(body.text({"hint"}), HasSubstr("pick"));
  }
}

TEST_P(ToolTest, WithoutArgumentsGetsAnEmptyObject) {
  TestServer server;
  server.add_tool("count", [](const json::Object& arguments, Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result(std::to_string(arguments.size()));
  });
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call("tools/call", R"({"name":"count"})").text({"result", "content", 0, "text"}), "0");
}

TEST_P(ToolTest, ErrorIsAResultThatTheModelCanRead) {
  TestServer server;
  server.add_tool("fail", [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    return not_found("open table: sales").with_code("no_such_table").with_hint("Try sales_2024.");
  });
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call_tool("fail");
  EXPECT_EQ(reply.text({"result", "isError"}), "true");
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}),
            R"({"error":"open table: sales","code":"no_such_table","hint":"Try sales_2024."})");
}

TEST_P(ToolTest, ResultThatBreaksItsOwnSchemaIsAnInternalError) {
  TestServer server;
  server.add_tool("liar", R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})",
                  [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                    return protocol::structured_result(json::Object{{"n", "secret"}});
                  });
  TestClient client(*server, GetParam());
  const WireMessage reply = client.call_tool("liar");
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_THAT(reply.error(), HasSubstr("liar"));
  EXPECT_THAT(reply.text({}), Not(HasSubstr("secret")));
}

TEST_P(ToolTest, WithAnOutputSchemaMustReturnStructuredContent) {
  TestServer server;
  server.add_tool("mute", R"({"type":"object"})",
                  [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                    return protocol::text_result("{}");
                  });
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call_tool("mute").code(), -32603);
}

TEST_P(ToolTest, ThatFailsNeedNotFitItsOutputSchema) {
  TestServer server;
  server.add_tool("fail", R"({"type":"object","required":["n"]})",
                  [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
                    protocol::ToolResult result = protocol::text_result("sorry");
                    result.is_error = true;
                    return result;
                  });
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call_tool("fail").text({"result", "isError"}), "true");
}

TEST_P(ToolTest, ThatThrowsIsAnInternalErrorAndTheServerLives) {
  TestServer server;
  server.add_echo();
  server.add_tool("throw", [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    throw std::runtime_error("a secret detail");
  });
  server.add_tool("throw_odd",
                  [](const json::Object&, Context&) -> Result<protocol::ToolResult> { throw 42; });
  TestClient client(*server, GetParam());
  for (const char* name : {"throw", "throw_odd"}) {
    const WireMessage reply = client.call_tool(name);
    EXPECT_EQ(reply.code(), -32603);
    EXPECT_THAT(reply.text({}), Not(HasSubstr("secret")));
  }
  EXPECT_TRUE(client.call_tool("echo", R"({"text":"alive"})").is_result());
}

TEST_P(ToolTest, ThatIsInstantRunsWhereTheRequestWasReceived) {
  std::thread::id ran_on;
  TestServer server;
  server.registry->add_tool(
      protocol::Tool{.name = "instant"},
      [&](const json::Object& arguments, Context&) -> Result<protocol::ToolResult> {
        ran_on = std::this_thread::get_id();
        if (arguments.contains("throw")) throw std::runtime_error("a bug");
        return protocol::text_result("now");
      },
      catalog::RunsOn::kReceivingThread);
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call_tool("instant").text({"result", "content", 0, "text"}), "now");
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_EQ(client.call_tool("instant", R"({"throw":true})").code(), -32603);
}

TEST_P(ToolTest, TextThatIsNotUtf8IsMended) {
  TestServer server;
  server.add_tool("bytes", [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result("a\xff\xc3(b");
  });
  TestClient client(*server, GetParam());
  EXPECT_EQ(client.call_tool("bytes").text({"result", "content", 0, "text"}).front(), 'a');
}

INSTANTIATE_TEST_SUITE_P(, ToolTest, ::testing::ValuesIn(every_dialect()), dialect_name);

TEST(Tool, SeesTheMetadataOfItsRequest) {
  TestServer server;
  server.add_tool("meta", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    return protocol::text_result(json::to_text(*context.meta().find("example.org/trace")));
  });
  TestClient client(*server, kModernPipe);
  const WireMessage reply =
      client.call("tools/call", R"({"name":"meta","_meta":{"example.org/trace":"abc"}})");
  EXPECT_EQ(reply.text({"result", "content", 0, "text"}), R"("abc")");
}

TEST(Tool, SeesWhoIsCalling) {
  TestServer server;
  server.add_tool("who", [](const json::Object&, Context& context) -> Result<protocol::ToolResult> {
    return protocol::text_result(context.principal().id);
  });
  TestClient alice(*server, kModernHttp, {.principal = {"token:alice"}});
  TestClient bob(*server, kLegacyHttp, {.principal = {"token:bob"}});
  TestClient local(*server, kLegacyPipe);
  EXPECT_EQ(alice.call_tool("who").text({"result", "content", 0, "text"}), "token:alice");
  EXPECT_EQ(bob.call_tool("who").text({"result", "content", 0, "text"}), "token:bob");
  EXPECT_EQ(local.call_tool("who").text({"result", "content", 0, "text"}), "local");
}

TEST(Tool, OfferedTwiceStopsTheServerFromStarting) {
  auto one = std::make_shared<Registry>("one");
  auto two = std::make_shared<Registry>("two");
  one->add_tool(protocol::Tool{.name = "same"}, every_content);
  two->add_tool(protocol::Tool{.name = "same"}, every_content);
  const Result<std::unique_ptr<Server>> server = Server::create({}, {one, two});
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(server.error().message, HasSubstr("same"));
}

TEST(Tool, ThatNeedsACapabilityItDoesNotNameIsStillAnsweredWithValidJson) {
  TestServer server;
  server.add_tool("picky", [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
    return make_error(ErrorKind::kMissingCapability, "something is missing");
  });
  TestClient client(*server, kModernPipe);
  EXPECT_EQ(client.call_tool("picky").text({"error", "data", "requiredCapabilities"}), "{}");
}

}  // namespace
}  // namespace sluice::server::testing
