#pragma once

#include <boost/asio/ssl/context.hpp>

#include "sluice/base/result.h"
#include "sluice/transport/http_server.h"

namespace sluice::transport {

// TLS 1.2 and 1.3 with the library's own choice of ciphers. Fails on files that cannot be read, a key that
// needs a passphrase and a key that does not belong to the certificate.
Result<boost::asio::ssl::context> make_tls_context(const TlsFiles& files);

}  // namespace sluice::transport
