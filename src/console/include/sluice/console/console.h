#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/catalog/gate.h"
#include "sluice/transport/http_route.h"

namespace sluice::console {

struct ConsoleOptions {
  std::string path = "/console";  // Without a slash at its end.
  std::string mcp_path = "/mcp";  // Where the pages find the server.
  bool is_https = false;          // How the server is reached: its own origin depends on it.
  std::chrono::seconds idle{12 * 60 * 60};
  const Clock* clock = nullptr;  // Must outlive the console.
};

// The web console of a server: its pages, which are part of the program, and who is signed in to it. Pages
// sign in with a key that works once, and then send a token with every request; there are no cookies.
// Everything else that they do is MCP. Any thread.
class Console {
 public:
  // `gate` decides about callers who are not signed in here; it is shared with the server.
  static std::shared_ptr<Console> create(ConsoleOptions options, std::shared_ptr<catalog::Gate> gate);
  virtual ~Console() = default;

  // What the HTTP server has to serve beside MCP. The console must outlive it.
  virtual std::vector<transport::HttpRoute> routes() = 0;
  // Knows the tokens of the console, which stand for the local principal, and asks the other gate about the
  // rest.
  virtual std::shared_ptr<catalog::Gate> gate() = 0;
  // A path with a key that works once, within two minutes: /console/#key=….
  virtual std::string sign_in_path() = 0;
};

}  // namespace sluice::console
