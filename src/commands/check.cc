#include "sluice/commands/check.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/config/config_file.h"
#include "sluice/engine/duckdb_library.h"
#include "sluice/fetch/certificates.h"
#include "sluice/guard/issuer_client.h"
#include "sluice/guard/static_tokens.h"
#include "sluice/host/address.h"

#include "collection_check.h"
#include "tool_check.h"

namespace sluice::commands {

namespace {

wiring::CheckLine check_server(const config::Config& config) {
  const config::ServerConfig& server = config.server;
  // `serve` would refuse them as well, whatever it listens on.
  if (const auto tokens = guard::StaticTokens::create(server.tokens); !tokens.ok())
    return {.ok = false, .subject = "server", .finding = tokens.error().message};
  if (!server.http) return {.ok = true, .subject = "server", .finding = "stdio"};
  const bool open =
      !host::is_loopback(server.http->host) && server.tokens.empty() && config.auth.issuers.empty();
  return {
      .ok = !open,
      .subject = "server",
      .finding = open ? fmt::format("listening on {} needs server.tokens or auth.issuers", server.http->host)
                      : fmt::format("{} on {}:{}{}, {} tokens", server.tls ? "https" : "http",
                                    server.http->host, server.http->port, server.path, server.tokens.size())};
}

// Loads the metadata and keys of an identity provider, as the server does when it starts.
wiring::CheckLine check_issuer(const guard::IssuerSpec& spec) {
  const std::string subject = fmt::format("issuer {}", spec.name);
  const auto failed = [&](const Error& error) {
    return wiring::CheckLine{.ok = false, .subject = subject, .finding = error.message};
  };
  const Result<std::unique_ptr<guard::IssuerClient>> client =
      guard::IssuerClient::create(spec, system_clock());
  if (!client.ok()) return failed(client.error());
  const Result<guard::IssuerKeys> loaded = (*client)->load({});
  if (!loaded.ok()) return failed(loaded.error());
  if (loaded->keys.size() == 0)
    return {.ok = false, .subject = subject, .finding = "its key set has no key that verifies signatures"};
  if (spec.introspection && spec.introspection->url.empty() && loaded->introspection_endpoint.empty())
    return {.ok = false, .subject = subject, .finding = "its metadata names no introspection_endpoint"};
  return {
      .ok = true,
      .subject = subject,
      .finding = fmt::format("{} keys; tokens for {}", loaded->keys.size(), fmt::join(spec.audiences, ", "))};
}

wiring::CheckLine check_engine() {
  const Result<std::string> version = engine::duckdb_version();
  if (!version.ok()) return {.ok = false, .subject = "engine", .finding = version.error().message};
  return {.ok = true, .subject = "engine", .finding = fmt::format("DuckDB {}", *version)};
}

// Whether anything is fetched over HTTPS from servers that no file of the configuration vouches for.
bool uses_system_certificates(const config::Config& config) {
  const auto uses = [](const std::string& url, const std::string& ca_file) {
    return ca_file.empty() && url.starts_with("https:");
  };
  const auto& upstreams = config.gateway.upstreams;
  const auto& issuers = config.auth.issuers;
  return std::any_of(config.apis.begin(), config.apis.end(),
                     [&](const apis::ApiSpec& api) { return uses(api.base, api.ca_file); }) ||
         std::any_of(issuers.begin(), issuers.end(),
                     [&](const guard::IssuerSpec& issuer) { return uses(issuer.issuer, issuer.ca_file); }) ||
         std::any_of(
             upstreams.begin(), upstreams.end(),
             [&](const config::UpstreamSpec& upstream) { return uses(upstream.url, upstream.ca_file); }) ||
         (config.portals && std::any_of(config.portals->portals.begin(), config.portals->portals.end(),
                                        [&](const ckan::PortalSpec& portal) {
                                          return uses(portal.base.empty() ? "https:" : portal.base,
                                                      portal.ca_file);
                                        }));
}

wiring::CheckLine check_certificates() {
  const Result<fetch::Certificates>& found = fetch::system_certificates();
  if (!found.ok()) return {.ok = false, .subject = "certificates", .finding = found.error().message};
  return {
      .ok = true, .subject = "certificates", .finding = found->file.empty() ? found->folder : found->file};
}

}  // namespace

std::vector<wiring::CheckLine> check(const CheckRequest& request, const config::Environment& environment) {
  std::vector<wiring::CheckLine> lines;
  const Result<config::Config> config = config::load_config(request.sources, environment);
  if (!config) {
    lines.push_back({.ok = false, .subject = "configuration", .finding = config.error().message});
    return lines;
  }
  lines.push_back(
      {.ok = true, .subject = "configuration", .finding = request.sources.empty() ? "defaults" : "valid"});
  lines.push_back(check_engine());
  lines.push_back(check_server(*config));
  for (const guard::IssuerSpec& issuer : config->auth.issuers) lines.push_back(check_issuer(issuer));
  if (uses_system_certificates(*config)) lines.push_back(check_certificates());
  for (wiring::CheckLine& line : check_collections(*config, request)) lines.push_back(std::move(line));
  for (wiring::CheckLine& line : wiring::check_sources(*config)) lines.push_back(std::move(line));
  for (wiring::CheckLine& line : check_tools(*config)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace sluice::commands
