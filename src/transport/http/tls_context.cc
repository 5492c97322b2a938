#include "http/tls_context.h"

#include <string>
#include <utility>

#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>

namespace sluice::transport {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

Error cannot_load(const char* what, const error_code& error, const std::string& path) {
  return invalid_input(std::string("load the TLS ") + what + " (" + error.message() + "): " + path)
      .with_code("tls_file");
}

}  // namespace

Result<ssl::context> make_tls_context(const TlsFiles& files) {
  ssl::context context(ssl::context::tls_server);
  SSL_CTX* handle = context.native_handle();
  if (SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION) != 1)
    return internal_error("set the oldest TLS version");
  // Renegotiation and compression have only ever been ways to attack a server.
  SSL_CTX_set_options(handle,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(handle,
                   SSL_MODE_RELEASE_BUFFERS);  // Idle connections keep no record buffers: 34 KiB each.

  error_code error;
  // Without a callback the library would ask for a passphrase on the terminal.
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); },
                                error);
  if (error) return internal_error("set the TLS passphrase callback");
  context.use_certificate_chain_file(files.certificate_chain, error);
  if (error) return cannot_load("certificate chain", error, files.certificate_chain);
  context.use_private_key_file(files.private_key, ssl::context::pem, error);
  if (error) return cannot_load("private key", error, files.private_key);
  if (SSL_CTX_check_private_key(handle) != 1) {
    return invalid_input("match the TLS private key with the certificate: " + files.private_key)
        .with_code("tls_file");
  }
  return context;
}

}  // namespace sluice::transport
