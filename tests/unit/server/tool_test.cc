// On which thread tools run, and names that are taken; calls are in tests/transcripts.

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_client.h"
#include "test_server.h"

namespace sluice::server::testing {
namespace {

using ::testing::HasSubstr;

Result<protocol::ToolResult> nothing(const json::Object&, Context&) { return protocol::text_result(""); }

class ToolTest : public DialectTest {};

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

INSTANTIATE_TEST_SUITE_P(, ToolTest, ::testing::ValuesIn(every_dialect()), dialect_name);

TEST(Tool, OfferedTwiceStopsTheServerFromStarting) {
  auto one = std::make_shared<Registry>("one");
  auto two = std::make_shared<Registry>("two");
  one->add_tool(protocol::Tool{.name = "same"}, nothing);
  two->add_tool(protocol::Tool{.name = "same"}, nothing);
  const Result<std::unique_ptr<Server>> server = Server::create({}, {one, two});
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(server.error().message, HasSubstr("same"));
}

}  // namespace
}  // namespace sluice::server::testing
