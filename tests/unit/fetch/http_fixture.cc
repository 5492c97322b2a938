#include "http_fixture.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "sluice/base/text.h"

namespace sluice::fetch::testing {

namespace {

// Reads from a connection until a head, or so many bytes, are there.
class Reader {
 public:
  explicit Reader(const ServerWire& wire) : wire_(wire) {}

  std::optional<std::string> head() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return std::nullopt;
    }
    return take(end + 4);
  }
  std::optional<std::string> body(std::size_t bytes) {
    while (buffer_.size() < bytes) {
      if (!more()) return std::nullopt;
    }
    return take(bytes);
  }

 private:
  bool more() {
    char bytes[4096];
    const std::size_t count = wire_.read(bytes, sizeof(bytes));
    buffer_.append(bytes, count);
    return count > 0;
  }
  std::string take(std::size_t bytes) {
    std::string out = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return out;
  }

  const ServerWire& wire_;
  std::string buffer_;
};

SeenRequest parse(const std::string& head) {
  SeenRequest request;
  const std::size_t line_end = head.find("\r\n");
  const std::string line = head.substr(0, line_end);
  request.method = line.substr(0, line.find(' '));
  request.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
  std::size_t at = line_end + 2;
  while (at < head.size() - 2) {
    const std::size_t end = head.find("\r\n", at);
    const std::string field = head.substr(at, end - at);
    const std::size_t colon = field.find(':');
    if (colon != std::string::npos)
      request.headers[to_lower_ascii(field.substr(0, colon))] =
          std::string(trim_spaces(std::string_view(field).substr(colon + 1)));
    at = end + 2;
  }
  return request;
}

}  // namespace

bool Answer::send(std::string_view bytes) {
  const bool is_sent = wire_.write(bytes);
  is_open_ = is_open_ && is_sent;
  return is_sent;
}

void Answer::reply(int status, const std::map<std::string, std::string>& headers, std::string_view body) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " Fixture\r\n";
  for (const auto& [name, value] : headers) out.append(name).append(": ").append(value).append("\r\n");
  if (headers.find("Content-Length") == headers.end() && status != 304)
    out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(out + "\r\n" + std::string(body));
}

void Answer::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(wire_.socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  is_open_ = false;
  is_reset_ = true;
}

bool Answer::gone_within(std::chrono::milliseconds time) const {
  pollfd waiting{.fd = wire_.socket(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&waiting, 1, static_cast<int>(time.count())) > 0;
}

HttpFixture::HttpFixture(Handler handler, const char* host, const TlsFiles& tls)
    : handler_(std::move(handler)) {
  if (!tls.empty()) tls_.emplace(tls);
  is_v6_ = std::string_view(host).find(':') != std::string_view::npos;
  listener_ = ::socket(is_v6_ ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Both have family and port at the same places, and the larger one has room for either.
  sockaddr_in6 address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  address.sin6_family = is_v6_ ? AF_INET6 : AF_INET;
  if (is_v6_) {
    ::inet_pton(AF_INET6, host, &address.sin6_addr);
  } else {
    ::inet_pton(AF_INET, host, &v4.sin_addr);
  }
  socklen_t size = is_v6_ ? sizeof(address) : sizeof(v4);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  port_ = ntohs(address.sin6_port);
  accepting_ = std::thread([this] { accept_all(); });
}

HttpFixture::~HttpFixture() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  ::close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

std::string HttpFixture::origin() const {
  return std::string(tls_ ? "https://" : "http://") + (is_v6_ ? "[::1]:" : "127.0.0.1:") +
         std::to_string(port_);
}

std::vector<SeenRequest> HttpFixture::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

bool HttpFixture::saw(std::size_t requests) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return seen_.size() >= requests; });
}

void HttpFixture::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    if (is_stopping_) {
      ::close(socket);
      return;
    }
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void HttpFixture::serve(int socket) {
  {
    const ServerWire wire(socket, tls_ ? &*tls_ : nullptr);
    Reader reader(wire);
    Answer answer(wire);
    while (wire.is_open() && answer.is_open()) {
      const std::optional<std::string> head = reader.head();
      if (!head) break;
      SeenRequest request = parse(*head);
      const std::size_t length = std::strtoul(request.header("content-length").c_str(), nullptr, 10);
      request.body = reader.body(length).value_or("");
      {
        const std::lock_guard lock(mutex_);
        seen_.push_back(request);
      }
      changed_.notify_all();
      handler_(request, answer);
    }
    if (!answer.is_reset()) wire.say_end();
  }
  const std::lock_guard lock(mutex_);
  sockets_.remove(socket);
  ::close(socket);
}

}  // namespace sluice::fetch::testing
