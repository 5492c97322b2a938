#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/hosts/host.h"
#include "sluice/hosts/server_entry.h"

namespace sluice::hosts {
namespace {

using ::testing::HasSubstr;

const ServerEntry kEntry = {.command = "/opt/sluice", .arguments = {"serve", "/data"}};
const std::string kSection =
    "[mcp_servers.sluice]\ncommand = \"/opt/sluice\"\nargs = [\"serve\", \"/data\"]\n";

const HostShape& codex() { return find_host("codex")->shape; }

std::string added(std::string_view text, std::string_view name = "sluice") {
  const Result<std::string> result = add_server(codex(), text, name, kEntry);
  return result.ok() ? *result : "error: " + result.error().message;
}

std::string removed(std::string_view text) {
  const Result<std::string> result = remove_server(codex(), text, "sluice");
  return result.ok() ? *result : "error: " + result.error().message;
}

TEST(TomlEntry, IsASectionAtTheEnd) {
  EXPECT_EQ(added(""), kSection);
  EXPECT_EQ(added("model = \"o3\" # mine"), "model = \"o3\" # mine\n\n" + kSection);
  EXPECT_EQ(added("[mcp_servers.a]\ncommand = 'b'\n\n"), "[mcp_servers.a]\ncommand = 'b'\n\n" + kSection);
  EXPECT_EQ(
      added("a = 1\r\n"),
      "a = 1\r\n\r\n[mcp_servers.sluice]\r\ncommand = \"/opt/sluice\"\r\nargs = [\"serve\", \"/data\"]\r\n");
}

TEST(TomlEntry, QuotesANameThatNeedsIt) {
  EXPECT_THAT(added("", "my data"), HasSubstr("[mcp_servers.\"my data\"]"));
}

TEST(TomlEntry, GoesIntoAnInlineTable) {
  const std::string made = R"(sluice = { command = "/opt/sluice", args = ["serve", "/data"] })";
  EXPECT_EQ(added("mcp_servers = { a = { command = 'b' } } # c\n"),
            "mcp_servers = { a = { command = 'b' }, " + made + " } # c\n");
  EXPECT_EQ(added("mcp_servers = {}\n"), "mcp_servers = { " + made + " }\n");
}

TEST(TomlEntry, ChangesProgramAndArgumentsAndKeepsTheRest) {
  EXPECT_EQ(added("[mcp_servers.sluice] # a\n  command = 'old' # b\n  startup_timeout_sec = 20\n  args = [\n "
                  "'x', # y\n]\n[z]\n"),
            "[mcp_servers.sluice] # a\n  command = \"/opt/sluice\" # b\n  startup_timeout_sec = 20\n"
            "  args = [\"serve\", \"/data\"]\n[z]\n");
  EXPECT_EQ(added("[mcp_servers.sluice]\n  command = '/opt/sluice' # b\n[mcp_servers.sluice.env]\nA = 'b'\n"),
            "[mcp_servers.sluice]\n  command = '/opt/sluice' # b\n  args = [\"serve\", \"/data\"]\n"
            "[mcp_servers.sluice.env]\nA = 'b'\n");
  EXPECT_EQ(added("mcp_servers.sluice.command = 'x'\nmcp_servers.sluice.env.A = 'b'\n"),
            "mcp_servers.sluice.command = \"/opt/sluice\"\nmcp_servers.sluice.args = [\"serve\", \"/data\"]\n"
            "mcp_servers.sluice.env.A = 'b'\n");
  EXPECT_EQ(
      added("[mcp_servers]\nsluice = { command = 'x', env = {} }\n"),
      "[mcp_servers]\nsluice = { command = \"/opt/sluice\", args = [\"serve\", \"/data\"], env = {} }\n");
}

TEST(TomlEntry, ChangesNothingTheSecondTime) {
  for (const std::string_view text : {"", "a = 1", "mcp_servers = {}", "[mcp_servers]\n", "\n# end",
                                      "mcp_servers.sluice.command = 'x'", "[[a]]\nb = '''\nc'''''\n"}) {
    const std::string once = added(text);
    EXPECT_THAT(once, HasSubstr("/opt/sluice")) << text;
    EXPECT_EQ(added(once), once) << text;
  }
}

TEST(TomlEntry, IsRemoved) {
  for (const std::string_view text :
       {"", "a = 1\n", "[b]\nc = 1 # d\n", "mcp_servers = {}\n", "mcp_servers = {a = {command = 'b'}}\n"})
    EXPECT_EQ(removed(added(text)), text);
  EXPECT_EQ(
      removed(
          "[mcp_servers.sluice]\ncommand = 'x' # a\n# of b\n[b]\n[mcp_servers.sluice.env]\nA = 'b'\n[c]\n"),
      "# of b\n[b]\n[c]\n");
  EXPECT_EQ(
      removed("mcp_servers = {sluice.command = 'a', sluice.args = [], b = {}, sluice.env = {}, c = {}}"),
      "mcp_servers = {b = {}, c = {}}");
}

TEST(TomlEntry, RefusesAnInvalidFileWithItsPlace) {
  EXPECT_EQ(added("a = 1\nb = tru\n"), "error: line 2, column 5: a value was expected");
  EXPECT_EQ(added("[a]\n[a]\n"), "error: line 2, column 2: the table is defined twice");
  EXPECT_EQ(added("a = 1\na = 2\n"), "error: line 2, column 1: a is there twice");
  EXPECT_EQ(added("a = \"b\n"), "error: line 1, column 7: the string has no end");
  EXPECT_EQ(added("a = 1 b = 2\n"), "error: line 1, column 7: the end of the line was expected");
  EXPECT_EQ(added("[[mcp_servers]]\n"), "error: line 1, column 3: mcp_servers is not a table of servers");
  EXPECT_EQ(added("a = 2023-02-29\n"), "error: line 1, column 9: the end of the line was expected");
  EXPECT_THAT(added("a = " + std::string(100'000, '[')), HasSubstr("more than 100 levels"));
}

TEST(TomlEntry, RefusesTheNameOfAServerWithoutACommand) {
  EXPECT_EQ(added("[mcp_servers.sluice]\nurl = 'https://a.example'\n"),
            "error: line 1, column 14: another server has the name sluice");
  EXPECT_EQ(added("[mcp_servers.sluice.env]\nA = 'b'\n"),
            "error: line 1, column 14: another server has the name sluice");
}

}  // namespace
}  // namespace sluice::hosts
