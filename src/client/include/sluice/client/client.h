#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/client/options.h"
#include "sluice/client/target.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"
#include "sluice/protocol/revision.h"

namespace sluice::client {

// What a server said of itself when it was connected to.
struct ServerInfo {
  protocol::Revision revision = protocol::kNewest;
  protocol::Implementation implementation;  // Its own words; nothing to rely on.
  std::string instructions;
  json::Object capabilities;  // As it sent them.

  bool has(std::string_view capability) const { return capabilities.contains(capability); }
};

// A client of one MCP server, of either era, over a pipe or HTTP. Every method may be called from any thread,
// many at once, and blocks until it is answered, its time is up or its stop is requested.
//
// It connects on first use. When a child process has died, or a session is gone, the next call connects
// again and renews the subscriptions; after failures in a row it waits longer each time, and calls fail at
// once meanwhile (server_backing_off). Calls that were under way fail and are not repeated: only the caller
// knows whether that is safe.
//
// Errors of the server have the code server_error and its JSON-RPC error as data (see rpc_code); the others
// are listed in docs/ERRORS.md.
class Client {
 public:
  // Connects to nothing yet. Fails where the target makes no sense.
  static Result<std::unique_ptr<Client>> create(Target target, ClientOptions options = {});
  virtual ~Client() = default;  // Closes it. No call may be running.

  // Connects, or does nothing where it is connected.
  virtual Result<ServerInfo> connect(const CallOptions& options = {}) = 0;

  virtual Result<protocol::ToolResult> call_tool(const std::string& name, const json::Object& arguments,
                                                 const CallOptions& options = {}) = 0;
  virtual Result<protocol::ReadResult> read_resource(const std::string& uri,
                                                     const CallOptions& options = {}) = 0;
  virtual Result<protocol::PromptResult> get_prompt(const std::string& name,
                                                    const protocol::PromptArguments& arguments,
                                                    const CallOptions& options = {}) = 0;
  virtual Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                                const CallOptions& options = {}) = 0;

  // All pages. A list that is longer than list_items_max fails; one that the server does not have at all
  // (it lacks the capability) is empty. Over HTTP, tools whose x-mcp-header annotations break the rules are
  // left out, as the specification demands.
  virtual Result<std::vector<protocol::Tool>> list_tools(const CallOptions& options = {}) = 0;
  virtual Result<std::vector<protocol::Resource>> list_resources(const CallOptions& options = {}) = 0;
  virtual Result<std::vector<protocol::ResourceTemplate>> list_templates(const CallOptions& options = {}) = 0;
  virtual Result<std::vector<protocol::Prompt>> list_prompts(const CallOptions& options = {}) = 0;

  // Whether the server is there: `ping`, or `server/discover` in the modern era.
  virtual Status ping(const CallOptions& options = {}) = 0;
  // Any request; the result as it came. Questions of the server are answered, tasks waited for.
  virtual Result<json::Object> request(const std::string& method, json::Object params,
                                       const CallOptions& options = {}) = 0;

  // From now on changes of `uri` are told to on_resource_updated, until it is unsubscribed, across
  // reconnections: after one, everything that is subscribed to is told to have changed. Fails where the
  // server does not agree (subscription_refused). Subscribing twice is subscribing once.
  virtual Status subscribe(const std::string& uri, const CallOptions& options = {}) = 0;
  virtual Status unsubscribe(const std::string& uri, const CallOptions& options = {}) = 0;

  // Ends what is under way (kCancelled), subscriptions, the session and the child process, which is gone when
  // this returns. Later calls fail with client_closed. Not from a callback.
  virtual void close() = 0;

  // The last lines that a child process wrote to its standard error; they are in the log as well.
  virtual std::string error_output() const = 0;
};

// The code of the JSON-RPC error that a server answered with. Nothing where `error` is of another origin.
std::optional<std::int64_t> rpc_code(const Error& error);

}  // namespace sluice::client
