#include "http_load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>

#include "response_reader.h"

namespace bench {
namespace {

struct Connection {
  int socket = -1;
  ResponseReader reader;
  Clock::time_point sent;
  std::uint64_t id = 0;
};

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    give_up("connect to 127.0.0.1:" + std::to_string(port) + ": " + std::strerror(errno));
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

class HttpLoad {
 public:
  HttpLoad(const Plan& plan, Request request, std::uint16_t port, pid_t server)
      : plan_(plan),
        request_(std::move(request)),
        poll_(::epoll_create1(EPOLL_CLOEXEC)),
        connections_(plan.in_flight),
        measurement_(plan, server) {
    for (Connection& connection : connections_) {
      connection.socket = connect_to(port);
      epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, connection.socket, &event);
    }
  }
  HttpLoad(const HttpLoad&) = delete;
  HttpLoad& operator=(const HttpLoad&) = delete;
  ~HttpLoad() {
    for (const Connection& connection : connections_) ::close(connection.socket);
    ::close(poll_);
  }

  std::string run() {
    for (Connection& connection : connections_) send(connection);
    std::array<epoll_event, 64> events{};
    const auto patience_ms =
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(Plan::kPatience).count());
    while (true) {
      const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), patience_ms);
      if (count == 0) give_up("no answer for too long");
      for (int i = 0; i < count; ++i) {
        if (!receive(*static_cast<Connection*>(events.at(static_cast<std::size_t>(i)).data.ptr)))
          return measurement_.report();
      }
    }
  }

 private:
  void send(Connection& connection) {
    connection.id = next_id_++;
    set_id(request_, connection.id);
    connection.sent = Clock::now();
    // A request fits the socket's empty buffer, so it is never taken in part.
    const ssize_t sent = ::send(connection.socket, request_.text.data(), request_.text.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(request_.text.size()))
      give_up(std::string("send: ") + std::strerror(errno));
  }

  bool receive(Connection& connection) {
    const ssize_t count = ::recv(connection.socket, chunk_.data(), chunk_.size(), 0);
    if (count <= 0) give_up("the server closed a connection");
    const auto state = connection.reader.add({chunk_.data(), static_cast<std::size_t>(count)});
    if (state == ResponseReader::State::kMore) return true;
    check(connection, state);
    const bool more = measurement_.add(connection.sent, Clock::now());
    connection.reader.next();
    if (more) send(connection);
    return more;
  }

  void check(const Connection& connection, ResponseReader::State state) const {
    const std::string& body = connection.reader.body();
    if (state != ResponseReader::State::kDone || connection.reader.status() != 200 ||
        body.find(request_.expected) == std::string::npos) {
      give_up("wrong answer, status " + std::to_string(connection.reader.status()) + ": " + body);
    }
    if (plan_.checks_ids && id_of(body) != connection.id)
      give_up("the answer is to another request: " + body);
  }

  const Plan plan_;
  Request request_;
  const int poll_;
  std::vector<Connection> connections_;
  Measurement measurement_;
  std::uint64_t next_id_ = kFirstId;
  std::array<char, 16 * 1024> chunk_{};
};

}  // namespace

std::string load_http(const Plan& plan, const Request& request, std::uint16_t port, pid_t server) {
  return HttpLoad(plan, request, port, server).run();
}

}  // namespace bench
