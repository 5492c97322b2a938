#include "sluice/fetch/certificates.h"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sluice::fetch {

namespace {

// A libcurl that is taken along to another distribution knows only where its own one keeps them.
constexpr std::array kBundles = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Alpine, Arch.
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, RHEL, Amazon Linux.
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL and its kin, without the link above.
    "/etc/ssl/ca-bundle.pem",                             // openSUSE.
    "/etc/ssl/cert.pem",                                  // Alpine, and where OpenSSL looks by itself.
};

bool is_regular_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// Those that the program was given: written before there are threads.
Certificates& named_certificates() {
  static Certificates named;
  return named;
}

}  // namespace

Result<Certificates> find_certificates(const Certificates& named,
                                       const std::function<bool(const std::string& path)>& exists) {
  if (!named.file.empty() || !named.folder.empty()) return named;
  for (const char* const path : kBundles)
    if (exists(path)) return Certificates{.file = path, .folder = {}};
  return internal_error("no certificates to check servers with; set SSL_CERT_FILE or ca_file")
      .with_code("tls_failed")
      .with_hint("Install the package ca-certificates, or set SSL_CERT_FILE or ca_file.");
}

void set_named_certificates(Certificates named) { named_certificates() = std::move(named); }

const Result<Certificates>& system_certificates() {
  static const Result<Certificates> found = find_certificates(named_certificates(), &is_regular_file);
  return found;
}

}  // namespace sluice::fetch
