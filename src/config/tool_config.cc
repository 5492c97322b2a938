#include "tool_config.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "defined_tool_config.h"

namespace sluice::config {

namespace {

using datasets::ToolProfile;

constexpr ToolProfile kProfileDefault = ToolProfile::kLean;
// Clients of this preset were written for the tools of the full profile.
constexpr std::string_view kFullPreset = "budget";

constexpr std::array kProfiles = {std::pair{std::string_view("lean"), ToolProfile::kLean},
                                  std::pair{std::string_view("full"), ToolProfile::kFull},
                                  std::pair{std::string_view("all"), ToolProfile::kAll}};

constexpr std::size_t kPatternsMax = 1'000;
constexpr std::size_t kPatternBytesMax = 128;  // As many as a tool's name may have.

Result<std::vector<std::string>> read_patterns(YamlMap& section, const std::string& key) {
  SLUICE_TRY(std::vector<std::string> patterns, section.texts(key));
  if (patterns.size() > kPatternsMax)
    return section.error(key, fmt::format("more than {} patterns", kPatternsMax));
  for (const std::string& pattern : patterns) {
    if (pattern.empty())
      return section.error(key, "a pattern is empty; write a tool's name, or * for every tool");
    if (pattern.size() > kPatternBytesMax)
      return section.error(
          key, fmt::format("a pattern has more than {} characters: {}", kPatternBytesMax, excerpt(pattern)));
  }
  return patterns;
}

}  // namespace

std::optional<ToolProfile> parse_profile(std::string_view text) {
  for (const auto& [name, profile] : kProfiles) {
    if (name == text) return profile;
  }
  return std::nullopt;
}

Result<ToolsConfig> read_tools(YamlMap& file) {
  ToolsConfig out;
  SLUICE_TRY(std::optional<YamlMap> section, file.map("tools"));
  if (!section) return out;
  SLUICE_TRY(const std::optional<std::string> profile, section->text("profile"));
  if (profile) {
    out.profile = parse_profile(*profile);
    if (!out.profile)
      return section->error("profile", fmt::format("expected lean, full or all, got {}", excerpt(*profile)));
  }
  SLUICE_TRY(out.rules.allow, read_patterns(*section, "allow"));
  SLUICE_TRY(out.rules.deny, read_patterns(*section, "deny"));
  SLUICE_TRY(const std::optional<bool> read_only, section->flag("read_only"));
  out.rules.read_only = read_only.value_or(false);
  SLUICE_TRY(out.defined, read_defined_tools(*section));
  SLUICE_CHECK(section->finish());
  return out;
}

bool has_datasets(const Config& config) {
  return !config.collections.empty() || !config.databases.empty() || config.records.has_value();
}

ToolProfile profile_of(const Config& config) {
  if (config.tools.profile) return *config.tools.profile;
  const bool has_preset = std::any_of(
      config.collections.begin(), config.collections.end(),
      [](const collections::CollectionSpec& collection) { return collection.preset == kFullPreset; });
  return has_preset ? ToolProfile::kFull : kProfileDefault;
}

}  // namespace sluice::config
