#include "sluice/transport/http_server.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sluice/base/log.h"
#include "sluice/base/mutex.h"
#include "sluice/base/text.h"

#include "http/http_core.h"
#include "http/io_worker.h"
#include "http/tls_context.h"

namespace sluice::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Error cannot_listen(const char* step, const error_code& error, const HttpServerOptions& options) {
  return unavailable(std::string(step) + " (" + error.message() + "): " + options.host + ":" +
                     std::to_string(options.port))
      .with_code("http_listen");
}

Status check_options(const HttpServerOptions& options) {
  if (!options.path.starts_with('/')) {
    return invalid_input("serve HTTP at a path that starts with '/': " + options.path);
  }
  for (const HttpRoute& route : options.routes) {
    if (!route.path.starts_with('/') || !route.receiver)
      return invalid_input("serve a route at a path that starts with '/': " + route.path);
  }
  if (options.threads == 0 || options.threads > kIoThreadsMax)
    return limit_reached("I/O threads", kIoThreadsMax);
  if (options.connections_max == 0) return invalid_input("serve HTTP with room for no connection: 0");
  for (const std::chrono::milliseconds time :
       {options.header_timeout, options.body_timeout, options.idle_timeout, options.write_timeout,
        options.keep_alive}) {
    if (time.count() <= 0 || time > kHttpTimeoutMax) {
      return invalid_input("serve HTTP with a timeout in milliseconds: " + std::to_string(time.count()));
    }
  }
  return {};
}

// "localhost" may name two addresses; one port can only be free on both by luck, so it is the older one.
Result<tcp::endpoint> resolve(asio::io_context& context, const HttpServerOptions& options) {
  error_code error;
  const std::string host = equal_ignoring_case(options.host, "localhost") ? "127.0.0.1" : options.host;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (!error) return tcp::endpoint(address, options.port);
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(host, std::to_string(options.port), tcp::resolver::passive, error);
  if (error || found.empty()) return cannot_listen("find the address to listen on", error, options);
  return found.begin()->endpoint();
}

// Without a check of callers everybody is "local", which must not be true of anybody in the network.
Status check_exposure(const asio::ip::address& address, const HttpServerOptions& options) {
  if (address.is_loopback() || options.admit) return {};
  return forbidden("serve HTTP beyond this machine without asking who is calling: " + options.host)
      .with_code("http_open_bind")
      .with_hint("Configure authentication, or listen on 127.0.0.1.");
}

// One caller alone can hold half of it, which is room for at least two of the largest bodies.
std::uint64_t body_bytes_total(const HttpServerOptions& options) {
  constexpr std::uint64_t kBodiesMin = 4;
  return std::max<std::uint64_t>(options.body_bytes_total_max, kBodiesMin * options.message_bytes_max);
}

class Server final : public HttpServer {
 public:
  Server(HttpServerOptions options, protocol::Receiver receiver)
      : core_{.options = std::move(options),
              .receiver = std::move(receiver),
              .rules = {},
              .tls = {},
              .connections = {},
              .body_bytes = FairQuota(body_bytes_total(core_.options)),
              .answer_bytes = FairQuota(core_.options.answer_bytes_total_max),
              .route_requests = FairQuota(kHttpRouteRequestsMax),
              .threads = BlockingThreads(kHttpRouteRequestsMax)} {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() override { stop(std::chrono::milliseconds(0)); }

  Status listen();
  std::uint16_t port() const override { return port_; }
  void drain() override;
  void stop(std::chrono::milliseconds grace) override;

 private:
  Status bind(const tcp::endpoint& endpoint);
  void accept();
  asio::awaitable<void> accept_all();

  HttpCore core_;
  std::vector<std::unique_ptr<IoWorker>> workers_;  // Not values: an I/O context cannot move.
  std::unique_ptr<tcp::acceptor> acceptor_;         // On the first worker's thread once it has started.
  std::uint16_t port_ = 0;
  Mutex stopping_;
  bool stopped_ SLUICE_GUARDED_BY(stopping_) = false;
};

Status Server::listen() {
  SLUICE_CHECK(check_options(core_.options));
  for (unsigned i = 0; i < core_.options.threads; ++i) workers_.push_back(std::make_unique<IoWorker>(core_));
  acceptor_ = std::make_unique<tcp::acceptor>(workers_.front()->context());
  if (core_.options.tls) {
    SLUICE_TRY(core_.tls, make_tls_context(*core_.options.tls));
  }
  SLUICE_TRY(const tcp::endpoint endpoint, resolve(workers_.front()->context(), core_.options));
  SLUICE_CHECK(check_exposure(endpoint.address(), core_.options));
  SLUICE_CHECK(bind(endpoint));
  SLUICE_TRY(core_.rules, HostRules::make({.host = core_.options.host,
                                           .address = endpoint.address().to_string(),
                                           .port = port_,
                                           .tls = core_.tls.has_value(),
                                           .allowed_hosts = core_.options.allowed_hosts,
                                           .allowed_origins = core_.options.allowed_origins,
                                           .public_host = core_.options.public_host}));
  accept();
  for (const auto& worker : workers_) worker->start();
  return {};
}

Status Server::bind(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_->open(endpoint.protocol(), error);
  if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_->bind(endpoint, error);
  if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen("listen for HTTP", error, core_.options);
  port_ = acceptor_->local_endpoint(error).port();
  return {};
}

void Server::accept() {
  asio::co_spawn(workers_.front()->context(), accept_all(), [this](const std::exception_ptr& failure) {
    if (!failure) return;
    // No memory, for a moment: without this nobody would be let in again.
    log::error("http_accept_restarted");
    accept();
  });
}

asio::awaitable<void> Server::accept_all() {
  for (std::size_t next = 0; acceptor_->is_open(); next = (next + 1) % workers_.size()) {
    IoWorker& worker = *workers_[next];
    error_code error;
    tcp::socket socket(worker.context());
    co_await acceptor_->async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::operation_aborted) break;
    if (error) {
      // Most likely no descriptor is free. The connection stays in the backlog: asking at once would spin.
      log::warning("http_accept_failed", {{"why", error.message()}});
      asio::dispatch(worker.context(), [&worker] { worker.make_room(); });
      asio::steady_timer pause(workers_.front()->context(), kHttpAcceptRetryDelay);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    asio::dispatch(worker.context(),
                   [&worker, socket = std::move(socket)]() mutable { worker.adopt(std::move(socket)); });
  }
}

void Server::drain() {
  if (workers_.empty()) return;
  asio::post(workers_.front()->context(), [this] {
    error_code ignored;
    acceptor_->close(ignored);
  });
  for (const auto& worker : workers_) worker->drain();
}

void Server::stop(std::chrono::milliseconds grace) {
  const MutexLock lock(stopping_);
  if (std::exchange(stopped_, true)) return;
  drain();
  core_.connections.wait_for_none(grace);
  for (const auto& worker : workers_) worker->close_all();
  for (const auto& worker : workers_) worker->join();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options,
                                                      protocol::Receiver receiver) {
  try {
    auto server = std::make_unique<Server>(std::move(options), std::move(receiver));
    SLUICE_CHECK(server->listen());
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& failure) {  // An I/O context or a thread that the system does not give.
    return unavailable(std::string("start the HTTP server: ") + failure.what()).with_code("http_listen");
  }
}

}  // namespace sluice::transport
