#include "sluice/templates/observed_provider.h"

#include <utility>

#include "sluice/catalog/watch_table.h"

namespace sluice::templates {

class UpdateTap::Sink final : public catalog::ChangeSink {
 public:
  explicit Sink(std::function<void(const std::string& uri)> on_update) : on_update_(std::move(on_update)) {}
  void forward_to(catalog::ChangeSink& sink) { sink_ = &sink; }

  void tools_changed() override { sink_->tools_changed(); }
  void prompts_changed() override { sink_->prompts_changed(); }
  void resources_changed() override { sink_->resources_changed(); }
  void resource_updated(const std::string& uri) override {
    sink_->resource_updated(uri);
    on_update_(uri);
  }

 private:
  const std::function<void(const std::string& uri)> on_update_;
  catalog::ChangeSink* sink_ = nullptr;  // Set once, before the provider is attached.
};

class UpdateTap::ObservedProvider final : public catalog::Provider {
 public:
  ObservedProvider(std::shared_ptr<catalog::Provider> provider, Sink& sink)
      : sink_(sink), provider_(std::move(provider)) {}

  std::string_view name() const override { return provider_->name(); }
  catalog::Kinds kinds() const override { return provider_->kinds(); }
  void attach(catalog::ChangeSink& sink) override {
    sink_.forward_to(sink);
    provider_->attach(sink_);
  }

  std::vector<protocol::Tool> tools(const catalog::ListQuery& query) override {
    return provider_->tools(query);
  }
  Result<std::vector<protocol::Resource>> resources(const catalog::ListQuery& query) override {
    return provider_->resources(query);
  }
  std::vector<protocol::ResourceTemplate> templates(const catalog::ListQuery& query) override {
    return provider_->templates(query);
  }
  std::vector<protocol::Prompt> prompts(const catalog::ListQuery& query) override {
    return provider_->prompts(query);
  }
  bool is_settled() const override { return provider_->is_settled(); }
  void settle(const std::stop_token& stop) override { provider_->settle(stop); }
  bool yields() const override { return provider_->yields(); }
  std::string listed_name(std::string_view name) const override { return provider_->listed_name(name); }

  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override {
    return provider_->call(tool, arguments, context);
  }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return provider_->read(uri, context);
  }
  Result<protocol::PromptResult> prompt(const std::string& name, const protocol::PromptArguments& arguments,
                                        catalog::Context& context) override {
    return provider_->prompt(name, arguments, context);
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override {
    return provider_->complete(request, context);
  }
  bool is_instant(std::string_view tool) const override { return provider_->is_instant(tool); }
  bool is_instant(const ResourceUri& uri) const override { return provider_->is_instant(uri); }
  bool is_instant_for(const ResourceUri& uri, const Principal& principal) const override {
    return provider_->is_instant_for(uri, principal);
  }
  bool is_brief(const ResourceUri& uri) const override { return provider_->is_brief(uri); }
  bool owns(const ResourceUri& uri) const override { return provider_->owns(uri); }
  // Counted: the catalog watches what clients subscribe to, and templates watch what they lead to. When one
  // of them ends its watch, the other's must stay.
  void watch(const ResourceUri& uri) override {
    catalog::WatchTable::Turn turn(watched_, uri.text());
    if (turn.add()) provider_->watch(uri);
  }
  void unwatch(const ResourceUri& uri) override {
    catalog::WatchTable::Turn turn(watched_, uri.text());
    if (turn.remove()) provider_->unwatch(uri);
  }
  Status can_watch(const ResourceUri& uri) const override { return provider_->can_watch(uri); }
  std::size_t resource_page_items() const override { return provider_->resource_page_items(); }

 private:
  Sink& sink_;  // The tap's.
  const std::shared_ptr<catalog::Provider> provider_;
  catalog::WatchTable watched_;
};

UpdateTap::UpdateTap() = default;
UpdateTap::~UpdateTap() = default;

std::shared_ptr<catalog::Provider> UpdateTap::observe(std::shared_ptr<catalog::Provider> provider,
                                                      std::function<void(const std::string& uri)> on_update) {
  sinks_.push_back(std::make_unique<Sink>(std::move(on_update)));
  return std::make_shared<ObservedProvider>(std::move(provider), *sinks_.back());
}

}  // namespace sluice::templates
