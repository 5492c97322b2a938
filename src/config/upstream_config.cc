#include "upstream_config.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "sluice/base/text.h"
#include "sluice/client/target.h"
#include "sluice/config/config_file.h"
#include "sluice/gateway/namespaced_uri.h"

#include "authorization_config.h"
#include "config_path.h"
#include "secret.h"
#include "servers_file.h"

namespace sluice::config {
namespace {

constexpr std::size_t kUpstreamsMax = 256;
constexpr std::size_t kUpstreamFilesMax = 64;
constexpr std::chrono::milliseconds kUpstreamTimeoutMin{1'000};
constexpr std::chrono::milliseconds kUpstreamTimeoutMax{300'000};
constexpr std::chrono::milliseconds kConnectWaitMax{60'000};
constexpr std::size_t kConcurrencyMax = 128;
constexpr std::size_t kAttemptsMax = 10;

// What a child may need to run at all; `client::inheritable` decides which of them it gets.
constexpr std::array<const char*, 14> kCommonVariables{
    "PATH",     "HOME", "USER",   "LOGNAME", "SHELL",    "LANG",           "LC_ALL",
    "LC_CTYPE", "TERM", "TMPDIR", "TZ",      "LANGUAGE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"};

Status read_cache(YamlMap& section, gateway::ResourceCacheConfig& cache) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("cache"));
  if (!map) return {};
  SLUICE_TRY(const std::optional<bool> enabled, map->flag("enabled"));
  SLUICE_TRY(const std::optional<std::uint64_t> entries, map->count("max_entries"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, map->count("max_bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> seconds, map->count("ttl_seconds"));
  SLUICE_TRY(const std::optional<std::uint64_t> chars, map->count("inline_text_if_under_chars"));
  cache.enabled = enabled.value_or(cache.enabled);
  cache.max_entries = entries.value_or(cache.max_entries);
  cache.max_bytes = bytes.value_or(cache.max_bytes);
  cache.ttl_seconds = seconds.value_or(cache.ttl_seconds);
  cache.inline_text_if_under_chars = chars.value_or(cache.inline_text_if_under_chars);
  return map->finish();
}

Status read_extraction(YamlMap& section, gateway::NodeConfig& node) {
  SLUICE_TRY(const std::optional<std::string> preset, section.text("preset"));
  if (preset) {
    const auto found = gateway::get_artifact_preset(*preset);
    if (!found) return section.error("preset", "must be filesystem or default");
    node.artifact_extraction = *found;
    node.cache.inline_text_if_under_chars = found->resources.inline_text_if_under_chars;
    node.artifact_extraction.max_inline_size =
        std::max(node.artifact_extraction.max_inline_size, found->resources.inline_text_if_under_chars);
  }
  SLUICE_TRY(const std::optional<std::uint64_t> chars, section.count("max_inline_chars"));
  node.artifact_extraction.max_inline_size = chars.value_or(node.artifact_extraction.max_inline_size);
  SLUICE_TRY(std::optional<YamlMap> map, section.map("resources"));
  if (!map) return {};
  gateway::ResourceHandlingConfig& handling = node.artifact_extraction.resources;
  SLUICE_TRY(const std::optional<bool> enabled, map->flag("enabled"));
  SLUICE_TRY(const std::optional<std::uint64_t> auto_read, map->count("auto_read_if_size_under_bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> inlined, map->count("inline_text_if_under_chars"));
  SLUICE_TRY(const std::optional<bool> to_artifacts, map->flag("cache_reads_to_artifacts"));
  handling.enabled = enabled.value_or(handling.enabled);
  handling.auto_read_if_size_under_bytes = auto_read.value_or(handling.auto_read_if_size_under_bytes);
  handling.inline_text_if_under_chars = inlined.value_or(handling.inline_text_if_under_chars);
  handling.cache_reads_to_artifacts = to_artifacts.value_or(handling.cache_reads_to_artifacts);
  return map->finish();
}

Status read_upstream_limits(YamlMap& section, gateway::NodeConfig& node) {
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> timeout, section.duration("timeout"));
  if (timeout && (*timeout < kUpstreamTimeoutMin || *timeout > kUpstreamTimeoutMax))
    return section.error("timeout", "must be 1s to 5m");
  SLUICE_TRY(const std::optional<std::uint64_t> concurrency, section.count("max_concurrency"));
  if (concurrency && (*concurrency == 0 || *concurrency > kConcurrencyMax))
    return section.error("max_concurrency", fmt::format("must be 1 to {}", kConcurrencyMax));
  SLUICE_TRY(const std::optional<std::uint64_t> attempts, section.count("attempts"));
  if (attempts && (*attempts == 0 || *attempts > kAttemptsMax))
    return section.error("attempts", fmt::format("must be 1 to {}", kAttemptsMax));
  SLUICE_TRY(const std::optional<bool> questions, section.flag("questions"));
  node.timeout = timeout.value_or(node.timeout);
  node.max_concurrency = concurrency.value_or(node.max_concurrency);
  node.attempts = attempts.value_or(node.attempts);
  node.relay_questions = questions.value_or(node.relay_questions);
  return {};
}

Status read_command(YamlMap& section, const std::string& file, const Environment& environment,
                    UpstreamSpec& spec) {
  SLUICE_TRY(spec.arguments, section.texts("args"));
  SLUICE_TRY(const auto given, section.pairs("env"));
  SLUICE_TRY(const std::vector<std::string> inherited, section.texts("inherit_env"));
  SLUICE_TRY(const std::optional<std::string> folder, section.text("cwd"));
  spec.folder = folder ? path_from(file, *folder) : "";
  client::Environment common;
  for (const char* name : kCommonVariables) {
    if (std::optional<std::string> value = environment(name)) common.emplace(name, *std::move(value));
  }
  spec.environment = client::inheritable(common);
  for (const std::string& name : inherited) {
    std::optional<std::string> value = environment(name);
    if (!value)
      return section.error("inherit_env",
                           fmt::format("the environment variable {} is not set", excerpt(name)));
    spec.environment[name] = *std::move(value);
  }
  for (const auto& [name, value] : given) spec.environment[name] = value;
  return {};
}

Result<std::map<std::string, std::string, std::less<>>> read_replacements(YamlMap& section,
                                                                          const std::string& key) {
  SLUICE_TRY(const auto pairs, section.pairs(key));
  std::map<std::string, std::string, std::less<>> out;
  for (const auto& [name, value] : pairs) {
    if (value.empty()) return section.error(key, fmt::format("{} has nothing in its place", excerpt(name)));
    out.emplace(name, value);
  }
  return out;
}

Status read_offer(YamlMap& section, gateway::OfferConfig& offer) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("tools"));
  if (map) {
    gateway::ToolFilter& tools = offer.tools;
    SLUICE_TRY(tools.rules.allow, map->texts("allow"));
    SLUICE_TRY(tools.rules.deny, map->texts("deny"));
    SLUICE_TRY(const std::optional<bool> read_only, map->flag("read_only"));
    tools.rules.read_only = read_only.value_or(false);
    SLUICE_TRY(tools.rename, read_replacements(*map, "rename"));
    SLUICE_TRY(tools.describe, read_replacements(*map, "describe"));
    SLUICE_CHECK(map->finish());
  }
  if (!section.has("offer")) return {};
  SLUICE_TRY(const std::vector<std::string> offered, section.texts("offer"));
  offer.offers_tools = offer.offers_prompts = offer.offers_resources = offer.offers_resource_tools = false;
  for (const std::string& what : offered) {
    if (what == "tools") {
      offer.offers_tools = true;
    } else if (what == "prompts") {
      offer.offers_prompts = true;
    } else if (what == "resources") {
      offer.offers_resources = true;
    } else if (what == "resource_tools") {
      offer.offers_resources = offer.offers_resource_tools = true;
    } else {
      return section.error("offer", "must list tools, prompts, resources or resource_tools");
    }
  }
  return {};
}

bool is_authorization(std::string_view header) { return equal_ignoring_case(header, "authorization"); }

Status read_upstream_endpoint(YamlMap& section, const std::string& file, const Environment& environment,
                              UpstreamSpec& spec) {
  SLUICE_TRY(spec.headers, section.pairs("headers"));
  SLUICE_TRY(const std::optional<std::string> ca_file, section.text("ca_file"));
  if (ca_file) spec.ca_file = path_from(file, *ca_file);
  SLUICE_TRY(const std::optional<std::string> proxy, section.text("proxy"));
  spec.proxy = proxy.value_or("");
  if (proxy && spec.url.empty()) return section.error("proxy", "needs url");
  if (proxy && !proxy->starts_with("http://") && !proxy->starts_with("https://"))
    return section.error("proxy", "must begin with http:// or https://");
  SLUICE_TRY(const std::optional<bool> allow_private, section.flag("allow_private"));
  spec.allow_private = allow_private.value_or(true);
  if (!spec.url.empty() && !spec.url.starts_with("http://") && !spec.url.starts_with("https://"))
    return section.error("url", "must begin with https:// or http://");
  SLUICE_TRY(spec.authorization, read_authorization(section, environment));
  if (!spec.authorization) return {};
  if (spec.url.empty()) return section.error("authorization", "needs url");
  if (std::any_of(spec.headers.begin(), spec.headers.end(),
                  [](const auto& header) { return is_authorization(header.first); }))
    return section.error("authorization", "headers have an Authorization already");
  return {};
}

Status read_map(YamlMap& map, const std::string& file, const Environment& environment,
                std::vector<UpstreamSpec>& out) {
  SLUICE_TRY(const std::vector<std::string> names, map.keys());
  for (const std::string& name : names) {
    SLUICE_TRY(std::optional<YamlMap> section, map.map(name));
    if (!section) return map.error(name, "needs either command or url");
    SLUICE_TRY(const std::optional<bool> disabled, section->flag("disabled"));
    SLUICE_TRY(UpstreamSpec spec, read_upstream(*section, name, file, environment));
    SLUICE_CHECK(section->finish());
    if (disabled.value_or(false)) continue;
    if (const Status added = add_upstream(std::move(spec), out); !added.ok())
      return map.error(name, added.error().message);
  }
  return map.finish();
}

Status read_artifacts(YamlMap& section, const std::string& file, ArtifactsConfig& artifacts) {
  SLUICE_TRY(const std::optional<std::string> path, section.text("path"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> retention, section.duration("retention"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> each, section.count("max_artifact_bytes"));
  if (path) artifacts.path = path_from(file, *path);
  if (retention && *retention < std::chrono::seconds(1))
    return section.error("retention", "must be 1s or more");
  if (retention) artifacts.bounds.retention = std::chrono::duration_cast<std::chrono::seconds>(*retention);
  artifacts.bounds.bytes_max = bytes.value_or(artifacts.bounds.bytes_max);
  artifacts.bounds.artifact_bytes_max = each.value_or(artifacts.bounds.artifact_bytes_max);
  return section.finish();
}

}  // namespace

Result<UpstreamSpec> read_upstream(YamlMap& section, const std::string& name, const std::string& file,
                                   const Environment& environment) {
  UpstreamSpec spec;
  spec.node.name = gateway::namespace_of(name);
  SLUICE_TRY(const std::optional<std::string> type, section.text("type"));
  if (type == "sse")
    return section.error("type", "the transport of 2024-11-05 (sse) is not supported; use Streamable HTTP");
  if (type && *type != "stdio" && *type != "http" && *type != "streamable-http")
    return section.error("type", "must be stdio or http");
  SLUICE_TRY(const std::optional<std::string> command, section.text("command"));
  SLUICE_TRY(const std::optional<std::string> url, section.text("url"));
  if (command.has_value() == url.has_value()) return section.error("", "needs either command or url");
  spec.command = command.value_or("");
  spec.url = url.value_or("");
  SLUICE_CHECK(read_command(section, file, environment, spec));
  SLUICE_CHECK(read_upstream_endpoint(section, file, environment, spec));
  SLUICE_CHECK(read_extraction(section, spec.node));
  SLUICE_CHECK(read_cache(section, spec.node.cache));
  SLUICE_CHECK(read_upstream_limits(section, spec.node));
  SLUICE_CHECK(read_offer(section, spec.node.offer));
  SLUICE_TRY(const std::optional<bool> pin, section.flag("pin"));
  spec.pin = pin.value_or(false);
  SLUICE_TRY(spec.reads, section.texts("reads"));
  SLUICE_TRY(const std::optional<std::string> era, section.text("era"));
  if (era && *era != "modern" && *era != "legacy" && *era != "both")
    return section.error("era", "must be modern, legacy or both");
  if (era == "modern") spec.eras = client::Eras::kModern;
  if (era == "legacy") spec.eras = client::Eras::kLegacy;
  return spec;
}

Status add_upstream(UpstreamSpec spec, std::vector<UpstreamSpec>& all) {
  const std::string scheme = gateway::UriSpace(spec.node.name).scheme();
  const bool is_taken = std::any_of(all.begin(), all.end(), [&](const UpstreamSpec& other) {
    return gateway::UriSpace(other.node.name).scheme() == scheme;
  });
  if (is_taken) return invalid_input(fmt::format("another upstream has the namespace {}", spec.node.name));
  if (all.size() >= kUpstreamsMax) return invalid_input(fmt::format("at most {} upstreams", kUpstreamsMax));
  all.push_back(std::move(spec));
  return {};
}

std::vector<std::string> files_beside(const std::string& text, const std::string& name,
                                      const Environment& environment) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception&) {
    return {};
  }
  Result<YamlMap> config = YamlMap::of(root, "", name, environment);
  Result<std::vector<std::string>> files =
      config.ok() ? config->texts("upstreams_file") : Result<std::vector<std::string>>(config.error());
  if (!files.ok() || files->size() > kUpstreamFilesMax) return {};
  for (const char* section : {"server", "auth"}) {
    if (root.IsMap()) add_secret_files(std::as_const(root)[section], *files);
  }
  for (std::string& file : *files) file = path_from(name, file);
  return *std::move(files);
}

Result<GatewayConfig> read_upstreams(YamlMap& config, const std::string& name,
                                     const Environment& environment) {
  GatewayConfig out;
  SLUICE_TRY(std::optional<YamlMap> upstreams, config.map("upstreams"));
  if (upstreams) SLUICE_CHECK(read_map(*upstreams, name, environment, out.upstreams));
  SLUICE_TRY(const std::vector<std::string> files, config.texts("upstreams_file"));
  if (files.size() > kUpstreamFilesMax)
    return config.error("upstreams_file", fmt::format("at most {} files", kUpstreamFilesMax));
  for (const std::string& file : files)
    SLUICE_CHECK(read_servers_file(path_from(name, file), environment, out.upstreams, out.notes));
  SLUICE_TRY(std::optional<YamlMap> artifacts, config.map("artifacts"));
  if (artifacts) SLUICE_CHECK(read_artifacts(*artifacts, name, out.artifacts));
  SLUICE_TRY(const std::optional<std::string> pins, config.text("pins"));
  out.pins = path_from(name, pins.value_or(".sluice-pins"));
  SLUICE_TRY(const std::optional<std::string> tokens, config.text("token_store"));
  out.tokens = tokens ? path_from(name, *tokens) : default_token_folder(environment);
  out.file = name;
  SLUICE_TRY(const std::optional<std::string> names, config.text("tool_names"));
  if (names && *names != "safe" && *names != "dotted")
    return config.error("tool_names", "must be dotted or safe");
  if (names == "safe") out.names = gateway::NameStyle::kSafe;
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> wait, config.duration("connect_wait"));
  if (wait && *wait > kConnectWaitMax) return config.error("connect_wait", "must be at most 60s");
  out.connect_wait = wait.value_or(out.connect_wait);
  return out;
}

}  // namespace sluice::config
