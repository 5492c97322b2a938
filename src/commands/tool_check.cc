#include "tool_check.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/catalog/background_context.h"
#include "sluice/catalog/tool_index.h"
#include "sluice/wiring/generation.h"
#include "sluice/wiring/process_state.h"

namespace sluice::commands {

namespace {

constexpr std::chrono::seconds kFoldersWait{60};
constexpr std::chrono::seconds kExampleTime{30};

// Changes while the check runs are of no interest.
class DeafSink final : public catalog::ChangeSink {
 public:
  void tools_changed() override {}
  void prompts_changed() override {}
  void resources_changed() override {}
  void resource_updated(const std::string& /*uri*/) override {}
};

class ToolCheck {
 public:
  explicit ToolCheck(const config::Config& config) : config_(config), process_state_(config_) {}

  std::vector<wiring::CheckLine> run() && {
    Result<wiring::NewGeneration> made = wiring::make_generation(config_, process_state_);
    if (!made.ok()) {
      add(false, "tools", made.error().message);
      return std::move(lines_);
    }
    if (made->ready.valid()) made->ready.wait_for(kFoldersWait);
    made->generation->attach();
    made->generation->tell(&sink_);
    for (const auto& provider : made->generation->providers()) provider->settle({});
    check_patterns(*made->generation);
    check_definitions(*made->generation);
    made->generation->tell(nullptr);
    return std::move(lines_);
  }

 private:
  void add(bool ok, std::string subject, std::string finding, bool is_warning = false) {
    lines_.push_back(
        {.ok = ok, .is_warning = is_warning, .subject = std::move(subject), .finding = std::move(finding)});
  }

  void check_patterns(const catalog::Generation& generation) {
    std::vector<std::string> names;
    const catalog::ListQuery everything{
        .after = {}, .limit = std::numeric_limits<std::size_t>::max(), .principal = local_principal()};
    for (const auto& provider : generation.providers()) {
      if (provider->tools() == nullptr) continue;
      for (const protocol::Tool& tool : provider->tools()->list_tools(everything)) names.push_back(tool.name);
    }
    const catalog::ToolRules& rules = config_.tools.rules;
    for (const auto& [key, patterns] : {std::pair{"allow", &rules.allow}, std::pair{"deny", &rules.deny}}) {
      for (const std::string& pattern : *patterns) {
        const bool matches = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return catalog::matches_glob(pattern, name);
        });
        if (matches) continue;
        const std::string near = nearest_name(pattern, names);
        add(true, fmt::format("tools.{}", key),
            fmt::format("{} matches no tool{}", excerpt(pattern),
                        near.empty() ? std::string() : fmt::format("; did you mean {}?", near)),
            true);
      }
    }
  }

  void check_definitions(const catalog::Generation& generation) {
    if (config_.tools.defined.empty()) return;
    const Result<std::shared_ptr<const catalog::ToolIndex>> index =
        catalog::ToolIndex::build(generation.providers());
    if (!index.ok()) return add(false, "tools", index.error().message);
    for (const datasets::DefinedTool& tool : config_.tools.defined) check_definition(**index, tool);
  }

  void check_definition(const catalog::ToolIndex& index, const datasets::DefinedTool& tool) {
    const std::string subject = "tool " + tool.name;
    const bool needs_example = std::any_of(tool.parameters.begin(), tool.parameters.end(),
                                           [](const auto& parameter) { return parameter.is_required; });
    if (!tool.example && needs_example)
      return add(true, subject, "has no example to run it with; its statements are SELECT", true);
    const std::shared_ptr<const catalog::ToolEntry> entry = index.find(tool.name);
    if (entry == nullptr) return add(false, subject, "is not offered");
    const json::Object arguments = tool.example.value_or(json::Object());
    if (const auto problems = entry->input.validate(json::Value(arguments), "example"); !problems.empty())
      return add(false, subject, fmt::format("{}: {}", problems.front().path, problems.front().message));
    catalog::BackgroundContext context({}, system_clock().now() + kExampleTime);
    const Result<protocol::ToolResult> result = entry->provider->call(tool.name, arguments, context);
    if (!result.ok()) {
      return add(false, subject,
                 fmt::format("{}{}{}", result.error().message, result.error().hint.empty() ? "" : ". ",
                             result.error().hint));
    }
    const json::Value* status = result->meta.find("sluice/result");
    const json::Value* rows = status != nullptr ? status->find("rows") : nullptr;
    const std::string count = rows != nullptr ? json::to_text(*rows) : "0";
    add(true, subject, fmt::format("works with its example: {} {}", count, count == "1" ? "row" : "rows"));
  }

  const config::Config& config_;
  DeafSink sink_;
  wiring::ProcessState process_state_;  // Outlives the providers, which end in `run`.
  std::vector<wiring::CheckLine> lines_;
};

}  // namespace

std::vector<wiring::CheckLine> check_tools(const config::Config& config) {
  const config::ToolsConfig& tools = config.tools;
  if (tools.rules.allow.empty() && tools.rules.deny.empty() && tools.defined.empty()) return {};
  return ToolCheck(config).run();
}

}  // namespace sluice::commands
