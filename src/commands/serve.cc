#include "sluice/commands/serve.h"

#include <malloc.h>

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/version.h"
#include "sluice/config/config_file.h"
#include "sluice/engine/duckdb_library.h"
#include "sluice/exports/routes.h"
#include "sluice/fs/open_files.h"
#include "sluice/guard/current_gate.h"
#include "sluice/host/address.h"
#include "sluice/host/run.h"
#include "sluice/wiring/generation.h"
#include "sluice/wiring/process_state.h"
#include "sluice/wiring/reload.h"

#include "console_link.h"

namespace sluice::commands {
namespace {

constexpr std::size_t kUpstreamThreadsMax = 512;  // A call of another server waits for it on a thread.

server::ServerOptions server_options(const config::Config& config, std::shared_ptr<catalog::Gate> gate) {
  server::ServerOptions options;
  options.info = {.name = "sluice", .version = std::string(product_version()), .title = "Sluice"};
  options.budget = config.limits;
  if (!config.gateway.upstreams.empty()) options.worker_threads_max = kUpstreamThreadsMax;
  options.message_bytes_max = config.server.message_bytes_max;
  options.request_timeout = config.server.request_timeout;
  options.gate = std::move(gate);
  options.check_outputs =
      false;  // Tests check our tools, and the gateway what it changes: rows would be parsed for nothing.
  if (!config.server.signing_key.empty()) options.signer = crypto::Signer(config.server.signing_key);
  return options;
}

// Downloads and the REST interface.
std::vector<transport::HttpRoute> routes_of(const config::Config& config,
                                            wiring::ProcessState& process_state) {
  return exports::make_routes({.links = process_state.download_links(),
                               .downloads = config.exports.downloads,
                               .rest = config.exports.rest},
                              process_state.sources());
}

// "data.example.org:8443" of "https://data.example.org:8443".
std::string host_of(const std::string& public_url) {
  const std::size_t at = public_url.find("://");
  return at == std::string::npos ? std::string() : public_url.substr(at + 3);
}

// What a new configuration says of callers takes effect with the next request.
wiring::Reload::PrepareAccess access_preparer(const config::Config& begun, const ServeRequest& request,
                                              std::shared_ptr<guard::CurrentGate> gate) {
  const std::optional<host::Address> http = request.http ? request.http : begun.server.http;
  const bool is_exposed = http && !host::is_loopback(http->host);
  return [is_exposed, gate = std::move(gate)](const config::Config& config) -> Result<std::function<void()>> {
    const guard::AccessSpec spec = config::access_of(config);
    if (is_exposed && spec.tokens.empty() && spec.issuers.empty())
      return forbidden("a server that listens beyond this machine needs server.tokens or auth.issuers")
          .with_code("authentication_required");
    SLUICE_TRY(guard::CurrentGate::Prepared prepared, gate->prepare(spec));
    return std::function<void()>([gate, prepared = std::move(prepared)] { gate->commit(prepared); });
  };
}

host::RunOptions run_options(const config::Config& config, const ServeRequest& request,
                             const std::shared_ptr<guard::CurrentGate>& gate) {
  host::RunOptions options;
  options.drain = config.server.drain;
  options.gate = gate;
  options.requires_token = gate->requires_token();
  options.pipe.message_bytes_max = config.server.message_bytes_max;
  const std::optional<host::Address> http = request.http ? request.http : config.server.http;
  options.stdio = request.stdio || !http;
  if (http) {
    options.http = transport::HttpServerOptions{.host = http->host,
                                                .port = http->port,
                                                .path = config.server.path,
                                                .tls = config.server.tls,
                                                .allowed_hosts = config.server.allowed_hosts,
                                                .public_host = host_of(config.server.public_url),
                                                .allowed_origins = config.server.allowed_origins,
                                                .message_bytes_max = config.server.message_bytes_max};
    options.grace = config.server.grace;
    options.http->public_document = [gate](std::string_view path) -> std::optional<protocol::Final> {
      std::optional<std::string> metadata = gate->metadata_at(path);
      if (!metadata) return std::nullopt;
      return protocol::Final{.message = *std::move(metadata), .headers = {{"Cache-Control", "max-age=3600"}}};
    };
  }
  return options;
}

// The next answer of a megabyte finds the pages of the last one: by itself the allocator gives them back, and
// a fifth of the time of such an answer goes into getting them again.
void keep_freed_pages() {
  constexpr int kFromSystemBytes = 4 << 20;  // A block of this size goes back at once,
  constexpr int kKeptBytes = 16 << 20;       // and of smaller ones what is more than this, in each arena.
  ::mallopt(M_MMAP_THRESHOLD, kFromSystemBytes);
  ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
}

}  // namespace

Status serve(const ServeRequest& request, const config::Environment& environment) {
  engine::warn_if_duckdb_is_missing();
  fs::raise_open_files_max();
  keep_freed_pages();
  const std::optional<std::string> file = config::config_file_of(request.sources);
  config::ConfigTexts begun;
  if (file) {
    SLUICE_TRY(begun.text, config::read_config_file(*file));
    begun.beside = config::read_beside(config::files_beside(begun.text, *file, environment));
  }
  SLUICE_TRY(config::Config config, config::config_with_text(request.sources, begun.text, environment));
  if (request.profile) config.tools.profile = request.profile;
  SLUICE_TRY(const std::shared_ptr<guard::CurrentGate> gate,
             guard::CurrentGate::create(config::access_of(config), system_clock()));
  // Callers on stdio may not reach the server by its public name.
  config.exports.makes_links = (request.http || config.server.http) && !request.stdio;
  wiring::ProcessState process_state(config);  // Before the server: it must outlive the providers.
  SLUICE_TRY(wiring::NewGeneration made, wiring::make_generation(config, process_state));
  const std::shared_future<void> ready = made.ready;
  process_state.sources().exchange(std::move(made.source));
  SLUICE_TRY(const std::unique_ptr<server::Server> server,
             server::Server::create(server_options(config, gate), made.generation));
  std::optional<wiring::Reload> reload;
  if (file) {
    reload.emplace(wiring::Reload::Options{.sources = request.sources,
                                           .environment = environment,
                                           .begun = begun,
                                           .profile = request.profile,
                                           .prepare_access = access_preparer(config, request, gate)},
                   std::exchange(made.generation, nullptr), *server, process_state);
  }
  host::RunOptions options = run_options(config, request, gate);
  if (options.http) {
    options.http->routes = routes_of(config, process_state);
    options.http->is_ready = [ready] {
      return !ready.valid() || ready.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
  }
  add_console(options, request.console_link, environment);
  const Status status = host::run(*server, options);
  process_state.sources().exchange(nullptr);  // Before the thread that destroys generations ends.
  return status;
}

}  // namespace sluice::commands
