// Headers of the modern era mirror the body; where they do not, the request is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kRouted = R"({
  "type": "object",
  "properties": {
    "region": { "type": "string", "x-mcp-header": "Region" },
    "size": { "type": "integer", "x-mcp-header": "Size" },
    "dry": { "type": "boolean", "x-mcp-header": "Dry" },
    "nested": { "type": "object", "properties": { "deep": { "type": "string", "x-mcp-header": "Deep" } } }
  }
})";

using Params = std::vector<std::pair<std::string, std::string>>;

class HeaderTest : public ::testing::Test {
 protected:
  HeaderTest() : client(*server, kModernHttp) {
    server.add_echo();
    server.add_tool(
        "routed",
        [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
          return protocol::text_result("routed");
        },
        kRouted);
  }

  // Posts a well-made request after `spoil` has changed its headers.
  template <typename Spoil>
  WireMessage post(std::string_view method, std::string_view params, Spoil spoil) {
    protocol::HttpHead head = client.head(method, params);
    spoil(head);
    const auto pending = client.post(std::move(head), client.request(client.next_id(), method, params));
    const WireMessage reply = pending->reply();
    if (reply.code() != 0) {
      EXPECT_EQ(pending->status(), 400);
    }
    return reply;
  }

  WireMessage call_routed(std::string_view arguments, Params headers) {
    const std::string params = R"({"name":"routed","arguments":)" + std::string(arguments) + "}";
    return post("tools/call", params,
                [&](protocol::HttpHead& head) { head.mcp_params = std::move(headers); });
  }

  TestServer server;
  TestClient client;
};

TEST_F(HeaderTest, ProtocolVersionIsRequired) {
  const WireMessage reply =
      post("tools/list", "{}", [](protocol::HttpHead& head) { head.protocol_version.reset(); });
  EXPECT_EQ(reply.code(), -32020);
  EXPECT_THAT(reply.error(), HasSubstr("MCP-Protocol-Version is missing"));
}

TEST_F(HeaderTest, ProtocolVersionMustBeTheOneOfTheBody) {
  const WireMessage reply =
      post("tools/list", "{}", [](protocol::HttpHead& head) { head.protocol_version = "2025-11-25"; });
  EXPECT_EQ(reply.code(), -32020);
  EXPECT_THAT(reply.error(), HasSubstr("2025-11-25"));
}

TEST_F(HeaderTest, ProtocolVersionAloneDoesNotReplaceTheBody) {
  const auto pending = client.post(client.head("tools/list", "{}"),
                                   R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})");
  EXPECT_EQ(pending->reply().code(), -32602);
  EXPECT_EQ(pending->status(), 400);
}

TEST_F(HeaderTest, MethodIsRequired) {
  const WireMessage reply =
      post("tools/list", "{}", [](protocol::HttpHead& head) { head.mcp_method.reset(); });
  EXPECT_EQ(reply.code(), -32020);
  EXPECT_THAT(reply.error(), HasSubstr("Mcp-Method is missing"));
}

TEST_F(HeaderTest, MethodMustBeTheOneOfTheBodyToTheLetter) {
  const WireMessage reply =
      post("tools/list", "{}", [](protocol::HttpHead& head) { head.mcp_method = "Tools/List"; });
  EXPECT_EQ(reply.code(), -32020);
}

TEST_F(HeaderTest, MethodIsComparedEvenWhereItIsUnknown) {
  const WireMessage reply =
      post("tools/imagine", "{}", [](protocol::HttpHead& head) { head.mcp_method = "tools/list"; });
  EXPECT_EQ(reply.code(), -32020);
}

TEST_F(HeaderTest, NameIsRequiredForACall) {
  const WireMessage reply = post("tools/call", R"({"name":"echo","arguments":{"text":"a"}})",
                                 [](protocol::HttpHead& head) { head.mcp_name.reset(); });
  EXPECT_EQ(reply.code(), -32020);
  EXPECT_THAT(reply.error(), HasSubstr("Mcp-Name is missing"));
}

TEST_F(HeaderTest, NameMustBeTheOneOfTheBody) {
  const WireMessage reply = post("tools/call", R"({"name":"echo","arguments":{"text":"a"}})",
                                 [](protocol::HttpHead& head) { head.mcp_name = "routed"; });
  EXPECT_EQ(reply.code(), -32020);
}

TEST_F(HeaderTest, NameIsNotNeededForAList) {
  EXPECT_TRUE(post("tools/list", "{}", [](protocol::HttpHead&) {}).is_result());
}

TEST_F(HeaderTest, NameOfAResourceIsItsUri) {
  server.add_resource("memo:a", "A");
  EXPECT_TRUE(post("resources/read", R"({"uri":"memo:a"})", [](protocol::HttpHead&) {}).is_result());
  EXPECT_EQ(post("resources/read", R"({"uri":"memo:a"})",
                 [](protocol::HttpHead& head) { head.mcp_name = "memo:b"; })
                .code(),
            -32020);
}

TEST_F(HeaderTest, NameMayBeInBase64) {
  EXPECT_TRUE(post("tools/call", R"({"name":"echo","arguments":{"text":"a"}})", [](protocol::HttpHead& head) {
                head.mcp_name = "=?base64?ZWNobw==?=";
              }).is_result());
}

TEST_F(HeaderTest, NameOutsideAsciiIsComparedDecoded) {
  server.add_prompt("gr\xc3\xbc\xc3\x9f", "Hello");
  EXPECT_TRUE(post("prompts/get", "{\"name\":\"gr\xc3\xbc\xc3\x9f\"}", [](protocol::HttpHead& head) {
                EXPECT_EQ(head.mcp_name, "=?base64?Z3LDvMOf?=");
              }).is_result());
}

TEST_F(HeaderTest, NameInInvalidBase64IsRefused) {
  const WireMessage reply = post("tools/call", R"({"name":"echo","arguments":{"text":"a"}})",
                                 [](protocol::HttpHead& head) { head.mcp_name = "=?base64?Z!=?="; });
  EXPECT_EQ(reply.code(), -32020);
  EXPECT_THAT(reply.error(), HasSubstr("base64"));
}

TEST_F(HeaderTest, NameInRawUtf8IsRefused) {
  server.add_prompt("gr\xc3\xbc\xc3\x9f", "Hello");
  EXPECT_EQ(post("prompts/get", "{\"name\":\"gr\xc3\xbc\xc3\x9f\"}",
                 [](protocol::HttpHead& head) { head.mcp_name = "gr\xc3\xbc\xc3\x9f"; })
                .code(),
            -32020);
}

TEST_F(HeaderTest, ParameterOfEachTypeIsAcceptedAsWritten) {
  EXPECT_TRUE(call_routed(R"({"region":"us-west1","size":42,"dry":true,"nested":{"deep":"x"}})",
                          {{"region", "us-west1"}, {"size", "42"}, {"dry", "true"}, {"deep", "x"}})
                  .is_result());
}

TEST_F(HeaderTest, ParameterThatIsAnIntegerIsComparedAsANumber) {
  EXPECT_TRUE(call_routed(R"({"size":42})", {{"size", "42.0"}}).is_result());
  EXPECT_TRUE(call_routed(R"({"size":42.0})", {{"size", "42"}}).is_result());
  EXPECT_EQ(call_routed(R"({"size":42})", {{"size", "43"}}).code(), -32020);
  EXPECT_EQ(call_routed(R"({"size":42})", {{"size", "forty-two"}}).code(), -32020);
  EXPECT_EQ(call_routed(R"({"size":42})", {{"size", ""}}).code(), -32020);
}

TEST_F(HeaderTest, ParameterThatIsNoNumberDoesNotConfuseTheComparison) {
  for (const char* odd : {"+", "-", ".", "e", "4e", "--42", "4.2.0", "1e999999999999", "+42", "0x2a", " 42"})
    EXPECT_EQ(call_routed(R"({"size":42})", {{"size", odd}}).code(), -32020) << odd;
}

TEST_F(HeaderTest, ParameterThatIsABooleanIsLowerCase) {
  EXPECT_EQ(call_routed(R"({"dry":true})", {{"dry", "True"}}).code(), -32020);
  EXPECT_EQ(call_routed(R"({"dry":true})", {{"dry", "false"}}).code(), -32020);
  EXPECT_TRUE(call_routed(R"({"dry":false})", {{"dry", "false"}}).is_result());
}

TEST_F(HeaderTest, ParameterMayBeInBase64) {
  EXPECT_TRUE(call_routed(R"({"region":"Hello, 世界"})", {{"region", "=?base64?SGVsbG8sIOS4lueVjA==?="}})
                  .is_result());
  EXPECT_TRUE(call_routed(R"({"region":" padded "})", {{"region", "=?base64?IHBhZGRlZCA=?="}}).is_result());
  EXPECT_TRUE(
      call_routed(R"({"region":"=?base64?literal?="})", {{"region", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="}})
          .is_result());
}

TEST_F(HeaderTest, ParameterInInvalidBase64IsRefused) {
  for (const char* bad : {"=?base64?***?=", "=?base64?SGVsbG8?=", "=?base64?/w==?="})
    EXPECT_EQ(call_routed(R"({"region":"Hello"})", {{"region", bad}}).code(), -32020) << bad;
}

TEST_F(HeaderTest, ParameterWithControlCharactersIsRefused) {
  EXPECT_EQ(call_routed(R"({"region":"a\nb"})", {{"region", "a\nb"}}).code(), -32020);
}

TEST_F(HeaderTest, ParameterThatTheBodyHasMustBeMirrored) {
  const WireMessage reply = call_routed(R"({"region":"us-west1"})", {});
  EXPECT_EQ(reply.code(), -32020);
  EXPECT_THAT(reply.error(), HasSubstr("Mcp-Param-region is missing"));
}

TEST_F(HeaderTest, ParameterThatIsNullOrAbsentIsNotExpected) {
  EXPECT_TRUE(call_routed("{}", {}).is_result());
  const WireMessage null = call_routed(R"({"region":null})", {});
  EXPECT_EQ(null.text({"result", "isError"}),
            "true");  // The schema has no null here, but no header is missing.
}

TEST_F(HeaderTest, ParameterThatTheBodyDoesNotHaveIsRefused) {
  EXPECT_EQ(call_routed("{}", {{"region", "us-west1"}}).code(), -32020);
}

TEST_F(HeaderTest, ParameterThatNoAnnotationNamesIsIgnored) {
  EXPECT_TRUE(call_routed("{}", {{"colour", "red"}}).is_result());
}

TEST_F(HeaderTest, AreNotLookedAtOnAPipe) {
  TestClient pipe(*server, kModernPipe);
  EXPECT_TRUE(pipe.call_tool("routed", R"({"region":"us-west1"})").is_result());
}

TEST_F(HeaderTest, AreNotLookedAtInTheLegacyEra) {
  TestClient legacy(*server, kLegacyHttp);
  EXPECT_TRUE(legacy.call_tool("routed", R"({"region":"us-west1"})").is_result());
}

}  // namespace
}  // namespace sluice::server::testing
