#include "test_authority.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "child_process.h"

namespace sluice::fetch::testing {

namespace {

void run(const std::vector<std::string>& command) {
  if (ChildProcess(command).wait() != 0) throw std::runtime_error("openssl " + command.at(1) + " failed");
}

}  // namespace

TestAuthority::TestAuthority() {
  std::string pattern = std::filesystem::temp_directory_path().string() + "/sluice-authority-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder");
  folder_ = pattern;
  run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
       "30", "-subj", "/CN=test authority", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout",
       folder_ + "/ca.key", "-out", file()});
}

TestAuthority::~TestAuthority() { std::filesystem::remove_all(folder_); }

TlsFiles TestAuthority::certify(const std::string& names, int days) {
  const std::string name = folder_ + "/" + std::to_string(++certificates_);
  run({"openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
       "/CN=test server", "-addext", "subjectAltName=" + names, "-keyout", name + ".key", "-out",
       name + ".csr"});
  run({"openssl", "x509", "-req", "-in", name + ".csr", "-CA", file(), "-CAkey", folder_ + "/ca.key", "-days",
       std::to_string(days), "-copy_extensions", "copy", "-out", name + ".pem"});
  return {.certificate = name + ".pem", .key = name + ".key"};
}

TestAuthority& TestAuthority::shared() {
  static TestAuthority authority;
  return authority;
}

TlsFiles TestAuthority::loopback() {
  static const TlsFiles kFiles = shared().certify("DNS:localhost,IP:127.0.0.1,IP:::1");
  return kFiles;
}

}  // namespace sluice::fetch::testing
