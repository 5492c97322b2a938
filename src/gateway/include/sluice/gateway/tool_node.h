#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/client/client.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/discovery.h"
#include "sluice/gateway/node_config.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/gateway/resource_info.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// One MCP server: what it offers, and the way to it. Any thread. Its connection, the requests on it and its
// resources are objects of their own, see upstream_connection.h, upstream_calls.h and upstream_resources.h.
//
// It is given a client that connects by itself, or follows the server after `start`: then a thread connects,
// reads the lists, reads them again when the server says that they changed, and reconnects after the server
// ended.
class ToolNode {
 public:
  using Connector = std::function<Result<std::unique_ptr<client::Client>>(client::ClientOptions options)>;
  using Dependencies = NodeDependencies;

  static Result<std::shared_ptr<ToolNode>> create(NodeConfig config, const Connector& connector,
                                                  Dependencies dependencies);
  ~ToolNode();  // Closes the connection. No call may be running.
  ToolNode(const ToolNode&) = delete;
  ToolNode& operator=(const ToolNode&) = delete;

  const std::string& name_space() const { return config_.name; }
  const NodeConfig& config() const { return config_; }

  // Connects and reads the lists; a list that fails counts as empty.
  Status connect(const CallOptions& options = {});
  // Does so from now on, on its own thread.
  void start();
  // Ends the current back-off and reconnects now: what was missing may be there.
  void retry();
  // Whether the first attempt to connect is over, well or badly, and waiting until it is. False: it is not,
  // and the time is.
  bool is_attempted() const;
  bool wait_first_attempt(Monotonic until, const std::stop_token& stop = {}) const;
  // Waits while the first attempt is under way. An error if the upstream is not available then.
  Status wait_until_known(const CallOptions& options) const;

  std::shared_ptr<const Discovery> discovery() const;  // What is known now. Never null.

  // As the server lists them. Empty where it has none, or none can be had.
  std::vector<ResourceInfo> list_resources() const;
  std::vector<ResourceTemplateInfo> list_resource_templates() const;
  // {"text"}, {"artifact"}, {"items"} or {"error"}.
  json::Object read_resource(const std::string& uri, const CallOptions& options);
  // The same, as contents.
  Result<ResourceCache::Read> read(const std::string& uri, const CallOptions& options);

  // Links to resources have become stubs, binary and large content artifacts.
  Result<protocol::ToolResult> call_tool(const std::string& tool, const json::Object& arguments,
                                         const CallOptions& options);
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            const CallOptions& options);
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        const CallOptions& options);

  // resources_list, resources_read and resources_templates_list, where the server has resources or it is
  // not known yet.
  std::vector<protocol::Tool> generated_tools() const;
  Result<protocol::ToolResult> call_generated(std::string_view tool, const json::Object& arguments,
                                              const CallOptions& options);

  ResourceCache& cache();

  // Told of changes; `uri`s are the upstream's own. Weak: who listens may go at any time.
  void add_listener(std::weak_ptr<catalog::ChangeSink> listener);
  // Counted; returns at once. Followed as far as the upstream can tell of changes.
  void watch(const std::string& uri);
  void unwatch(const std::string& uri);

 private:
  struct Parts;

  ToolNode(NodeConfig config, Dependencies dependencies);

  const NodeConfig config_;
  const Dependencies dependencies_;
  const std::unique_ptr<Parts> parts_;
};

// For a report on an upstream: state, server, counts, and what is wrong.
json::Object describe(const ToolNode& node);

// Connects to a command, a URL or a server within this process.
ToolNode::Connector connector_to(client::Target target, client::Eras eras = client::Eras::kBoth);

}  // namespace sluice::gateway
