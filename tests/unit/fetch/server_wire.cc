#include "server_wire.h"

#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include <openssl/ssl.h>

namespace sluice::fetch::testing {

void TlsSettings::Free::operator()(ssl_ctx_st* context) const noexcept { SSL_CTX_free(context); }
void ServerWire::Free::operator()(ssl_st* session) const noexcept { SSL_free(session); }

TlsSettings::TlsSettings(const TlsFiles& files) : context_(SSL_CTX_new(TLS_server_method())) {
  // The library writes without saying that a lost connection is no reason to end the process.
  std::signal(SIGPIPE, SIG_IGN);
  if (SSL_CTX_use_certificate_chain_file(context_.get(), files.certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context_.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    throw std::runtime_error("no certificate at " + files.certificate);
}

ServerWire::ServerWire(int socket, const TlsSettings* tls) : socket_(socket) {
  if (tls == nullptr) return;
  session_.reset(SSL_new(tls->get()));
  SSL_set_fd(session_.get(), socket_);
  is_open_ = SSL_accept(session_.get()) == 1;
}

std::size_t ServerWire::read(char* bytes, std::size_t room) const {
  if (!session_) return static_cast<std::size_t>(std::max<ssize_t>(0, ::recv(socket_, bytes, room, 0)));
  std::size_t count = 0;
  return SSL_read_ex(session_.get(), bytes, room, &count) == 1 ? count : 0;
}

bool ServerWire::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    std::size_t count = 0;
    if (session_) {
      if (SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count) != 1) return false;
    } else {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      count = static_cast<std::size_t>(sent);
    }
    bytes.remove_prefix(count);
  }
  return true;
}

void ServerWire::say_end() const {
  if (session_ && is_open_) SSL_shutdown(session_.get());
}

}  // namespace sluice::fetch::testing
