#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/client/client.h"

namespace sluice::bridge {

// All that one other MCP server offers, under its own names. What that server asks goes to whoever made it
// ask; its progress, log messages and changes are passed on. Any thread.
class BridgeProvider final : public catalog::Provider {
 public:
  // Connects. Fails where the server cannot be reached.
  static Result<std::shared_ptr<BridgeProvider>> create(client::Target target, client::ClientOptions options);

  const client::ServerInfo& info() const { return info_; }
  void close();

  std::string_view name() const override { return "remote"; }
  catalog::Kinds kinds() const override;
  void attach(catalog::ChangeSink& sink) override;
  std::vector<protocol::Tool> tools(const catalog::ListQuery& query) override;
  Result<std::vector<protocol::Resource>> resources(const catalog::ListQuery& query) override;
  std::vector<protocol::ResourceTemplate> templates(const catalog::ListQuery& query) override;
  std::vector<protocol::Prompt> prompts(const catalog::ListQuery& query) override;
  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override;
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override;
  Result<protocol::PromptResult> prompt(const std::string& name, const protocol::PromptArguments& arguments,
                                        catalog::Context& context) override;
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override;
  bool owns(const ResourceUri& uri) const override;
  void watch(const ResourceUri& uri) override;
  void unwatch(const ResourceUri& uri) override;

 private:
  BridgeProvider() = default;
  client::CallOptions options_for(catalog::Context& context) const;
  void attach_nobody();
  void told(const std::function<void(catalog::ChangeSink&)>& tell);

  std::unique_ptr<client::Client> client_;
  client::ServerInfo info_;
  Mutex mutex_;
  catalog::ChangeSink* sink_ SLUICE_GUARDED_BY(mutex_) = nullptr;  // Outlives the use of this.
};

}  // namespace sluice::bridge
