#include "sample_server.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sluice/catalog/registry.h"
#include "sluice/json/reader.h"
#include "sluice/transport/memory_transport.h"

namespace bench {
namespace {

namespace protocol = sluice::protocol;
using sluice::Result;

constexpr std::string_view kToolText = "This is a simple text response for testing.";
constexpr std::string_view kResourceText = "This is the content of the static text resource.";
constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

SampleRequest make_request(std::string method, std::string name, std::string_view params,
                           std::string_view expected) {
  SampleRequest request{.head = {.method = "POST"}, .body = {}, .expected = std::string(expected)};
  request.body = R"({"jsonrpc":"2.0","id":100000000,"method":")" + method + R"(","params":{)";
  request.body.append(params).append(kMeta).append("}}");
  request.head.protocol_version = "2026-07-28";
  request.head.mcp_method = std::move(method);
  request.head.mcp_name = std::move(name);
  return request;
}

}  // namespace

std::unique_ptr<sluice::server::Server> make_sample_server() {
  auto registry = std::make_shared<sluice::catalog::Registry>("bench");
  protocol::Tool tool;
  tool.name = "test_simple_text";
  tool.description = "Returns a line of text.";
  tool.input_schema = sluice::json::read(R"({"type":"object","additionalProperties":false})").value();
  registry->add_tool(
      std::move(tool),
      [](const sluice::json::Object&, sluice::catalog::Context&) -> Result<protocol::ToolResult> {
        return protocol::text_result(std::string(kToolText));
      });
  registry->add_resource(
      {.uri = "test://static-text", .name = "static-text", .mime_type = "text/plain"},
      [](const sluice::ResourceUri& uri, sluice::catalog::Context&) -> Result<protocol::ReadResult> {
        protocol::ReadResult result;
        result.contents.push_back({.uri = uri.text(),
                                   .mime_type = "text/plain",
                                   .body = protocol::TextBody{std::string(kResourceText)}});
        return result;
      });
  auto server = sluice::server::Server::create({}, {std::move(registry)});
  if (!server) {
    std::fprintf(stderr, "create the server: %s\n", server.error().message.c_str());
    std::exit(1);
  }
  return *std::move(server);
}

SampleRequest read_request() {
  return make_request("resources/read", "test://static-text", R"("uri":"test://static-text",)",
                      kResourceText);
}

SampleRequest call_request() {
  return make_request("tools/call", "test_simple_text", R"("name":"test_simple_text","arguments":{},)",
                      kToolText);
}

std::string answer_to(const protocol::Receiver& receiver, const SampleRequest& request) {
  constexpr std::chrono::seconds kPatience{20};
  sluice::transport::MemoryRequest sent(receiver, request.head, request.body);
  std::optional<protocol::Final> final = sent.wait(kPatience).final;
  if (!final || final->message.find(request.expected) == std::string::npos) {
    std::fprintf(stderr, "wrong answer: %s\n", final ? final->message.c_str() : "none");
    std::exit(1);
  }
  return std::move(final->message);
}

}  // namespace bench
