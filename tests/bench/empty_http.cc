// The smallest receiver on Sluice's own HTTP stack: every request gets the same answer. What the everything
// server takes beyond this is the cost of the protocol.
#include <csignal>
#include <cstdio>
#include <utility>

#include "sluice/transport/http_server.h"

namespace {

constexpr const char* kAnswer =
    R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","contents":[{"uri":"test://static-text",)"
    R"("mimeType":"text/plain","text":"This is the content of the static text resource."}],"ttlMs":60000,)"
    R"("cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"empty","version":"1.0.0"}}}})";

}  // namespace

int main() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, nullptr);  // Before any thread starts, so that all of them inherit it.

  auto server = sluice::transport::HttpServer::start(
      {}, [](const std::shared_ptr<sluice::protocol::Exchange>& exchange) {
        exchange->finish(sluice::protocol::Final{.message = kAnswer});
      });
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  std::fprintf(stderr, "http.listening url=http://127.0.0.1:%d/mcp\n", (*server)->port());
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}
