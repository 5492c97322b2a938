// The example of docs/CLIENT.md, which is what stands here, word for word.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test_clients.h"

namespace sluice::client::testing {
namespace {

Status greet() {
  // Or client::Endpoint{.url = "https://example.org/mcp"}.
  const client::Command command{.program = "./hello_server"};
  SLUICE_TRY(const std::unique_ptr<client::Client> server, client::Client::create(command));
  SLUICE_TRY(const protocol::ToolResult greeting, server->call_tool("greet", {{"name", "you"}}));
  std::puts(std::get<protocol::TextContent>(greeting.content.front().body).text.c_str());
  return {};
}

std::string contents_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ClientDocument, HasAnExampleThatRuns) {
  std::filesystem::current_path(std::filesystem::path(HELLO_SERVER).parent_path());
  ::testing::internal::CaptureStdout();
  const Status done = greet();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "Hello, you!\n");
  EXPECT_TRUE(done.ok()) << done.error().message;

  const std::string document = contents_of(std::filesystem::path(SLUICE_SOURCE_DIR) / "docs/CLIENT.md");
  const std::size_t begin = document.find("```cpp\n") + 7;
  const std::string example = document.substr(begin, document.find("```", begin) - begin);
  const std::filesystem::path own =
      std::filesystem::path(SLUICE_SOURCE_DIR) / "tests/unit/client/document_test.cc";
  EXPECT_THAT(contents_of(own), ::testing::HasSubstr("\n" + example));
}

}  // namespace
}  // namespace sluice::client::testing
