#pragma once

#include <functional>
#include <string>

#include "sluice/base/result.h"

namespace sluice::fetch {

// The authorities that servers are checked with if a policy names no file of its own.
struct Certificates {
  std::string file;    // PEM. Empty: only `folder` is used.
  std::string folder;  // Named by hashes, as OpenSSL reads it. Empty: only `file` is used.
};

// `named` if it names anything; else the first file that exists of those where Linux distributions keep their
// certificates. Fails with tls_failed if there is none.
Result<Certificates> find_certificates(const Certificates& named,
                                       const std::function<bool(const std::string& path)>& exists);

// What system_certificates() gives before it looks for any itself: SSL_CERT_FILE and SSL_CERT_DIR of a
// program. To be called before the first request, while there is one thread.
void set_named_certificates(Certificates named);

// Those of this machine, found with the first request.
const Result<Certificates>& system_certificates();

}  // namespace sluice::fetch
