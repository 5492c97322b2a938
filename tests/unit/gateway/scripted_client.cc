#include "scripted_client.h"

#include <chrono>
#include <utility>

namespace sluice::gateway::testing {
namespace {

class ScriptedClient final : public client::Client {
 public:
  explicit ScriptedClient(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  Result<client::ServerInfo> connect(const client::CallOptions& /*options*/) override {
    ++script_->connects;
    SLUICE_CHECK(reach());
    client::ServerInfo info;
    info.revision = script_->revision;
    info.implementation = {.name = "scripted", .version = "1"};
    info.capabilities.set("tools", json::Object{});
    if (script_->has_resources) info.capabilities.set("resources", json::Object{{"subscribe", true}});
    return info;
  }
  Result<protocol::ToolResult> call_tool(const std::string& name, const json::Object& arguments,
                                         const client::CallOptions& options) override {
    ++script_->calls;
    SLUICE_CHECK(reach());
    if (script_->on_call) return script_->on_call(name, arguments, options);
    return protocol::text_result("called " + name);
  }
  Result<protocol::ReadResult> read_resource(const std::string& uri,
                                             const client::CallOptions& options) override {
    ++script_->reads;
    SLUICE_CHECK(reach());
    if (script_->on_read) return script_->on_read(uri, options);
    protocol::ReadResult result;
    result.contents.push_back(
        {.uri = uri, .mime_type = "text/plain", .body = protocol::TextBody{"text of " + uri}, .meta = {}});
    result.cache.ttl = std::chrono::minutes(1);
    return result;
  }
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            const client::CallOptions& /*options*/) override {
    SLUICE_CHECK(reach());
    if (script_->on_prompt) return script_->on_prompt(name, arguments);
    protocol::PromptResult result;
    result.messages.push_back(
        {.role = protocol::Role::kUser, .content = protocol::text_content("ask " + name)});
    return result;
  }
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        const client::CallOptions& /*options*/) override {
    SLUICE_CHECK(reach());
    if (script_->on_complete) return script_->on_complete(request);
    return protocol::Completion{};
  }
  Result<std::vector<protocol::Tool>> list_tools(const client::CallOptions&) override {
    if (script_->slow_lists.fetch_sub(1) > 0) return deadline_exceeded();
    return list(script_->tools);
  }
  Result<std::vector<protocol::Resource>> list_resources(const client::CallOptions&) override {
    return list(script_->resources);
  }
  Result<std::vector<protocol::ResourceTemplate>> list_templates(const client::CallOptions&) override {
    return list(script_->templates);
  }
  Result<std::vector<protocol::Prompt>> list_prompts(const client::CallOptions&) override {
    return list(script_->prompts);
  }
  Status ping(const client::CallOptions&) override { return reach(); }
  Result<json::Object> request(const std::string&, json::Object, const client::CallOptions&) override {
    return unsupported("not scripted");
  }
  Status subscribe(const std::string& uri, const client::CallOptions&) override {
    SLUICE_CHECK(reach());
    const std::scoped_lock lock(script_->mutex);
    script_->subscribed.insert(uri);
    script_->changed.notify_all();
    return {};
  }
  Status unsubscribe(const std::string& uri, const client::CallOptions&) override {
    const std::scoped_lock lock(script_->mutex);
    script_->subscribed.erase(uri);
    script_->changed.notify_all();
    return {};
  }
  void close() override {}
  std::string error_output() const override { return {}; }

 private:
  Status reach() const {
    const std::scoped_lock lock(script_->mutex);
    if (!script_->down.empty()) return unavailable(script_->down).with_code("connection_failed");
    return {};
  }
  template <typename Item>
  Result<std::vector<Item>> list(const std::vector<Item>& items) const {
    SLUICE_CHECK(reach());
    const std::scoped_lock lock(script_->mutex);
    return items;
  }

  const std::shared_ptr<Script> script_;  // Shared with the test.
};

}  // namespace

void Script::add_tool(std::string name, std::string description) {
  protocol::Tool tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  const std::scoped_lock lock(mutex);
  tools.push_back(std::move(tool));
}

void Script::add_resource(std::string uri, std::string name) {
  protocol::Resource resource;
  resource.uri = std::move(uri);
  resource.name = std::move(name);
  const std::scoped_lock lock(mutex);
  resources.push_back(std::move(resource));
}

void Script::add_template(std::string uri_template) {
  protocol::ResourceTemplate one;
  one.uri_template = std::move(uri_template);
  one.name = "a template";
  const std::scoped_lock lock(mutex);
  templates.push_back(std::move(one));
}

void Script::set_down(std::string why) {
  const std::scoped_lock lock(mutex);
  down = std::move(why);
}

bool Script::wait_subscribed(const std::string& uri, bool wanted) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, std::chrono::seconds(20), [&] { return subscribed.contains(uri) == wanted; });
}

ToolNode::Connector scripted(std::shared_ptr<Script> script) {
  return
      [script = std::move(script)](client::ClientOptions options) -> Result<std::unique_ptr<client::Client>> {
        script->options = std::move(options);
        return std::unique_ptr<client::Client>(std::make_unique<ScriptedClient>(script));
      };
}

Error server_error(std::int64_t code, const std::string& message) {
  return make_error(ErrorKind::kUnavailable, message)
      .with_code("server_error")
      .with_data(json::to_text(json::Object{{"rpcCode", code}, {"rpcMessage", message}}));
}

}  // namespace sluice::gateway::testing
