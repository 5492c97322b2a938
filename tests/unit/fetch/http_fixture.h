#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server_wire.h"

namespace sluice::fetch::testing {

// A request as a server got it.
struct SeenRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

// The way back to a client, byte by byte: what a good server would never send can be sent.
class Answer {
 public:
  explicit Answer(const ServerWire& wire) : wire_(wire) {}  // Which must outlive it.

  bool send(std::string_view bytes);  // False: the client is gone.
  // A whole answer; the connection stays.
  void reply(int status, const std::map<std::string, std::string>& headers, std::string_view body);
  void text(std::string_view body) { reply(200, {{"Content-Type", "text/plain"}}, body); }
  void json(std::string_view body) { reply(200, {{"Content-Type", "application/json"}}, body); }
  void redirect(int status, const std::string& location) { reply(status, {{"Location", location}}, ""); }
  void close() { is_open_ = false; }  // The connection ends behind the handler,
  void reset();                       // here with a reset.
  // Until the client is gone, at most for that time. True: it is.
  bool gone_within(std::chrono::milliseconds time) const;

  bool is_open() const { return is_open_; }
  bool is_reset() const { return is_reset_; }

 private:
  const ServerWire& wire_;
  bool is_open_ = true;
  bool is_reset_ = false;
};

// A server on a free port of 127.0.0.1, or of ::1, that does what a handler says, over HTTP, or over HTTPS
// where it has a certificate. Requests are written down.
class HttpFixture {
 public:
  using Handler = std::function<void(const SeenRequest& request, Answer& answer)>;

  explicit HttpFixture(Handler handler, const char* host = "127.0.0.1", const TlsFiles& tls = {});
  ~HttpFixture();
  HttpFixture(const HttpFixture&) = delete;
  HttpFixture& operator=(const HttpFixture&) = delete;

  std::uint16_t port() const { return port_; }
  std::string origin() const;
  std::string url(std::string_view path) const { return origin() + std::string(path); }

  std::vector<SeenRequest> seen() const;
  std::size_t connections() const { return connections_; }
  // Waits until so many requests have come. False: they have not, for ten seconds.
  bool saw(std::size_t requests) const;

 private:
  void accept_all();
  void serve(int socket);

  const Handler handler_;
  std::optional<TlsSettings> tls_;
  bool is_v6_ = false;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<std::size_t> connections_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<SeenRequest> seen_;  // Guarded.
  std::list<int> sockets_;         // Guarded. Open ones.
  bool is_stopping_ = false;       // Guarded.
  std::list<std::thread> threads_;
  std::thread accepting_;
};

}  // namespace sluice::fetch::testing
