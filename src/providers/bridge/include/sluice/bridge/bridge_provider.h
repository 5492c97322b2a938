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
class BridgeProvider final : public catalog::Provider,
                             public catalog::ToolProvider,
                             public catalog::ResourceProvider,
                             public catalog::PromptProvider,
                             public catalog::CompletionProvider {
 public:
  // Connects. Fails where the server cannot be reached.
  static Result<std::shared_ptr<BridgeProvider>> create(client::Target target, client::ClientOptions options);

  const client::ServerInfo& info() const { return info_; }
  void close();

  catalog::ToolProvider* tools() override;
  catalog::ResourceProvider* resources() override;
  catalog::PromptProvider* prompts() override;
  catalog::CompletionProvider* completions() override;
  void attach(catalog::ChangeSink& sink) override;
  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override;
  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override;
  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override;
  std::vector<protocol::Prompt> list_prompts(const catalog::ListQuery& query) override;
  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& context) override;
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override;
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            catalog::Context& context) override;
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& context) override;
  bool owns(const ResourceUri& uri) const override;
  void watch(const ResourceUri& uri) override;
  void unwatch(const ResourceUri& uri) override;

 private:
  BridgeProvider() : Provider({.name = "remote"}) {}
  client::CallOptions options_for(catalog::Context& context) const;
  void attach_nobody();
  void told(const std::function<void(catalog::ChangeSink&)>& tell);

  std::unique_ptr<client::Client> client_;
  client::ServerInfo info_;
  Mutex mutex_;
  catalog::ChangeSink* sink_ SLUICE_GUARDED_BY(mutex_) = nullptr;  // Outlives the use of this.
};

}  // namespace sluice::bridge
