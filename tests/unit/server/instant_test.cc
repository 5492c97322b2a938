#include <thread>

#include <gmock/gmock.h>

#include "sluice/catalog/registry.h"
#include "sluice/server/server.h"
#include "sluice/transport/memory_transport.h"

namespace sluice::server {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kSoon{10};
constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string thread_name() { return std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id())); }

std::shared_ptr<catalog::Registry> registry_of_threads() {
  auto registry = std::make_shared<catalog::Registry>("threads");
  const auto answer = [](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result("on " + thread_name());
  };
  protocol::Tool tool;
  tool.name = "instant";
  registry->add_tool(tool, answer, catalog::Registry::Runs::kInstant);
  tool.name = "worker";
  registry->add_tool(tool, answer);
  registry->add_resource(
      {.uri = "x://instant", .name = "r"},
      [](const ResourceUri& uri, catalog::Context&) -> Result<protocol::ReadResult> {
        protocol::ReadResult result;
        result.contents.push_back({.uri = uri.text(), .body = protocol::TextBody{"on " + thread_name()}});
        return result;
      },
      catalog::Registry::Runs::kInstant);
  return registry;
}

std::string ask(Server& server, std::string_view method, std::string_view params) {
  transport::MemoryPipe pipe(server.receiver());
  pipe.send(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
            std::string(params) + "," + std::string(kMeta) + "}}");
  return pipe.receive(kSoon).value_or("no answer");
}

TEST(InstantHandlers, RunOnTheThreadThatReceivedTheRequest) {
  const auto server = Server::create({}, {registry_of_threads()}).value();
  EXPECT_THAT(ask(*server, "tools/call", R"("name":"instant")"), HasSubstr("on " + thread_name()));
  EXPECT_THAT(ask(*server, "resources/read", R"("uri":"x://instant")"), HasSubstr("on " + thread_name()));
}

TEST(OtherHandlers, RunOnAWorker) {
  const auto server = Server::create({}, {registry_of_threads()}).value();
  const std::string answer = ask(*server, "tools/call", R"("name":"worker")");
  EXPECT_THAT(answer, HasSubstr("on "));
  EXPECT_EQ(answer.find("on " + thread_name()), std::string::npos) << answer;
}

}  // namespace
}  // namespace sluice::server
