#include "sluice/protocol/jsonrpc/message.h"

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

namespace sluice::protocol {
namespace {

using ::testing::HasSubstr;

std::variant<Message, EnvelopeProblem> parse(std::string_view text) {
  return parse_message(json::read(text).value());
}

template <typename Kind>
Kind expect(std::string_view text) {
  const auto parsed = parse(text);
  const auto* message = std::get_if<Message>(&parsed);
  EXPECT_NE(message, nullptr) << text;
  return std::get<Kind>(*message);
}

EnvelopeProblem problem(std::string_view text) {
  const auto parsed = parse(text);
  EXPECT_TRUE(std::holds_alternative<EnvelopeProblem>(parsed)) << text;
  return std::get<EnvelopeProblem>(parsed);
}

TEST(ParseMessage, TellsRequestsNotificationsAndResponsesApart) {
  EXPECT_EQ(expect<Request>(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").method, "ping");
  EXPECT_EQ(expect<Notification>(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").method,
            "notifications/initialized");
  EXPECT_TRUE(expect<Response>(R"({"jsonrpc":"2.0","id":1,"result":{}})").result.has_value());
  EXPECT_EQ(expect<Response>(R"({"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no"}})").error_code,
            -5);
}

TEST(ParseMessage, KeepsTheKindOfAnId) {
  EXPECT_EQ(to_json(expect<Request>(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").id), "7");
  EXPECT_EQ(to_json(expect<Request>(R"({"jsonrpc":"2.0","id":"7","method":"ping"})").id), "\"7\"");
  EXPECT_NE(expect<Request>(R"({"jsonrpc":"2.0","id":7,"method":"x"})").id,
            expect<Request>(R"({"jsonrpc":"2.0","id":"7","method":"x"})").id);
}

TEST(ParseMessage, RefusesIdsThatCannotBeEchoed) {
  for (const std::string_view id :
       {"null", "1.5", "1.0", "1e3", "99999999999999999999", "true", "[]", "{}"}) {
    const EnvelopeProblem refused =
        problem(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"ping"})");
    EXPECT_FALSE(refused.id.has_value()) << id;
    EXPECT_THAT(refused.error.message, HasSubstr("id must be")) << id;
  }
  EXPECT_THAT(
      problem(R"({"jsonrpc":"2.0","id":")" + std::string(257, 'x') + R"(","method":"ping"})").error.message,
      HasSubstr("longer"));
}

TEST(ParseMessage, KeepsTheIdOfABrokenRequest) {
  const EnvelopeProblem refused = problem(R"({"jsonrpc":"2.0","id":5,"method":7})");
  ASSERT_TRUE(refused.id.has_value());
  EXPECT_EQ(to_json(*refused.id), "5");
}

TEST(ParseMessage, RefusesEveryBrokenEnvelope) {
  for (const std::string_view text :
       {R"({})", R"({"jsonrpc":"1.0","id":1,"method":"x"})", R"({"jsonrpc":2.0,"id":1,"method":"x"})",
        R"({"id":1,"method":"x"})", R"({"jsonrpc":"2.0","id":1,"method":""})",
        R"({"jsonrpc":"2.0","id":1,"method":null})", R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","params":"p"})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","params":null})",
        R"({"jsonrpc":"2.0","id":1,"method":"x","result":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})",
        R"({"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","result":{}})", R"(7)", R"("x")", R"(null)"}) {
    EXPECT_THAT(problem(text).error.message, HasSubstr("JSON-RPC")) << text;
  }
}

TEST(Messages, AreCompactJson) {
  EXPECT_EQ(result_message(RequestId{std::int64_t{1}}, "{}"), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(error_message(std::nullopt, WireError{.code = -32700, .message = "bad \"text\""}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"bad \"text\""}})");
  EXPECT_EQ(notification_message("a/b", ""), R"({"jsonrpc":"2.0","method":"a/b"})");
}

}  // namespace
}  // namespace sluice::protocol
