#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "sluice/client/client.h"
#include "sluice/gateway/tool_node.h"

namespace sluice::gateway::testing {

// What a scripted upstream has and does. A test changes it and says so. Any thread.
struct Script {
  std::mutex mutex;  // Guards the lists and `down`.
  std::vector<protocol::Tool> tools;
  std::vector<protocol::Prompt> prompts;
  std::vector<protocol::Resource> resources;
  std::vector<protocol::ResourceTemplate> templates;
  std::string down;  // Not empty: why it cannot be reached.
  bool has_resources = true;
  protocol::Revision revision = protocol::kNewest;

  std::function<Result<protocol::ToolResult>(const std::string&, const json::Object&,
                                             const client::CallOptions&)>
      on_call;
  std::function<Result<protocol::ReadResult>(const std::string&, const client::CallOptions&)> on_read;
  std::function<Result<protocol::PromptResult>(const std::string&, const protocol::PromptArguments&)>
      on_prompt;
  std::function<Result<protocol::Completion>(const protocol::CompletionRequest&)> on_complete;

  std::atomic<int> calls{0};
  std::atomic<int> reads{0};
  std::atomic<int> connects{0};
  std::atomic<int> slow_lists{0};  // So many lists of tools are too slow.

  client::ClientOptions options;  // As the node made them.
  std::set<std::string> subscribed;
  std::condition_variable changed;

  void add_tool(std::string name, std::string description = "");
  void add_resource(std::string uri, std::string name = "a resource");
  void add_template(std::string uri_template);
  void set_down(std::string why);
  // Until the node has subscribed to it, or left. False: it did not in time.
  bool wait_subscribed(const std::string& uri, bool wanted = true);
};

// A client that connects to the script.
ToolNode::Connector scripted(std::shared_ptr<Script> script);

// An error as the client gives it for one of the server's.
Error server_error(std::int64_t code, const std::string& message);

}  // namespace sluice::gateway::testing
