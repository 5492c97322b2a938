#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/hosts/host.h"
#include "sluice/hosts/server_entry.h"

namespace sluice::hosts {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const ServerEntry kEntry = {.command = "/opt/sluice", .arguments = {"serve", "/data"}};

const HostShape& strict() { return find_host("claude-desktop")->shape; }
const HostShape& lenient() { return find_host("cursor")->shape; }
const HostShape& opencode() { return find_host("opencode")->shape; }

std::string added(const HostShape& shape, std::string_view text, std::string_view name = "sluice") {
  const Result<std::string> result = add_server(shape, text, name, kEntry);
  return result.ok() ? *result : "error: " + result.error().message;
}

std::string removed(const HostShape& shape, std::string_view text) {
  const Result<std::string> result = remove_server(shape, text, "sluice");
  return result.ok() ? *result : "error: " + result.error().message;
}

TEST(JsonEntry, MakesAFileThatDoesNotExist) {
  EXPECT_EQ(added(strict(), ""), R"({
  "mcpServers": {
    "sluice": {
      "command": "/opt/sluice",
      "args": ["serve", "/data"]
    }
  }
}
)");
}

TEST(JsonEntry, GoesBehindTheOtherServersInTheirLayout) {
  EXPECT_EQ(added(strict(),
                  "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"a\": {}\n\t},\n\t\"z\": [1,2]\n}"),
            "{\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"sluice\": {\n"
            "\t\t\t\"command\": \"/opt/sluice\",\n\t\t\t\"args\": [\"serve\", "
            "\"/data\"]\n\t\t}\n\t},\n\t\"z\": [1,2]\n}");
}

TEST(JsonEntry, KeepsCommentsCommasAndLineEndings) {
  EXPECT_EQ(
      added(lenient(),
            "{ // mine\r\n  \"mcpServers\": {\r\n    \"a\": {}, // first\r\n    /* last */\r\n  }\r\n}\r\n"),
      "{ // mine\r\n  \"mcpServers\": {\r\n    \"a\": {}, // first\r\n    /* last */\r\n"
      "    \"sluice\": {\r\n      \"command\": \"/opt/sluice\",\r\n"
      "      \"args\": [\"serve\", \"/data\"]\r\n    },\r\n  }\r\n}\r\n");
  EXPECT_EQ(added(lenient(), "{\n  \"mcpServers\": {\n    \"a\": {} // first\n  }\n}\n"),
            "{\n  \"mcpServers\": {\n    \"a\": {}, // first\n    \"sluice\": {\n"
            "      \"command\": \"/opt/sluice\",\n      \"args\": [\"serve\", \"/data\"]\n    }\n  }\n}\n");
}

TEST(JsonEntry, StaysOnOneLineIfTheOthersDo) {
  EXPECT_EQ(
      added(strict(), R"({"mcpServers":{"a":{}},"b":1})"),
      R"({"mcpServers":{"a":{}, "sluice": {"command": "/opt/sluice", "args": ["serve", "/data"]}},"b":1})");
}

TEST(JsonEntry, ChangesProgramAndArgumentsAndKeepsTheRest) {
  const std::string before = R"({"mcpServers": {
  "sluice": { "args": ["old"], "disabled": true, "command": "/old/sluice" , "env": {"A": "b"} } }})";
  EXPECT_EQ(added(strict(), before), R"({"mcpServers": {
  "sluice": { "args": ["serve", "/data"], "disabled": true, "command": "/opt/sluice" , "env": {"A": "b"} } }})");
  EXPECT_EQ(added(strict(), R"({"mcpServers":{"sluice":{"command":"x","env":{}}}})"),
            R"({"mcpServers":{"sluice":{"command":"/opt/sluice", "args": ["serve", "/data"],"env":{}}}})");
  EXPECT_EQ(added(opencode(), R"({"mcp":{"sluice":{"command":["x"],"enabled":false}}})"),
            R"({"mcp":{"sluice":{"command":["/opt/sluice", "serve", "/data"],"enabled":false}}})");
}

TEST(JsonEntry, ChangesNothingTheSecondTime) {
  for (const std::string_view text :
       {"", "{}", "{\"mcpServers\": {}}", "{ /* a */ }", "{\"a\": 1, // b\n}", "\xEF\xBB\xBF{\r\n}"}) {
    const std::string once = added(lenient(), text);
    EXPECT_THAT(once, HasSubstr("/opt/sluice")) << text;
    EXPECT_EQ(added(lenient(), once), once) << text;
  }
}

TEST(JsonEntry, IsRemovedWithItsComma) {
  for (const std::string_view text : {"{\"mcpServers\": {}}", "{\"mcpServers\": {\"a\": {}}}",
                                      "{\n  \"mcpServers\": {\n    \"a\": {} // b\n  }\n}\n",
                                      "{\n  \"mcpServers\": {\n    \"a\": {},\n  },\n}\n"}) {
    EXPECT_EQ(removed(lenient(), added(lenient(), text)), text);
  }
  EXPECT_EQ(removed(strict(), R"({"mcpServers":{"sluice":{"command":"x"},"b":{}}})"),
            R"({"mcpServers":{"b":{}}})");
  EXPECT_EQ(removed(strict(), R"({"mcpServers":{"b":{}}})"), R"({"mcpServers":{"b":{}}})");
  EXPECT_EQ(removed(strict(), ""), "");
}

TEST(JsonEntry, RefusesAnInvalidFileWithItsPlace) {
  EXPECT_EQ(added(strict(), "{\n  \"a\": tru\n}"), "error: line 2, column 8: a value was expected");
  EXPECT_EQ(added(strict(), "{\"ä\": 1 // x\n}"), "error: line 1, column 9: this host accepts no comments");
  EXPECT_EQ(added(strict(), "{\"a\": 1,}"), "error: line 1, column 9: a key in double quotes was expected");
  EXPECT_EQ(added(lenient(), "[1]"), "error: line 1, column 1: an object ({ … }) was expected");
  EXPECT_EQ(added(lenient(), "{\"a\": \"b\n\"}"), "error: line 1, column 9: a control character in a string");
  EXPECT_EQ(added(lenient(), "{\"a\": 1} x"),
            "error: line 1, column 10: nothing was expected after the object");
  EXPECT_EQ(added(lenient(), "{\"a\": \"\xFF\"}"), "error: line 1, column 8: bytes that are not UTF-8");
  EXPECT_EQ(added(lenient(), "{\"a\": truefalse}"), "error: line 1, column 11: a comma or } was expected");
  EXPECT_EQ(added(lenient(), "{\"mcpServers\": []}"),
            "error: line 1, column 2: mcpServers is not a table of servers");
  EXPECT_EQ(added(lenient(), "{ /* \n"), "error: line 1, column 3: the comment has no end");
}

TEST(JsonEntry, RefusesKeysThatAreThereTwice) {
  EXPECT_EQ(added(strict(), "{\"mcpServers\": {},\n\"mcpServers\": {}}"),
            "error: line 2, column 1: the key \"mcpServers\" is there twice, first in line 1, column 2");
  EXPECT_THAT(
      added(strict(), R"({"mcpServers": {"sluice": {"command": "a"}, "slu\u0069ce": {"command": "b"}}})"),
      StartsWith("error: line 1, column 45: the key \"sluice\" is there twice"));
}

TEST(JsonEntry, RefusesTheNameOfAServerWithoutACommand) {
  const Result<std::string> result =
      add_server(strict(), R"({"mcpServers": {"sluice": {"url": "https://a.example"}}})", "sluice", kEntry);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "host_name_taken");
}

TEST(JsonEntry, BoundsTheDepth) {
  const std::string deep = "{\"a\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THAT(added(strict(), deep), HasSubstr("more than 100 levels"));
}

TEST(JsonEntry, ReadsEscapesAndForeignServers) {
  const auto servers = read_servers(
      strict(),
      R"({"mcpServers": {"\ud83d\ude00": {"command": "a\tb", "args": ["\u00e9"], "env": {"A": "b", "C": 1}}, "url": {"url": "x"}}})");
  ASSERT_TRUE(servers.ok()) << servers.error().message;
  ASSERT_EQ(servers->size(), 2U);
  EXPECT_EQ((*servers)[0].name, "😀");
  EXPECT_EQ((*servers)[0].entry, (ServerEntry{.command = "a\tb", .arguments = {"é"}}));
  EXPECT_THAT((*servers)[0].environment, ::testing::ElementsAre(std::pair("A", "b")));
  EXPECT_EQ((*servers)[1].entry.command, "");
}

}  // namespace
}  // namespace sluice::hosts
