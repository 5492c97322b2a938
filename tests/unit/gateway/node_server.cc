#include "node_server.h"

#include <cstdlib>

namespace sluice::gateway::testing {

std::shared_ptr<Script> NodeServer::add(const std::string& name_space, NodeConfig config) {
  config.name = name_space;
  auto script = std::make_shared<Script>();
  pending_.push_back({.config = std::move(config), .script = script});
  return script;
}

void NodeServer::start(GatewayOptions options, server::ServerOptions server_options) {
  std::vector<std::shared_ptr<ToolNode>> nodes;
  for (Pending& each : pending_) {
    auto node =
        take(ToolNode::create(each.config, scripted(each.script), {.artifacts = artifacts_, .pins = pins}));
    node->start();
    nodes_.emplace(each.config.name, node);
    nodes.push_back(std::move(node));
  }
  for (const auto& node : nodes)
    EXPECT_TRUE(node->wait_first_attempt(system_clock().now() + std::chrono::seconds(20)));
  server_ = take(server::Server::create(std::move(server_options),
                                        {take(make_gateway_provider(nodes, artifacts_, options))}));
}

std::unique_ptr<TestClient> NodeServer::connect(Dialect dialect, ClientOptions options) {
  return std::make_unique<TestClient>(*server_, dialect, std::move(options));
}

std::vector<std::string> listed(TestClient& client, const char* method, const char* list,
                                const char* member) {
  std::vector<std::string> out;
  std::string cursor;
  for (int page = 0; page < 1'000; ++page) {
    const WireMessage reply =
        client.call(method, cursor.empty() ? "{}" : json::to_text(json::Object{{"cursor", cursor}}));
    EXPECT_TRUE(reply.is_result()) << reply.error();
    const auto size = static_cast<int>(reply.size({"result", list}));
    for (int i = 0; i < size; ++i) out.push_back(reply.text({"result", list, i, member}));
    if (!reply.has({"result", "nextCursor"})) return out;
    cursor = reply.text({"result", "nextCursor"});
  }
  ADD_FAILURE() << "the list does not end";
  return out;
}

WireMessage heard(TestClient& client, std::string_view method) {
  WireMessage message = client.next();
  for (int i = 0; i < 100 && message.method() != method; ++i) message = client.next();
  return message;
}

bool hears(TestClient& client, std::string_view method) { return heard(client, method).method() == method; }

json::Value structured(const WireMessage& reply) { return reply.at({"result", "structuredContent"}); }

}  // namespace sluice::gateway::testing
