#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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

// Told by providers what has changed. Any thread; calls return at once.
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

// The kinds of thing a provider may ever offer, whether it has one at the moment or not.
struct Kinds {
  bool tools = false;
  bool resources = false;
  bool prompts = false;
  bool completions = false;
};

// A source of resources, templates, tools and prompts. It knows nothing of protocol eras, transports or other
// providers. Methods are called from many threads at once.
class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view name() const = 0;
  virtual Kinds kinds() const = 0;
  // Called once before anything else; `sink` outlives the provider's use.
  virtual void attach(ChangeSink& sink);

  virtual std::vector<protocol::Tool> tools(const ListQuery& query);
  virtual Result<std::vector<protocol::Resource>> resources(const ListQuery& query);
  virtual std::vector<protocol::ResourceTemplate> templates(const ListQuery& query);
  virtual std::vector<protocol::Prompt> prompts(const ListQuery& query);

  // Whether all that it offers is known, and waiting until it is, for as long as it is worth it: a provider
  // of other servers' things connects to them first.
  virtual bool is_settled() const;
  virtual void settle(const std::stop_token& stop);
  // True: a tool whose name is taken, or that is not valid, is left out with a warning. False: that is an
  // error and the server does not start. True only for tools that come from other servers.
  virtual bool yields() const;
  // The name under which a tool is listed that a caller may also call `name`. Empty: it has no such tool.
  virtual std::string listed_name(std::string_view name) const;

  // Arguments have been checked against the tool's input schema.
  virtual Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                            Context& context);
  virtual Result<protocol::ReadResult> read(const ResourceUri& uri, Context& context);
  virtual Result<protocol::PromptResult> prompt(const std::string& name,
                                                const protocol::PromptArguments& arguments, Context& context);
  virtual Result<protocol::Completion> complete(const protocol::CompletionRequest& request, Context& context);

  // Whether a call of `tool` or a read of `uri` is answered at once: it does no I/O, waits for nobody and
  // asks nothing. It then runs on the thread that received it, which serves other clients too, and has no
  // deadline.
  virtual bool is_instant(std::string_view tool) const;
  virtual bool is_instant(const ResourceUri& uri) const;
  // The same, of a read by this caller, which follows on the same thread: what was found may be kept for it.
  virtual bool is_instant_for(const ResourceUri& uri, const Principal& principal) const;
  // Whether a read of `uri` takes microseconds as a rule, though it may block: a small file. It runs on the
  // thread that received it where that serves no other client, and is followed by another if it blocks.
  virtual bool is_brief(const ResourceUri& uri) const;

  // Whether `uri` is this provider's to read, whether or not it exists.
  virtual bool owns(const ResourceUri& uri) const;
  // Somebody wants to hear of changes of `uri`, or nobody does any more.
  virtual void watch(const ResourceUri& uri);
  virtual void unwatch(const ResourceUri& uri);
  // Whether a watch of `uri` can notify anybody. Otherwise an error with code and hint, kLimitReached or
  // kUnsupported: a subscription that stays silent is not accepted.
  virtual Status can_watch(const ResourceUri& uri) const;
  // How many of its resources belong on one page of a list. The catalog obeys the largest of all providers.
  virtual std::size_t resource_page_items() const;
};

}  // namespace sluice::catalog
