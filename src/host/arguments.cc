#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

#include "sluice/base/log.h"
#include "sluice/host/address.h"
#include "sluice/host/run.h"

namespace sluice::host {
namespace {

Result<RunOptions> parse_arguments(std::span<char*> arguments) {
  RunOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string_view(arguments[i]) != "--http" || i + 1 == arguments.size()) {
      return invalid_input("usage: [--http [HOST:]PORT]").with_code("usage");
    }
    SLUICE_TRY(const Address address, parse_address(arguments[++i]));
    options.stdio = false;
    options.http = transport::HttpServerOptions{.host = address.host, .port = address.port};
  }
  return options;
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "%s\n", error.hint.c_str());
  return error.code == "usage" ? 2 : 1;
}

}  // namespace

int run_main(int argc, char** argv, server::ServerOptions options,
             std::vector<std::shared_ptr<catalog::Provider>> providers) {
  Result<RunOptions> run_options =
      parse_arguments(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!run_options) return fail(run_options.error());
  Result<std::unique_ptr<server::Server>> server =
      server::Server::create(std::move(options), std::move(providers));
  if (!server) return fail(server.error());
  const Status status = run(**server, *std::move(run_options));
  return status ? 0 : fail(status.error());
}

}  // namespace sluice::host
