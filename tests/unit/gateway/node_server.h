#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/gateway/gateway_provider.h"
#include "sluice/server/server.h"

#include "scripted_client.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::gateway::testing {

using server::testing::ClientOptions;
using server::testing::Dialect;
using server::testing::kLegacyPipe;
using server::testing::kModernHttp;
using server::testing::kModernPipe;
using server::testing::TestClient;
using server::testing::WireMessage;

// A server in front of scripted upstreams.
class NodeServer {
 public:
  // Adds an upstream; before `start`.
  std::shared_ptr<Script> add(const std::string& name_space, NodeConfig config = {});
  // Until every upstream has been tried once.
  void start(GatewayOptions options = {}, server::ServerOptions server_options = {});

  std::unique_ptr<TestClient> connect(Dialect dialect = kModernPipe, ClientOptions options = {});
  ToolNode& node(const std::string& name_space) { return *nodes_.at(name_space); }
  ArtifactStore& artifacts() { return *artifacts_; }
  std::shared_ptr<ToolPins> pins;  // Null: none.

 private:
  struct Pending {
    NodeConfig config;
    std::shared_ptr<Script> script;
  };

  std::vector<Pending> pending_;
  std::shared_ptr<ArtifactStore> artifacts_ = std::make_shared<InMemoryArtifactStore>();
  std::map<std::string, std::shared_ptr<ToolNode>> nodes_;
  std::unique_ptr<server::Server> server_;
};

// That member of every item of a list, over all pages.
std::vector<std::string> listed(TestClient& client, const char* method, const char* list, const char* member);
// The next message of that method. Others may come before it: upstreams connect when they do.
WireMessage heard(TestClient& client, std::string_view method);
bool hears(TestClient& client, std::string_view method);
// The result of a tool: its structured content.
json::Value structured(const WireMessage& reply);

// A result; the test ends with the reason where there is none.
template <typename T>
T take(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    std::abort();
  }
  return std::move(result).value();
}

}  // namespace sluice::gateway::testing
