#include "sluice/host/run.h"

#include <cstdlib>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/host/address.h"
#include "sluice/protocol/exchange.h"

#include "stop_signal.h"

namespace sluice::host {
namespace {

Result<std::unique_ptr<transport::HttpServer>> start_http(server::Server& server, const RunOptions& options) {
  transport::HttpServerOptions http = *options.http;
  if (!is_loopback(http.host) && !options.requires_token) {
    return forbidden(fmt::format("listening on {} needs a bearer token", http.host))
        .with_code("authentication_required")
        .with_hint("Configure server.tokens, or listen on 127.0.0.1.");
  }
  if (options.gate != nullptr) {
    http.admit = [gate = options.gate](const protocol::HttpHead& head) {
      return gate->authenticate(head.authorization.value_or(""));
    };
  }
  const std::string scheme = http.tls ? "https" : "http";
  const std::string host =
      http.host.find(':') == std::string::npos ? http.host : fmt::format("[{}]", http.host);
  const std::string path = http.path;
  SLUICE_TRY(std::unique_ptr<transport::HttpServer> listening,
             transport::HttpServer::start(std::move(http), server.receiver()));
  log::info("http.listening", {{"url", fmt::format("{}://{}:{}{}", scheme, host, listening->port(), path)}});
  return listening;
}

}  // namespace

Status run(server::Server& server, const RunOptions& options) {
  StopSignal stop;
  std::unique_ptr<transport::HttpServer> http;
  std::unique_ptr<transport::StdioServer> pipe;
  std::thread input;
  if (options.http) {
    SLUICE_TRY(http, start_http(server, options));
  }
  if (options.stdio) {
    SLUICE_TRY(pipe, transport::StdioServer::start(options.pipe, server.receiver()));
    input = std::thread([&] {
      pipe->wait_for_end();
      stop.raise();
    });
  }
  stop.wait();
  log::info("server.stopping");
  const bool quiet = server.stop(options.grace);
  if (http) http->stop(options.grace);
  if (pipe) pipe->stop(options.grace);
  if (input.joinable()) input.join();
  if (!quiet) {
    // A handler that does not obey its stop token must not keep the process alive.
    log::error("server.handler_ignores_stop");
    std::_Exit(1);
  }
  return {};
}

}  // namespace sluice::host
