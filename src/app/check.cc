#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/app/serve.h"
#include "sluice/engine/duckdb_library.h"
#include "sluice/fetch/certificates.h"
#include "sluice/guard/token_gate.h"
#include "sluice/host/address.h"

#include "collection_check.h"
#include "template_check.h"
#include "tool_check.h"
#include "wire_apis.h"
#include "wire_ckan.h"
#include "wire_databases.h"
#include "wire_docs.h"
#include "wire_files.h"
#include "wire_git.h"
#include "wire_records.h"
#include "wire_upstreams.h"

namespace sluice::app {

namespace {

CheckLine check_server(const ServerConfig& server) {
  // `serve` would refuse them as well, whatever it listens on.
  if (const auto gate = guard::TokenGate::create(server.tokens); !gate.ok())
    return {.ok = false, .subject = "server", .finding = gate.error().message};
  if (!server.http) return {.ok = true, .subject = "server", .finding = "stdio"};
  const bool open = !host::is_loopback(server.http->host) && server.tokens.empty();
  return {
      .ok = !open,
      .subject = "server",
      .finding = open ? fmt::format("listening on {} needs server.tokens", server.http->host)
                      : fmt::format("{} on {}:{}{}, {} tokens", server.tls ? "https" : "http",
                                    server.http->host, server.http->port, server.path, server.tokens.size())};
}

CheckLine check_engine() {
  const Result<std::string> version = engine::duckdb_version();
  if (!version.ok()) return {.ok = false, .subject = "engine", .finding = version.error().message};
  return {.ok = true, .subject = "engine", .finding = fmt::format("DuckDB {}", *version)};
}

// Whether anything is fetched over HTTPS from servers that no file of the configuration vouches for.
bool uses_system_certificates(const Config& config) {
  const auto uses = [](const std::string& url, const std::string& ca_file) {
    return ca_file.empty() && url.starts_with("https:");
  };
  const auto& upstreams = config.gateway.upstreams;
  return std::any_of(config.apis.begin(), config.apis.end(),
                     [&](const apis::ApiSpec& api) { return uses(api.base, api.ca_file); }) ||
         std::any_of(upstreams.begin(), upstreams.end(),
                     [&](const UpstreamSpec& upstream) { return uses(upstream.url, upstream.ca_file); }) ||
         (config.portals && std::any_of(config.portals->portals.begin(), config.portals->portals.end(),
                                        [&](const ckan::PortalSpec& portal) {
                                          return uses(portal.base.empty() ? "https:" : portal.base,
                                                      portal.ca_file);
                                        }));
}

CheckLine check_certificates() {
  const Result<fetch::Certificates>& found = fetch::system_certificates();
  if (!found.ok()) return {.ok = false, .subject = "certificates", .finding = found.error().message};
  return {
      .ok = true, .subject = "certificates", .finding = found->file.empty() ? found->folder : found->file};
}

}  // namespace

std::vector<CheckLine> check(const CheckRequest& request, const Environment& environment) {
  std::vector<CheckLine> lines;
  const Result<Config> config = load_config(request.sources, environment);
  if (!config) {
    lines.push_back({.ok = false, .subject = "configuration", .finding = config.error().message});
    return lines;
  }
  lines.push_back(
      {.ok = true, .subject = "configuration", .finding = request.sources.empty() ? "defaults" : "valid"});
  lines.push_back(check_engine());
  lines.push_back(check_server(config->server));
  if (uses_system_certificates(*config)) lines.push_back(check_certificates());
  for (CheckLine& line : check_collections(*config, request)) lines.push_back(std::move(line));
  for (CheckLine& line : check_records(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_files(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_docs(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_databases(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_templates(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_repositories(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_apis(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_upstreams(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_portals(*config)) lines.push_back(std::move(line));
  for (CheckLine& line : check_tools(*config)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace sluice::app
