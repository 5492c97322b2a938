#include "sluice/templates/observed_provider.h"

#include <optional>
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

class UpdateTap::ObservedProvider final : public catalog::Provider, public catalog::ResourceProvider {
 public:
  ObservedProvider(std::shared_ptr<catalog::Provider> provider, Sink& sink)
      : Provider(provider->traits()),
        sink_(sink),
        provider_(std::move(provider)),
        resources_(*provider_->resources()) {}

  catalog::ToolProvider* tools() override { return provider_->tools(); }
  catalog::ResourceProvider* resources() override { return this; }
  catalog::PromptProvider* prompts() override { return provider_->prompts(); }
  catalog::CompletionProvider* completions() override { return provider_->completions(); }
  void attach(catalog::ChangeSink& sink) override {
    sink_.forward_to(sink);
    provider_->attach(sink_);
  }
  bool is_settled() const override { return provider_->is_settled(); }
  void settle(const std::stop_token& stop) override { provider_->settle(stop); }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    return resources_.list_resources(query);
  }
  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    return resources_.list_templates(query);
  }
  bool owns(const ResourceUri& uri) const override { return resources_.owns(uri); }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    return resources_.read(uri, context);
  }
  std::optional<Result<protocol::ReadResult>> try_read_now(const ResourceUri& uri, const Principal& principal,
                                                           const Budget& budget) override {
    return resources_.try_read_now(uri, principal, budget);
  }
  catalog::RunsOn read_runs_on(const ResourceUri& uri) const override { return resources_.read_runs_on(uri); }
  // Counted: the catalog watches what clients subscribe to, and templates watch what they lead to. When one
  // of them ends its watch, the other's must stay.
  void watch(const ResourceUri& uri) override {
    catalog::WatchTable::Turn turn(watched_, uri.text());
    if (turn.add()) resources_.watch(uri);
  }
  void unwatch(const ResourceUri& uri) override {
    catalog::WatchTable::Turn turn(watched_, uri.text());
    if (turn.remove()) resources_.unwatch(uri);
  }
  Status can_watch(const ResourceUri& uri) const override { return resources_.can_watch(uri); }

 private:
  Sink& sink_;  // The tap's.
  const std::shared_ptr<catalog::Provider> provider_;
  catalog::ResourceProvider& resources_;  // Of `provider_`.
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
