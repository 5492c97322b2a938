#include <gmock/gmock.h>

#include "sluice/catalog/registry.h"
#include "sluice/server/server.h"
#include "sluice/transport/memory_transport.h"

namespace sluice::server {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kSoon{10};

std::unique_ptr<Server> server_with_a_worker_tool() {
  auto registry = std::make_shared<catalog::Registry>("p");
  protocol::Tool tool;
  tool.name = "work";
  registry->add_tool(tool, [](const json::Object&, catalog::Context&) -> Result<protocol::ToolResult> {
    return protocol::text_result("done");
  });
  return Server::create({}, {registry}).value();
}

TEST(RequestIds, MayBeUsedAgainAsSoonAsTheAnswerIsThere) {
  const auto server = server_with_a_worker_tool();
  transport::MemoryPipe pipe(server->receiver());
  for (int i = 0; i < 2000; ++i) {
    pipe.send(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
    ASSERT_THAT(pipe.receive(kSoon).value_or("no answer"), HasSubstr("done")) << i;
  }
}

}  // namespace
}  // namespace sluice::server
