#include "sluice/gateway/gateway_provider.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/mutex.h"
#include "sluice/base/text.h"
#include "sluice/json/reader.h"

#include "artifact_resources.h"
#include "offer.h"
#include "result_shaper.h"

namespace sluice::gateway {
namespace {

constexpr std::string_view kProtocolKeys = "io.modelcontextprotocol/";

// What belongs to one connection does not go to another.
json::Object relayed(const json::Object& meta) {
  json::Object out;
  for (const json::Member& member : meta) {
    if (member.key != "progressToken" && !member.key.starts_with(kProtocolKeys))
      out.append_unchecked(member.key, member.value);
  }
  return out;
}

CallOptions options_of(catalog::Context& context) {
  CallOptions options;
  options.principal = context.principal();
  options.stop = context.stop();
  options.deadline = context.deadline();
  options.budget = context.budget();
  options.meta = relayed(context.meta());
  if (context.meta().contains("progressToken"))
    options.progress = [&context](protocol::Progress progress) { context.progress(std::move(progress)); };
  options.client = context.client();
  options.ask = [&context](std::vector<protocol::Question> questions) {
    return context.ask(std::move(questions));
  };
  options.is_retry = context.is_retry();
  return options;
}

template <typename Item>
std::vector<Item> page_of(const Offer::ByName<Item>& all, const catalog::ListQuery& query) {
  std::vector<Item> out;
  for (auto at = all.upper_bound(query.after); at != all.end() && out.size() < query.limit; ++at)
    out.push_back(at->second.definition);
  return out;
}

class GatewayProvider final : public catalog::Provider,
                              public catalog::ToolProvider,
                              public catalog::ResourceProvider,
                              public catalog::PromptProvider,
                              public catalog::CompletionProvider {
 public:
  GatewayProvider(std::vector<Member> members, std::shared_ptr<ArtifactStore> artifacts,
                  GatewayOptions options)
      : Provider({.name = "gateway", .skips_invalid_tools = true}),
        members_(std::move(members)),
        artifacts_(std::move(artifacts)),
        options_(options),
        settled_by_(options.clock->now() + options.patience) {}

  // Those who listen for it know it, so it is whole before they do.
  void listen() {
    rebuild();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      listeners_.push_back(std::make_shared<Listener>(*this, i));
      members_[i].node->add_listener(listeners_.back());
    }
    rebuild();  // What came between the two.
  }

  ~GatewayProvider() override {
    for (const auto& listener : listeners_) listener->leave();
    for (const auto& [uri, watched] : watched_) members_[watched].node->unwatch(uri_of(uri, watched));
  }
  GatewayProvider(const GatewayProvider&) = delete;
  GatewayProvider& operator=(const GatewayProvider&) = delete;

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }
  catalog::PromptProvider* prompts() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }
  void attach(catalog::ChangeSink& sink) override { sink_ = &sink; }

  bool is_settled() const override {
    if (settled_) return true;
    const bool all = options_.clock->now() >= settled_by_ ||
                     std::all_of(members_.begin(), members_.end(),
                                 [&](const Member& member) { return member.node->is_attempted(); });
    if (all) settled_ = true;
    return all;
  }
  void settle(const std::stop_token& stop) override {
    for (const Member& member : members_) {
      if (!member.node->wait_first_attempt(settled_by_, stop)) break;
    }
  }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override {
    return page_of(offer()->tools, query);
  }
  std::string listed_name(std::string_view name) const override {
    return offer()->tool_names.listed_name(name);
  }
  std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) override {
    return page_of(offer()->prompts, query);
  }
  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    return page_of(offer()->templates, query);
  }
  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    std::vector<protocol::Resource> out;
    const std::shared_ptr<const Offer> offered = offer();
    for (auto at = offered->resources.upper_bound(query.after);
         at != offered->resources.end() && out.size() < query.limit; ++at)
      out.push_back(at->second);
    std::string_view after = query.after;
    if (after <= kArtifactScheme || after.starts_with(kArtifactScheme)) {
      after = after.starts_with(kArtifactScheme) ? after.substr(kArtifactScheme.size()) : "";
      for (const ArtifactRef& artifact : artifacts_->list(query.principal, after, query.limit))
        out.push_back(resource_of(artifact));
      std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.uri < b.uri; });
      if (out.size() > query.limit) out.resize(query.limit);
    }
    return out;
  }

  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override {
    const std::shared_ptr<const Offer> offered = offer();
    const auto at = offered->tools.find(tool);
    if (at == offered->tools.end()) return catalog::unknown_tool(tool);
    const Member& member = members_[at->second.member];
    const CallOptions options = options_of(context);
    if (at->second.is_generated) return member.node->call_generated(at->second.own, arguments, options);
    SLUICE_TRY(protocol::ToolResult result, member.node->call_tool(at->second.own, arguments, options));
    for (protocol::Content& content : result.content) rename(content, member, options.principal);
    result.meta = relayed(result.meta);
    rename_truncated(result.meta, member.space,
                     [&](const std::string& uri) { return is_artifact_of(uri, options.principal); });
    return result;
  }

  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            catalog::Context& context) override {
    const std::shared_ptr<const Offer> offered = offer();
    const auto at = offered->prompts.find(name);
    if (at == offered->prompts.end()) return catalog::unknown_prompt(name);
    const Member& member = members_[at->second.member];
    const CallOptions options = options_of(context);
    SLUICE_TRY(protocol::PromptResult result, member.node->get_prompt(at->second.own, arguments, options));
    for (protocol::PromptMessage& message : result.messages)
      rename(message.content, member, options.principal);
    result.meta = relayed(result.meta);
    return result;
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override {
    const std::shared_ptr<const Offer> offered = offer();
    protocol::CompletionRequest own = request;
    std::size_t member = 0;
    if (const auto* prompt = std::get_if<protocol::PromptReference>(&request.reference)) {
      const auto at = offered->prompts.find(prompt->name);
      if (at == offered->prompts.end()) return protocol::Completion{};
      own.reference = protocol::PromptReference{.name = at->second.own};
      member = at->second.member;
    } else {
      const auto at =
          offered->templates.find(std::get<protocol::TemplateReference>(request.reference).uri_template);
      if (at == offered->templates.end()) return protocol::Completion{};
      own.reference = protocol::TemplateReference{.uri_template = at->second.own};
      member = at->second.member;
    }
    return members_[member].node->complete(own, options_of(context));
  }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    if (uri.text().starts_with(kArtifactScheme))
      return read_artifact(*artifacts_, context.principal(), uri,
                           static_cast<std::size_t>(context.budget().bytes));
    const std::optional<std::size_t> index = member_of(uri.text());
    if (!index) return protocol::resource_not_found(uri.text());
    const std::string own = uri_of(uri.text(), *index);
    const Result<ResourceCache::Read> read = members_[*index].node->read(own, options_of(context));
    if (!read.ok() &&
        (read.error().kind == ErrorKind::kNotFound || read.error().kind == ErrorKind::kInvalidInput))
      return protocol::resource_not_found(uri.text());
    if (!read.ok()) return read.error();
    return shown(**read, {.uri = uri.text(), .own = own, .member = *index}, context.principal(),
                 context.budget());
  }

  // A cached read needs no worker: it never waits for an upstream on a thread that others need.
  std::optional<Result<protocol::ReadResult>> try_read_now(const ResourceUri& uri, const Principal& principal,
                                                           const Budget& budget) override {
    const std::optional<std::size_t> index = member_of(uri.text());
    if (!index) return std::nullopt;
    const std::string own = uri_of(uri.text(), *index);
    const ResourceCache::Read cached = members_[*index].node->cache().find(own, principal);
    if (cached == nullptr || !is_small(*cached)) return std::nullopt;
    return shown(*cached, {.uri = uri.text(), .own = own, .member = *index}, principal, budget);
  }

  bool owns(const ResourceUri& uri) const override {
    return uri.text().starts_with(kArtifactScheme) || member_of(uri.text()).has_value();
  }

  void watch(const ResourceUri& uri) override {
    const std::optional<std::size_t> index = member_of(uri.text());
    if (!index) return;
    members_[*index].node->watch(uri_of(uri.text(), *index));
    const MutexLock lock(watch_mutex_);
    watched_.emplace(uri.text(), *index);
  }
  void unwatch(const ResourceUri& uri) override {
    std::size_t index = 0;
    {
      const MutexLock lock(watch_mutex_);
      const auto at = watched_.find(uri.text());
      if (at == watched_.end()) return;
      index = at->second;
      watched_.erase(at);
    }
    members_[index].node->unwatch(uri_of(uri.text(), index));
  }

 private:
  // A resource of an upstream: as it is listed here, and as the upstream calls it.
  struct Asked {
    std::string uri;
    std::string own;
    std::size_t member = 0;
  };

  // What an upstream said, with the URIs that it has here.
  Result<protocol::ReadResult> shown(const KeptRead& read, const Asked& asked, const Principal& principal,
                                     const Budget& budget) const {
    const UriSpace& space = members_[asked.member].space;
    SLUICE_TRY(protocol::ReadResult result, contents_of(read, *artifacts_, principal, options_.clock->now(),
                                                        space, static_cast<std::size_t>(budget.bytes)));
    for (protocol::ResourceContents& contents : result.contents)
      contents.uri = contents.uri == asked.own ? asked.uri : space.encode(contents.uri).value_or(asked.uri);
    result.meta = relayed(result.meta);
    return result;
  }

  // Whether it is given as it is kept: artifacts are read from a disk.
  static bool is_small(const KeptRead& read) {
    return std::none_of(read.items.begin(), read.items.end(), [](const KeptRead::Item& item) {
      return std::holds_alternative<ArtifactRef>(item.body);
    });
  }

  // Hears of one upstream for as long as the gateway is there.
  class Listener final : public catalog::ChangeSink {
   public:
    Listener(GatewayProvider& gateway, std::size_t member) : gateway_(&gateway), member_(member) {}
    void leave() {
      const MutexLock lock(mutex_);
      gateway_ = nullptr;
    }
    void tools_changed() override {
      tell([](GatewayProvider& gateway) { gateway.changed(&catalog::ChangeSink::tools_changed); });
    }
    void prompts_changed() override {
      tell([](GatewayProvider& gateway) { gateway.changed(&catalog::ChangeSink::prompts_changed); });
    }
    void resources_changed() override {
      tell([](GatewayProvider& gateway) { gateway.changed(&catalog::ChangeSink::resources_changed); });
    }
    void resource_updated(const std::string& uri) override {
      tell([&](GatewayProvider& gateway) { gateway.updated(member_, uri); });
    }

   private:
    template <typename What>
    void tell(const What& what) {
      const MutexLock lock(mutex_);
      if (gateway_ != nullptr) what(*gateway_);
    }

    Mutex mutex_;
    GatewayProvider* gateway_ SLUICE_GUARDED_BY(mutex_);  // Null once it goes.
    const std::size_t member_;
  };

  std::shared_ptr<const Offer> offer() const {
    const MutexLock lock(offer_mutex_);
    return offer_;
  }
  // Each makes it of what is known when it runs, and the last of them is the one that stays.
  void rebuild() {
    const MutexLock one(rebuild_mutex_);
    auto next = std::make_shared<const Offer>(make_offer(members_, options_.names));
    const MutexLock lock(offer_mutex_);
    offer_ = std::move(next);
  }
  void changed(void (catalog::ChangeSink::*what)()) {
    rebuild();
    if (catalog::ChangeSink* sink = sink_) (sink->*what)();
  }
  // By the URIs that were subscribed to: the same one can be spelled in several ways.
  void updated(std::size_t member, const std::string& own) {
    std::vector<std::string> told;
    {
      const MutexLock lock(watch_mutex_);
      for (const auto& [uri, index] : watched_) {
        if (index == member && uri_of(uri, index) == own) told.push_back(uri);
      }
    }
    catalog::ChangeSink* sink = sink_;
    for (const std::string& uri : told) {
      if (sink != nullptr) sink->resource_updated(uri);
    }
  }

  std::optional<std::size_t> member_of(std::string_view uri) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].space.decode(uri)) return i;
    }
    return std::nullopt;
  }
  std::string uri_of(const std::string& uri, std::size_t member) const {
    return members_[member].space.decode(uri).value_or(uri);
  }

  bool is_artifact_of(const std::string& uri, const Principal& principal) const {
    return uri.starts_with(kArtifactScheme) &&
           artifacts_->find(principal, std::string_view(uri).substr(kArtifactScheme.size())).ok();
  }
  void rename(protocol::Content& content, const Member& member, const Principal& principal) {
    const auto is_ours = [&](const std::string& uri) { return is_artifact_of(uri, principal); };
    if (auto* text = std::get_if<protocol::TextContent>(&content.body)) {
      if (!is_artifact_stub(text->text)) return rename_notes(text->text, member.space, is_ours);
      const Result<json::Value> stub = json::read(text->text);
      const json::Value* uri = stub.ok() ? stub->find("resource_uri") : nullptr;
      if (uri == nullptr || uri->if_string() == nullptr) return;
      if (const std::optional<std::string> renamed = member.space.encode(*uri->if_string()))
        text->text = json::to_text(artifact_stub(*renamed));
      return;
    }
    rename_uris(content, member.space, is_ours);
  }

  const std::vector<Member> members_;
  const std::shared_ptr<ArtifactStore> artifacts_;  // Shared with the nodes.
  const GatewayOptions options_;
  const Monotonic settled_by_;
  mutable std::atomic<bool> settled_{false};
  std::atomic<catalog::ChangeSink*> sink_{nullptr};
  Mutex rebuild_mutex_;
  mutable Mutex offer_mutex_;
  std::shared_ptr<const Offer> offer_ SLUICE_GUARDED_BY(offer_mutex_) =
      std::make_shared<const Offer>();  // Shared with calls under way.
  Mutex watch_mutex_;
  std::map<std::string, std::size_t> watched_
      SLUICE_GUARDED_BY(watch_mutex_);                // URIs as they were given, and whose they are.
  std::vector<std::shared_ptr<Listener>> listeners_;  // Shared with the nodes, weakly.
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_gateway_provider(std::vector<std::shared_ptr<ToolNode>> nodes,
                                                                 std::shared_ptr<ArtifactStore> artifacts,
                                                                 GatewayOptions options) {
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a->name_space() < b->name_space(); });
  std::vector<Member> members;
  std::set<std::string> schemes;
  for (std::shared_ptr<ToolNode>& node : nodes) {
    UriSpace space(node->name_space());
    if (!schemes.insert(space.scheme()).second)
      return invalid_input("two upstreams have the namespace " + node->name_space())
          .with_code("invalid_configuration");
    members.push_back({.node = std::move(node), .space = std::move(space)});
  }
  auto provider = std::make_shared<GatewayProvider>(std::move(members), std::move(artifacts), options);
  provider->listen();
  return std::shared_ptr<catalog::Provider>(std::move(provider));
}

}  // namespace sluice::gateway
