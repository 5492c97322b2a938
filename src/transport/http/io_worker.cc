#include "http/io_worker.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include "sluice/base/assert.h"
#include "sluice/base/limits.h"
#include "sluice/base/log.h"

#include "http/byte_stream.h"
#include "http/http_session.h"

namespace sluice::transport {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::string_view kTooManyConnections =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

// A quarter of the shortest timeout: deadlines are kept to that precision.
std::chrono::milliseconds tick_period(const HttpServerOptions& options) {
  const std::chrono::milliseconds shortest =
      std::min({options.header_timeout, options.body_timeout, options.idle_timeout, options.write_timeout,
                options.keep_alive});
  return std::clamp(shortest / 4, kHttpTickMin, kHttpTickMax);
}

}  // namespace

IoWorker::IoWorker(HttpCore& core)
    : core_(core),
      context_(1),  // One thread runs it, so the scheduler may skip what others would need.
      work_(asio::make_work_guard(context_)),
      timer_(context_),
      tick_period_(tick_period(core.options)) {}

IoWorker::~IoWorker() {
  join();
  SLUICE_ASSERT(idle_.empty() && busy_.empty(), "the thread runs until the last session has left");
}

void IoWorker::start() {
  thread_ = std::thread([this] { run(); });
}

void IoWorker::join() {
  work_.reset();
  if (thread_.joinable()) thread_.join();
}

void IoWorker::run() {
  while (true) {
    try {
      context_.run();
      return;
    } catch (const std::exception& failure) {
      // A bug or no memory in one handler; the other connections go on.
      log::error("http_handler_failed", {{"what", failure.what()}});
    }
  }
}

void IoWorker::drain() {
  asio::post(context_, [this] {
    draining_ = true;
    for (HttpSession* session : idle_) session->drain();
    for (HttpSession* session : busy_) session->drain();
  });
}

void IoWorker::close_all() {
  asio::post(context_, [this] {
    draining_ = true;
    for (HttpSession* session : idle_) session->close_now();
    for (HttpSession* session : busy_) session->close_now();
  });
}

void IoWorker::adopt(asio::ip::tcp::socket socket) {
  error_code ignored;
  ConnectionTicket ticket(core_.connections);
  const bool full = core_.connections.open() > core_.options.connections_max;
  if (draining_ || (full && !make_room())) {
    // The socket's buffer is empty, so this does not wait. In TLS it cannot be said before a handshake.
    socket.non_blocking(true, ignored);
    if (!core_.tls) {
      socket.write_some(asio::buffer(kTooManyConnections.data(), kTooManyConnections.size()), ignored);
    }
    return;
  }
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  const asio::ip::tcp::endpoint peer = socket.remote_endpoint(ignored);
  try {
    auto stream =
        core_.tls ? make_tls_stream(std::move(socket), *core_.tls) : make_plain_stream(std::move(socket));
    HttpSession::start(core_, *this, std::move(ticket), peer.address().to_string(), std::move(stream));
  } catch (const std::exception& failure) {  // No memory: it costs this connection, not the one that accepts.
    log::error("http_connection_failed", {{"what", failure.what()}});
  }
}

// The one that has been idle longest is the least likely to be missed, and its client can open another.
bool IoWorker::make_room() {
  for (HttpSession* session : idle_) {
    if (session->is_closing()) continue;
    session->close_now();
    return true;
  }
  return false;
}

IoWorker::Place IoWorker::enter(HttpSession& session) {
  busy_.push_back(&session);
  schedule_tick();
  return std::prev(busy_.end());
}

void IoWorker::leave(Place place, bool idle) {
  (idle ? idle_ : busy_).erase(place);
  if (idle_.empty() && busy_.empty()) timer_.cancel();
}

// Ticks only while there is somebody to watch: a server without connections does not wake up.
void IoWorker::schedule_tick() {
  if (ticking_ || (busy_.empty() && idle_.empty())) return;
  ticking_ = true;
  timer_.expires_after(tick_period_);
  timer_.async_wait([this](error_code error) {
    ticking_ = false;
    if (!error) tick();
    schedule_tick();
  });
}

void IoWorker::tick() {
  const auto now = std::chrono::steady_clock::now();
  for (HttpSession* session : idle_) session->on_tick(now);
  for (HttpSession* session : busy_) session->on_tick(now);
}

}  // namespace sluice::transport
