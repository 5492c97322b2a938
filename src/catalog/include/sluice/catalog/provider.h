#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/limits.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/context.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::catalog {

// Notified by providers of what has changed. Any thread; calls return immediately.
class ChangeSink {
 public:
  virtual ~ChangeSink() = default;
  virtual void tools_changed() = 0;
  virtual void prompts_changed() = 0;
  virtual void resources_changed() = 0;  // Resources or templates.
  virtual void resource_updated(const std::string& uri) = 0;
};

// Which part of a list is wanted: at most `limit` items whose key is greater than `after`, in ascending order
// of their key (a tool's or prompt's name, a resource's URI, a template's text). Order is by bytes.
struct ListQuery {
  std::string after;
  std::size_t limit = 0;
  Principal principal;
};

// Which thread runs a request.
enum class RunsOn : std::uint8_t {
  // The thread that received it, which serves other clients too. Only for what does no I/O, waits for nobody
  // and asks nothing. It has no deadline.
  kReceivingThread,
  // The thread that reads the pipe, if the transport lends it, otherwise a worker. For what may block, but
  // takes microseconds as a rule: a small file. Another thread continues with the pipe if it blocks.
  kPipeThread,
  kWorker,
};

// Methods of the four interfaces below are called from many threads at once.

class ToolProvider {
 public:
  virtual ~ToolProvider() = default;

  virtual std::vector<protocol::Tool> list_tools(const ListQuery& query) = 0;
  // Arguments have been checked against the tool's input schema.
  virtual Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                            Context& context) = 0;
  // The name under which a tool is listed that a caller may also call `name`. Empty: it has no such tool.
  virtual std::string listed_name(std::string_view name) const;
  // Asked when the list of tools is read, not for every call.
  virtual RunsOn tool_runs_on(std::string_view tool) const;
};

class ResourceProvider {
 public:
  virtual ~ResourceProvider() = default;

  virtual Result<std::vector<protocol::Resource>> list_resources(const ListQuery& query);
  virtual std::vector<protocol::ResourceTemplate> list_templates(const ListQuery& query);

  // Whether `uri` is this provider's to read, whether or not it exists.
  virtual bool owns(const ResourceUri& uri) const = 0;
  virtual Result<protocol::ReadResult> read(const ResourceUri& uri, Context& context) = 0;
  // The answer to a read, if it is in memory: it runs on the thread that received the request, like
  // RunsOn::kReceivingThread. Nullopt: `read` has to be called.
  virtual std::optional<Result<protocol::ReadResult>> try_read_now(const ResourceUri& uri,
                                                                   const Principal& principal,
                                                                   const Budget& budget);
  virtual RunsOn read_runs_on(const ResourceUri& uri) const;

  // Somebody wants to hear of changes of `uri`, or nobody does any more.
  virtual void watch(const ResourceUri& uri);
  virtual void unwatch(const ResourceUri& uri);
  // Whether a watch of `uri` can notify anybody. Otherwise an error with code and hint, kLimitReached or
  // kUnsupported: a subscription that stays silent is not accepted.
  virtual Status can_watch(const ResourceUri& uri) const;
};

class PromptProvider {
 public:
  virtual ~PromptProvider() = default;

  virtual std::vector<protocol::Prompt> list_prompts(const ListQuery& query) = 0;
  virtual Result<protocol::PromptResult> get_prompt(const std::string& name,
                                                    const protocol::PromptArguments& arguments,
                                                    Context& context) = 0;
};

// Completes arguments of prompts and variables of resource templates.
class CompletionProvider {
 public:
  virtual ~CompletionProvider() = default;

  virtual Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                                Context& context) = 0;
};

// What a provider is, for its whole life.
struct ProviderTraits {
  std::string name;
  // True: a tool whose name is taken or whose definition is invalid is left out with a warning. False: the
  // server does not start, because the operator chose its tools. True only for tools of other servers.
  bool skips_invalid_tools = false;
  // How many of its resources belong on one page of a list. The catalog obeys the largest of all providers.
  std::size_t resource_page_items = kListPageItems;
};

// A source of tools, resources and prompts. It knows nothing of protocol eras, transports or other providers.
// A provider implements the interfaces of what it offers, and returns itself for each of them.
class Provider {
 public:
  explicit Provider(ProviderTraits traits) : traits_(std::move(traits)) {}
  virtual ~Provider() = default;

  const ProviderTraits& traits() const { return traits_; }

  // Null: it offers none, at least so far. What is not null stays the same and lives as long as the provider.
  virtual ToolProvider* tools();
  virtual ResourceProvider* resources();
  virtual PromptProvider* prompts();
  virtual CompletionProvider* completions();

  // Called once before anything else; `sink` outlives the provider's use.
  virtual void attach(ChangeSink& sink);

  // Whether all that it offers is known, and waiting until it is, for as long as it is worth it: a provider
  // of other servers' tools connects to them first.
  virtual bool is_settled() const;
  virtual void settle(const std::stop_token& stop);

 private:
  const ProviderTraits traits_;
};

// The first provider that owns the URI; null if none does. Keeps the provider alive.
std::shared_ptr<ResourceProvider> find_owner(const std::vector<std::shared_ptr<Provider>>& providers,
                                             const ResourceUri& uri);

Error unknown_tool(std::string_view name);
Error unknown_prompt(std::string_view name);

}  // namespace sluice::catalog
