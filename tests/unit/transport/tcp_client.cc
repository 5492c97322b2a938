#include "tcp_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "sluice/base/text.h"

namespace sluice::transport {
namespace {

sockaddr_storage make_address(std::uint16_t port, const std::string& address, socklen_t& size) {
  sockaddr_storage storage{};
  if (address.find(':') == std::string::npos) {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    inet_pton(AF_INET, address.c_str(), &v4->sin_addr);
    size = sizeof(sockaddr_in);
  } else {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr);
    size = sizeof(sockaddr_in6);
  }
  return storage;
}

}  // namespace

std::string HttpReply::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

TcpClient TcpClient::connect(std::uint16_t port, const std::string& address) {
  return open(port, address, 0);
}

TcpClient TcpClient::connect_with_small_buffer(std::uint16_t port) { return open(port, "127.0.0.1", 4096); }

TcpClient TcpClient::open(std::uint16_t port, const std::string& address, int receive_buffer) {
  socklen_t size = 0;
  const sockaddr_storage storage = make_address(port, address, size);
  TcpClient client(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (receive_buffer > 0) {
    ::setsockopt(client.descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  const int status = ::connect(client.descriptor_, reinterpret_cast<const sockaddr*>(&storage), size);
  EXPECT_EQ(status, 0) << "connect to " << address << " port " << port;
  return client;
}

TcpClient::TcpClient(TcpClient&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), received_(std::move(other.received_)) {}

TcpClient::~TcpClient() { close(); }

void TcpClient::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void TcpClient::shutdown_sending() { ::shutdown(descriptor_, SHUT_WR); }

bool TcpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool TcpClient::has_input(std::chrono::milliseconds wait) {
  pollfd poll{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return !received_.empty() || ::poll(&poll, 1, static_cast<int>(wait.count())) > 0;
}

bool TcpClient::is_quiet(std::chrono::milliseconds wait) { return !has_input(wait); }

bool TcpClient::receive() {
  pollfd poll{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const auto patience = std::chrono::milliseconds(kPatience);
  if (::poll(&poll, 1, static_cast<int>(patience.count())) <= 0) {
    ADD_FAILURE() << "nothing arrives after: " << received_.substr(0, 500);
    return false;
  }
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  received_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

std::string TcpClient::read_until(std::string_view end) {
  while (received_.find(end) == std::string::npos) {
    if (!receive()) {
      ADD_FAILURE() << "the connection ends before '" << end << "' after: " << received_.substr(0, 500);
      return std::exchange(received_, "");
    }
  }
  return take(received_.find(end) + end.size());
}

std::string TcpClient::read_all() {
  while (receive()) {
  }
  return std::exchange(received_, "");
}

std::string TcpClient::take(std::size_t bytes) {
  while (received_.size() < bytes) {
    if (!receive()) {
      ADD_FAILURE() << "the connection ends " << bytes - received_.size() << " bytes too early";
      return std::exchange(received_, "");
    }
  }
  std::string out = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return out;
}

HttpReply TcpClient::read_head() {
  HttpReply reply;
  const std::string head = read_until("\r\n\r\n");
  if (head.size() < 12) return reply;
  reply.status = std::atoi(head.substr(9, 3).c_str());
  std::size_t at = head.find("\r\n") + 2;
  while (at + 2 < head.size()) {
    const std::size_t end = head.find("\r\n", at);
    const std::string line = head.substr(at, end - at);
    const std::size_t colon = line.find(": ");
    reply.headers[to_lower_ascii(line.substr(0, colon))] = line.substr(colon + 2);
    at = end + 2;
  }
  return reply;
}

HttpReply TcpClient::read_reply() {
  HttpReply reply = read_head();
  if (reply.header("transfer-encoding") == "chunked") {
    reply.body = read_chunks();
  } else if (const std::string length = reply.header("content-length"); !length.empty()) {
    reply.body = take(std::stoul(length));
  }
  return reply;
}

std::string TcpClient::read_chunks() {
  std::string body;
  while (true) {
    const std::size_t size = std::stoul("0" + read_until("\r\n"), nullptr, 16);
    const std::string chunk = take(size + 2);
    if (size == 0 || chunk.size() != size + 2) return body;
    body.append(chunk, 0, size);
  }
}

std::string post(std::string_view body, std::string_view more_headers) {
  std::string out = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  out.append("Accept: application/json, text/event-stream\r\nContent-Length: ")
      .append(std::to_string(body.size()));
  return out.append("\r\n").append(more_headers).append("\r\n").append(body);
}

std::string get(std::string_view path, std::string_view more_headers) {
  std::string out = "GET ";
  return out.append(path).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more_headers).append("\r\n");
}

}  // namespace sluice::transport
