#include <fmt/format.h>

#include "sluice/app/serve.h"
#include "sluice/host/address.h"

namespace sluice::app {

std::vector<CheckLine> check(const std::vector<std::string>& sources, const Environment& environment) {
  std::vector<CheckLine> lines;
  const Result<Config> config = load_config(sources, environment);
  if (!config) {
    lines.push_back({.ok = false, .subject = "configuration", .finding = config.error().message});
    return lines;
  }
  lines.push_back(
      {.ok = true, .subject = "configuration", .finding = sources.empty() ? "defaults" : "valid"});
  const ServerConfig& server = config->server;
  if (!server.http) {
    lines.push_back({.ok = true, .subject = "server", .finding = "stdio"});
    return lines;
  }
  const bool open = !host::is_loopback(server.http->host) && server.tokens.empty();
  lines.push_back({.ok = !open,
                   .subject = "server",
                   .finding = open ? fmt::format("listening on {} needs server.tokens", server.http->host)
                                   : fmt::format("{} on {}:{}{}, {} tokens", server.tls ? "https" : "http",
                                                 server.http->host, server.http->port, server.path,
                                                 server.tokens.size())});
  return lines;
}

}  // namespace sluice::app
