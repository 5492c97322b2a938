#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/catalog/gate.h"
#include "sluice/catalog/provider.h"
#include "sluice/server/server.h"
#include "sluice/transport/http_server.h"
#include "sluice/transport/stdio_server.h"

namespace sluice::host {

struct RunOptions {
  bool stdio = true;
  transport::StdioOptions pipe;
  std::optional<transport::HttpServerOptions> http;
  std::shared_ptr<catalog::Gate> gate;  // Who may use HTTP. Shared with the server.
  bool requires_token = false;          // The gate knows tokens: without them HTTP stays on loopback.
  // After SIGTERM: how long requests are still served while /readyz says 503, so that a load balancer can
  // turn to others. nullopt: kDrain if anybody has asked /readyz, otherwise not at all.
  std::optional<std::chrono::milliseconds> drain;
  std::chrono::milliseconds grace = kShutdownGrace;
  // Called once HTTP is ready, with the origin of the server: "http://127.0.0.1:8765". May be empty.
  std::function<void(const std::string& origin)> on_listening;
};

inline constexpr std::chrono::milliseconds kDrain{5'000};

// Runs `server` on standard input and output, on HTTP, or both, until the input ends (where there is one) or
// SIGTERM or SIGINT comes; then stops it gracefully. A second signal ends the process immediately. Logs
// `http.listening` with the URL once HTTP is ready.
Status run(server::Server& server, const RunOptions& options);

// main() of a small server: stdio, or HTTP with --http [HOST:]PORT. Returns the exit code.
int run_main(int argc, char** argv, server::ServerOptions options,
             std::vector<std::shared_ptr<catalog::Provider>> providers);

}  // namespace sluice::host
