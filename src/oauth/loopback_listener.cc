#include "loopback_listener.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::oauth {

namespace {

constexpr std::string_view kPath = "/callback";
constexpr std::chrono::milliseconds kPollStep{100};  // So long a stop may take to be seen.

// Nothing of the request is in the page.
constexpr std::string_view kThanks =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\n"
    "Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: 61\r\n\r\n"
    "<!doctype html><title>Done</title><p>You may close this page.";
constexpr std::string_view kTurnedAway =
    "HTTP/1.1 404 Not Found\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

Error failed(std::string_view what) {
  return unavailable(fmt::format("wait for the user: {}", what)).with_code("user_agent_failed");
}

enum class Ready { kYes, kLate, kStopped };

Ready wait_for(int descriptor, short events, Monotonic deadline, const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return Ready::kStopped;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - system_clock().now());
    if (left.count() <= 0) return Ready::kLate;
    pollfd entry{.fd = descriptor, .events = events, .revents = 0};
    const auto step = static_cast<int>(std::min(left, kPollStep).count());
    if (::poll(&entry, 1, std::max(step, 1)) > 0) return Ready::kYes;
  }
}

// The head of a request, or less where it does not come in time or is too large.
std::string read_head(int connection, Monotonic deadline, const std::stop_token& stop) {
  std::string head;
  std::string piece(4 * 1024, '\0');
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < kUserAgentRequestBytesMax) {
    if (wait_for(connection, POLLIN, deadline, stop) != Ready::kYes) break;
    const ssize_t got = ::recv(connection, piece.data(), piece.size(), 0);
    if (got <= 0) break;
    head.append(piece, 0, static_cast<std::size_t>(got));
  }
  return head;
}

void send_all(int connection, std::string_view text, Monotonic deadline, const std::stop_token& stop) {
  while (!text.empty() && wait_for(connection, POLLOUT, deadline, stop) == Ready::kYes) {
    const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// The value of a header, "" where there is none.
std::string_view header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equal_ignoring_case(line.substr(0, colon), name))
      return trim_spaces(line.substr(colon + 1));
  }
  return {};
}

bool has_state(std::string_view query, const std::string& state) {
  const std::string wanted = "state=" + state;  // Base64url: it needs no escapes.
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair == wanted) return true;
  }
  return false;
}

}  // namespace

Result<LoopbackListener> LoopbackListener::open_near(std::uint16_t preferred_port) {
  Result<LoopbackListener> listener = open(preferred_port);
  return listener.ok() || preferred_port == 0 ? std::move(listener) : open(0);
}

Result<LoopbackListener> LoopbackListener::open(std::uint16_t port) {
  fs::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  // Connections of the last answer may linger; a port on which another listens is refused all the same.
  const int reuse = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!socket.is_open() || ::bind(socket.number(), generic, length) != 0 ||
      ::listen(socket.number(), static_cast<int>(kUserAgentConnectionsMax)) != 0 ||
      ::getsockname(socket.number(), generic, &length) != 0) {
    if (port == 0) return failed("no port can be opened");
    return failed(fmt::format("port {} of 127.0.0.1 cannot be opened", port))
        .with_hint("Another program has it, or it is one that needs rights. See redirect_port.");
  }
  return LoopbackListener(std::move(socket), ntohs(address.sin_port));
}

std::string LoopbackListener::redirect_uri() const {
  return fmt::format("http://127.0.0.1:{}{}", port_, kPath);
}

Result<std::string> LoopbackListener::wait(const std::string& state, Monotonic deadline,
                                           std::stop_token stop) {
  for (std::size_t count = 0; count < kUserAgentConnectionsMax; ++count) {
    switch (wait_for(socket_.number(), POLLIN, deadline, stop)) {
      case Ready::kStopped:
        return cancelled();
      case Ready::kLate:
        return make_error(ErrorKind::kDeadline, "wait for the user: nobody came back in time")
            .with_code("user_agent_timed_out");
      case Ready::kYes:
        break;
    }
    const fs::Descriptor connection(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.is_open()) continue;
    std::optional<std::string> query = serve(connection, state, deadline, stop);
    if (query) return *std::move(query);
  }
  return failed("too many requests that are not the answer");
}

std::optional<std::string> LoopbackListener::serve(const fs::Descriptor& connection, const std::string& state,
                                                   Monotonic deadline, std::stop_token stop) const {
  const Monotonic end = std::min(deadline, system_clock().now() + kUserAgentRequestTimeout);
  const std::string head = read_head(connection.number(), end, stop);
  std::optional<std::string> query = query_of(head, state);
  send_all(connection.number(), query ? kThanks : kTurnedAway, end, stop);
  ::shutdown(connection.number(), SHUT_WR);
  return query;
}

// The host is checked as well: a page elsewhere may have a name that leads here.
std::optional<std::string> LoopbackListener::query_of(const std::string& head,
                                                      const std::string& state) const {
  if (head.find("\r\n\r\n") == std::string::npos) return std::nullopt;
  const std::string_view line = std::string_view(head).substr(0, head.find("\r\n"));
  const std::string start = fmt::format("GET {}?", kPath);
  const std::size_t end = line.rfind(" HTTP/1.");
  if (!line.starts_with(start) || end == std::string_view::npos || end < start.size()) return std::nullopt;
  if (header(head, "Host") != fmt::format("127.0.0.1:{}", port_)) return std::nullopt;
  const std::string_view query = line.substr(start.size(), end - start.size());
  if (!has_state(query, state)) return std::nullopt;
  return std::string(query);
}

}  // namespace sluice::oauth
