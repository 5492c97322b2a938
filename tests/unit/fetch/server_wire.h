#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace sluice::fetch::testing {

// What a server shows of itself, as PEM. Empty: it speaks plainly.
struct TlsFiles {
  std::string certificate;
  std::string key;

  bool empty() const { return certificate.empty(); }
};

// What all connections of a server over TLS have in common.
class TlsSettings {
 public:
  explicit TlsSettings(const TlsFiles& files);
  ssl_ctx_st* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

// A server's end of one connection, plain or within TLS. One thread.
class ServerWire {
 public:
  explicit ServerWire(int socket, const TlsSettings* tls = nullptr);

  bool is_open() const { return is_open_; }               // False: no secure connection came about.
  std::size_t read(char* bytes, std::size_t room) const;  // 0: there is no more.
  bool write(std::string_view bytes) const;               // False: the client is gone.
  void say_end() const;                                   // That what was written is all.
  int socket() const { return socket_; }

 private:
  struct Free {
    void operator()(ssl_st* session) const noexcept;
  };
  int socket_;
  std::unique_ptr<ssl_st, Free> session_;
  bool is_open_ = true;
};

}  // namespace sluice::fetch::testing
