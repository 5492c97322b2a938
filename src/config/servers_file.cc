#include "servers_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "sluice/base/text.h"
#include "sluice/config/config_file.h"

#include "upstream_config.h"
#include "yaml_map.h"

namespace sluice::config {
namespace {

constexpr std::array<std::string_view, 6> kHttpTypes{"http",           "streamable-http", "streamable_http",
                                                     "streamableHttp", "streamablehttp",  "remote"};

// The folder that hosts call the workspace: the one that holds the file, or the folder of its settings.
std::string workspace_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string name = folder.filename().string();
  return (name.starts_with('.') && name.size() > 1 ? folder.parent_path() : folder).string();
}

// Variables as other hosts write them: the name is what stands between the braces.
Environment host_variables(const Environment& environment, const std::string& workspace) {
  return [&environment, workspace](const std::string& name) -> std::optional<std::string> {
    if (name == "workspaceFolder") return workspace;
    if (name == "userHome") return environment("HOME");
    constexpr std::string_view kEnv = "env:";
    std::string_view rest = name;
    if (rest.starts_with(kEnv)) rest.remove_prefix(kEnv.size());
    const std::size_t mark = rest.find(":-");
    std::optional<std::string> value = environment(std::string(rest.substr(0, mark)));
    if (mark == std::string_view::npos) return value;
    return value && !value->empty() ? value : std::string(rest.substr(mark + 2));
  };
}

bool says(const YAML::Node& node, std::string_view word) {
  return node.IsDefined() && node.IsScalar() && node.Scalar() == word;
}

bool is_off(const YAML::Node& entry) {
  return entry.IsMap() && (says(entry["disabled"], "true") || says(entry["enabled"], "false"));
}

// An entry with the names that we use.
YAML::Node in_our_words(const YAML::Node& given) {
  YAML::Node entry = YAML::Clone(given);
  for (const std::string name : {"serverUrl", "httpUrl"}) {
    if (!entry["url"].IsDefined() && entry[name].IsDefined()) entry["url"] = entry[name];
    entry.remove(name);
  }
  for (const std::string name : {"disabled", "enabled"}) entry.remove(name);
  if (const YAML::Node type = entry["type"]; type.IsDefined() && type.IsScalar()) {
    const std::string& text = type.Scalar();
    const bool is_http = std::find(kHttpTypes.begin(), kHttpTypes.end(), text) != kHttpTypes.end();
    if (is_http || text == "local") entry["type"] = is_http ? "http" : "stdio";
  }
  return entry;
}

// A timeout without a unit means seconds to some hosts and milliseconds to others.
bool has_foreign_timeout(const YAML::Node& entry) {
  const YAML::Node timeout = entry["timeout"];
  return timeout.IsDefined() && timeout.IsScalar() && !timeout.Scalar().empty() &&
         timeout.Scalar().find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Status read_servers_file(const std::string& path, const Environment& environment,
                         std::vector<UpstreamSpec>& out, std::vector<UpstreamNote>& notes) {
  SLUICE_TRY(const std::string text, read_config_file(path));
  YAML::Node root;
  try {
    root = YAML::Load(text);  // JSON is YAML.
  } catch (const YAML::Exception& failure) {
    return invalid_input(fmt::format("{}:{}: not valid JSON: {}", path, failure.mark.line + 1, failure.msg))
        .with_code("invalid_configuration");
  }
  const Environment variables = host_variables(environment, workspace_of(path));
  SLUICE_TRY(YamlMap file, YamlMap::of(root, "", path, variables));
  const std::string key = file.has("servers") ? "servers" : "mcpServers";
  if (!file.has(key)) return file.error("mcpServers", "is missing");
  SLUICE_TRY(std::optional<YamlMap> servers, file.map(key));
  if (!servers) return {};
  SLUICE_TRY(const std::vector<std::string> names, servers->keys());
  for (const std::string& name : names) {
    const YAML::Node given = std::as_const(root)[key][name];
    if (is_off(given)) continue;
    const auto note = [&](bool is_left_out, const std::string& what) {
      notes.push_back({.is_left_out = is_left_out, .text = fmt::format("{}: {}", excerpt(name), what)});
    };
    if (!given.IsMap()) {
      note(true, path + ": expected a mapping");
      continue;
    }
    YAML::Node entry = in_our_words(given);
    if (has_foreign_timeout(entry)) {
      note(false, path + ": timeout has no unit and is ignored; write 60s or 60000ms");
      entry.remove(std::string("timeout"));
    }
    SLUICE_TRY(YamlMap section, YamlMap::of(entry, key + "." + name, path, variables));
    Result<UpstreamSpec> spec = read_upstream(section, name, path, variables);
    const Status added = spec.ok() ? add_upstream(*std::move(spec), out) : Status(spec.error());
    if (!added.ok()) {
      note(true, added.error().message);
      continue;
    }
    for (const std::string& unknown : section.unasked())
      note(false, fmt::format("{}: the key {} is of another host and is ignored", path, excerpt(unknown)));
  }
  return {};
}

}  // namespace sluice::config
