#include "reminders_provider.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/json/reader.h"

namespace reminders {
namespace {

using namespace sluice;

constexpr std::string_view kPrefix = "reminder:///";
constexpr std::size_t kRemindersMax = 1'000;
constexpr std::size_t kReminderBytesMax = 10'000;

class RemindersProvider final : public catalog::Provider,
                                public catalog::ToolProvider,
                                public catalog::ResourceProvider {
 public:
  RemindersProvider() : Provider({.name = "reminders"}) {}

  catalog::ToolProvider* tools() override { return this; }
  catalog::ResourceProvider* resources() override { return this; }
  void attach(catalog::ChangeSink& sink) override { sink_ = &sink; }

  std::vector<protocol::Tool> list_tools(const catalog::ListQuery& query) override {
    protocol::Tool tool;
    tool.name = "add_reminder";
    tool.description = "Stores a reminder. Returns the URI to read it by.";
    tool.input_schema = *json::read(R"({
      "type": "object",
      "properties": { "text": { "type": "string", "description": "The reminder" } },
      "required": ["text"],
      "additionalProperties": false
    })");
    tool.annotations =
        protocol::ToolAnnotations{.read_only = false, .destructive = false, .open_world = false};
    if (query.limit == 0 || tool.name <= query.after) return {};
    return {std::move(tool)};
  }

  Result<protocol::ToolResult> call(const std::string& tool, const json::Object& arguments,
                                    catalog::Context& /*context*/) override {
    if (tool != "add_reminder") return catalog::unknown_tool(tool);
    const std::string& text = *arguments.find("text")->if_string();  // The schema requires it.
    if (text.size() > kReminderBytesMax) return limit_reached("bytes in a reminder", kReminderBytesMax);
    std::string uri;
    {
      const std::scoped_lock lock(mutex_);
      if (reminders_.size() >= kRemindersMax) return limit_reached("reminders", kRemindersMax);
      uri = std::string(kPrefix) + std::to_string(reminders_.size() + 1);
      reminders_.emplace(uri, text);
    }
    if (catalog::ChangeSink* const sink = sink_) sink->resources_changed();  // Never under the lock.
    return protocol::text_result(uri);
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    std::vector<protocol::Resource> page;
    const std::scoped_lock lock(mutex_);
    for (auto at = reminders_.upper_bound(query.after); at != reminders_.end() && page.size() < query.limit;
         ++at)
      page.push_back({.uri = at->first, .name = at->first.substr(kPrefix.size()), .mime_type = "text/plain"});
    return page;
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "reminder"; }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& /*context*/) override {
    const std::scoped_lock lock(mutex_);
    const auto found = reminders_.find(std::string(uri.text()));
    if (found == reminders_.end()) return protocol::resource_not_found(uri.text());
    protocol::ReadResult result;
    result.contents.push_back(
        {.uri = found->first, .mime_type = "text/plain", .body = protocol::TextBody{found->second}});
    return result;
  }

  // A reminder is in memory: the thread that reads a pipe may read it, too.
  catalog::RunsOn read_runs_on(const ResourceUri& /*uri*/) const override {
    return catalog::RunsOn::kPipeThread;
  }

 private:
  std::atomic<catalog::ChangeSink*> sink_{nullptr};
  std::mutex mutex_;
  std::map<std::string, std::string> reminders_;  // Guarded. By URI.
};

}  // namespace

std::shared_ptr<catalog::Provider> make_reminders_provider() { return std::make_shared<RemindersProvider>(); }

}  // namespace reminders
