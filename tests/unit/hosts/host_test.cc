#include "sluice/hosts/host.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/hosts/server_entry.h"

namespace sluice::hosts {
namespace {

const ServerEntry kEntry = {.command = "/opt/sluice", .arguments = {"serve", "/my data"}};

TEST(Hosts, EachHasAnIdOfItsOwnAndIsFoundByIt) {
  std::set<std::string_view> ids;
  for (const Host& host : all_hosts()) {
    EXPECT_TRUE(ids.insert(host.id).second) << host.id;
    EXPECT_EQ(find_host(host.id), &host);
  }
  EXPECT_EQ(find_host("notepad"), nullptr);
}

TEST(Hosts, EachSaysWhereItsFileIsAndHowItIsFound) {
  for (const Host& host : all_hosts()) {
    EXPECT_TRUE(host.user_file.linux_path.starts_with("~/")) << host.id;
    EXPECT_TRUE(host.user_file.macos_path.starts_with("~/")) << host.id;
    EXPECT_TRUE(host.user_file.windows_path.starts_with("%")) << host.id;
    EXPECT_TRUE(host.traces.front().starts_with("~/")) << host.id;
    EXPECT_EQ(host.variable.empty(), host.variable_file.empty()) << host.id;
    EXPECT_FALSE(host.project_file.starts_with("/")) << host.id;
  }
}

TEST(Hosts, EachTakesAServerIntoAnEmptyFileAndReadsItBack) {
  for (const Host& host : all_hosts()) {
    const Result<std::string> text = add_server(host.shape, "", "sluice", kEntry);
    ASSERT_TRUE(text.ok()) << host.id << ": " << text.error().message;
    const auto servers = read_servers(host.shape, *text);
    ASSERT_TRUE(servers.ok()) << host.id << ": " << servers.error().message << "\n" << *text;
    ASSERT_EQ(servers->size(), 1U) << host.id;
    EXPECT_EQ(servers->front().name, "sluice");
    EXPECT_EQ(servers->front().entry, kEntry) << host.id;
  }
}

TEST(Hosts, CommandsThatAddAServerQuoteWhatAShellWouldSplit) {
  EXPECT_EQ(add_command(*find_host("claude-code"), "sluice", kEntry),
            "claude mcp add --scope user --transport stdio sluice -- /opt/sluice serve '/my data'");
  EXPECT_EQ(add_command(*find_host("codex"), "it's", kEntry),
            R"(codex mcp add 'it'\''s' -- /opt/sluice serve '/my data')");
  EXPECT_EQ(add_command(*find_host("vscode"), "sluice", kEntry),
            R"(code --add-mcp '{"name":"sluice","command":"/opt/sluice","args":["serve","/my data"]}')");
  EXPECT_EQ(add_command(*find_host("cursor"), "sluice", kEntry), "");
}

}  // namespace
}  // namespace sluice::hosts
