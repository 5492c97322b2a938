#include "sluice/host/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/log.h"
#include "sluice/host/address.h"
#include "sluice/json/value.h"
#include "sluice/protocol/exchange.h"

#include "stop_signal.h"

namespace sluice::host {
namespace {

// What GET /readyz answers, and whether anybody asks it.
struct Readiness {
  std::atomic<bool> is_draining{false};
  std::atomic<bool> is_asked{false};
};

// Requests to routes read, as the gate sees it. The refusal is a problem document.
protocol::Receiver limited(std::shared_ptr<catalog::Gate> gate, protocol::Receiver receiver) {
  return
      [gate = std::move(gate), receiver = std::move(receiver)](std::shared_ptr<protocol::Exchange> exchange) {
        const protocol::Inbound& inbound = exchange->inbound();
        const std::optional<Refusal> refusal =
            gate->limits_operations()
                ? gate->allow({.principal = inbound.principal, .identity = inbound.identity.get()},
                              {catalog::Operation{}})
                : std::nullopt;
        if (!refusal) return receiver(std::move(exchange));
        constexpr int kForbiddenStatus = 403;
        const json::Object problem{{"title", "Forbidden"},
                                   {"status", kForbiddenStatus},
                                   {"code", refusal->error.code},
                                   {"detail", refusal->error.message},
                                   {"hint", refusal->error.hint}};
        protocol::Final final{.status = kForbiddenStatus,
                              .message = json::to_text(problem),
                              .content_type = "application/problem+json"};
        final.headers.emplace_back("WWW-Authenticate", refusal->challenge);
        exchange->finish(std::move(final));
      };
}

Result<std::unique_ptr<transport::HttpServer>> start_http(server::Server& server, const RunOptions& options,
                                                          Readiness& readiness) {
  transport::HttpServerOptions http = *options.http;
  http.is_ready = [&readiness, is_ready = http.is_ready] {
    readiness.is_asked = true;
    return !readiness.is_draining && (!is_ready || is_ready());
  };
  if (!is_loopback(http.host) && !options.requires_token) {
    return forbidden(fmt::format("listening on {} needs a bearer token", http.host))
        .with_code("authentication_required")
        .with_hint("Configure server.tokens, or listen on 127.0.0.1.");
  }
  if (options.gate != nullptr) {
    http.admit = [gate = options.gate](const transport::AdmissionRequest& request, AdmissionDone done) {
      const std::optional<std::string>& authorization = request.head.authorization;
      gate->authenticate(
          {.authorization = authorization ? std::string_view(*authorization) : std::string_view(),
           .peer = request.peer},
          std::move(done));
    };
    for (transport::HttpRoute& route : http.routes)
      route.receiver = limited(options.gate, std::move(route.receiver));
  }
  const std::string scheme = http.tls ? "https" : "http";
  const std::string host =
      http.host.find(':') == std::string::npos ? http.host : fmt::format("[{}]", http.host);
  const std::string path = http.path;
  SLUICE_TRY(std::unique_ptr<transport::HttpServer> listening,
             transport::HttpServer::start(std::move(http), server.receiver()));
  const std::string origin = fmt::format("{}://{}:{}", scheme, host, listening->port());
  log::info("http.listening", {{"url", origin + path}});
  if (options.on_listening) options.on_listening(origin);
  return listening;
}

// A load balancer sees that this server is not ready and sends new requests to others. If nobody asks for
// that there is nothing to wait for.
void drain(Readiness& readiness, const RunOptions& options) {
  const std::chrono::milliseconds usual = readiness.is_asked ? kDrain : std::chrono::milliseconds(0);
  const std::chrono::milliseconds time = options.drain.value_or(usual);
  readiness.is_draining = true;
  if (time <= std::chrono::milliseconds(0)) return;
  log::info("server.draining", {{"time_ms", time.count()}});
  std::this_thread::sleep_for(time);
}

}  // namespace

Status run(server::Server& server, const RunOptions& options) {
  StopSignal stop;
  Readiness readiness;
  std::unique_ptr<transport::HttpServer> http;
  std::unique_ptr<transport::StdioServer> pipe;
  std::thread input;
  if (options.http) {
    SLUICE_TRY(http, start_http(server, options, readiness));
  }
  if (options.stdio) {
    SLUICE_TRY(pipe, transport::StdioServer::start(options.pipe, server.receiver()));
    input = std::thread([&] {
      pipe->wait_for_end();
      stop.raise();
    });
  }
  const StopSignal::Cause cause = stop.wait();
  if (http && cause == StopSignal::Cause::kTerminated) drain(readiness, options);
  log::info("server.stopping");
  const Monotonic end = system_clock().now() + options.grace;
  if (http) http->drain();
  const bool quiet = server.stop(options.grace);
  if (http) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - system_clock().now());
    http->stop(std::max(left, std::chrono::milliseconds(0)));
  }
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
