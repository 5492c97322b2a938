#include "sluice/app/config.h"

#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "yaml_map.h"

namespace sluice::app {
namespace {

// Secrets are named, not written: a token says which variable holds it.
Result<std::string> read_secret(YamlMap& map, const Environment& environment) {
  SLUICE_TRY(const std::string name, map.required_text("env"));
  std::optional<std::string> secret = environment(name);
  if (!secret || secret->empty())
    return map.error("env", fmt::format("the environment variable {} is not set", name));
  return *std::move(secret);
}

Status read_tokens(YamlMap& section, const Environment& environment, ServerConfig& server) {
  SLUICE_TRY(std::vector<YamlMap> tokens, section.maps("tokens"));
  for (YamlMap& token : tokens) {
    guard::Token read;
    SLUICE_TRY(read.name, token.required_text("name"));
    SLUICE_TRY(read.secret, read_secret(token, environment));
    SLUICE_CHECK(token.finish());
    server.tokens.push_back(std::move(read));
  }
  return {};
}

Status read_tls(YamlMap& section, ServerConfig& server) {
  SLUICE_TRY(std::optional<YamlMap> tls, section.map("tls"));
  if (!tls) return {};
  transport::TlsFiles files;
  SLUICE_TRY(files.certificate_chain, tls->required_text("certificate"));
  SLUICE_TRY(files.private_key, tls->required_text("key"));
  SLUICE_CHECK(tls->finish());
  server.tls = std::move(files);
  return {};
}

Status read_server(YamlMap& section, const Environment& environment, ServerConfig& server) {
  SLUICE_TRY(const std::optional<std::string> http, section.text("http"));
  if (http) {
    Result<host::Address> address = host::parse_address(*http);
    if (!address) return section.error("http", address.error().message);
    server.http = *std::move(address);
  }
  SLUICE_TRY(const std::optional<std::string> path, section.text("path"));
  if (path && !path->starts_with('/')) return section.error("path", "must begin with /");
  server.path = path.value_or(server.path);
  SLUICE_CHECK(read_tls(section, server));
  SLUICE_CHECK(read_tokens(section, environment, server));
  SLUICE_TRY(server.allowed_hosts, section.texts("allowed_hosts"));
  SLUICE_TRY(server.allowed_origins, section.texts("allowed_origins"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_message_bytes"));
  if (bytes && (*bytes < 1024 || *bytes > kReplyBytesMax))
    return section.error("max_message_bytes", fmt::format("must be 1024 to {}", kReplyBytesMax));
  server.message_bytes_max = bytes.value_or(server.message_bytes_max);
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> timeout, section.duration("request_timeout"));
  server.request_timeout = timeout.value_or(server.request_timeout);
  SLUICE_TRY(std::optional<YamlMap> key, section.map("signing_key"));
  if (key) {
    SLUICE_TRY(server.signing_key, read_secret(*key, environment));
    constexpr std::size_t kKeyBytesMin = 32;
    if (server.signing_key.size() < kKeyBytesMin)
      return key->error("env", fmt::format("needs at least {} characters", kKeyBytesMin));
    SLUICE_CHECK(key->finish());
  }
  return section.finish();
}

Status read_limits(YamlMap& section, Budget& limits) {
  SLUICE_TRY(const std::optional<std::uint64_t> rows, section.count("max_rows"));
  SLUICE_TRY(const std::optional<std::uint64_t> cells, section.count("max_cells"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> tokens, section.count("max_tokens"));
  limits.rows = rows.value_or(limits.rows);
  limits.cells = cells.value_or(limits.cells);
  limits.bytes = bytes.value_or(limits.bytes);
  limits.tokens = tokens.value_or(limits.tokens);
  return section.finish();
}

Result<YAML::Node> load(std::string_view text, const std::string& name) {
  try {
    return YAML::Load(std::string(text));
  } catch (const YAML::Exception& failure) {
    return invalid_input(fmt::format("{}:{}: not valid YAML: {}", name, failure.mark.line + 1, failure.msg))
        .with_code("invalid_configuration");
  }
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& name, const Environment& environment) {
  SLUICE_TRY(const YAML::Node root, load(text, name));
  SLUICE_TRY(YamlMap file, YamlMap::of(root, "", name, environment));
  Config config;
  SLUICE_TRY(std::optional<YamlMap> server, file.map("server"));
  if (server) SLUICE_CHECK(read_server(*server, environment, config.server));
  SLUICE_TRY(std::optional<YamlMap> limits, file.map("limits"));
  if (limits) SLUICE_CHECK(read_limits(*limits, config.limits));
  SLUICE_CHECK(file.finish());
  return config;
}

}  // namespace sluice::app
