#include "sluice/fetch/certificates.h"

#include <set>
#include <string>

#include <gmock/gmock.h>

namespace sluice::fetch {
namespace {

Result<Certificates> find(const Certificates& named, const std::set<std::string>& files) {
  return find_certificates(named, [&](const std::string& path) { return files.count(path) != 0; });
}

TEST(Certificates, AreThoseThatAreNamed) {
  const std::set<std::string> files = {"/etc/ssl/certs/ca-certificates.crt"};
  EXPECT_EQ(find({.file = "/a.pem", .folder = "/b"}, files)->file, "/a.pem");
  EXPECT_EQ(find({.file = "/a.pem", .folder = "/b"}, files)->folder, "/b");
  EXPECT_EQ(find({.file = {}, .folder = "/b"}, files)->file, "");
  EXPECT_EQ(find({.file = {}, .folder = "/b"}, files)->folder, "/b");
}

TEST(Certificates, AreWhereDistributionsKeepThem) {
  for (const char* const path :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    EXPECT_EQ(find({}, {path})->file, path);
  EXPECT_EQ(find({}, {"/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt"})->file,
            "/etc/pki/tls/certs/ca-bundle.crt");
}

TEST(Certificates, AreMissedWithASentenceThatSaysWhatToDo) {
  const Result<Certificates> none = find({}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "no certificates to check servers with; set SSL_CERT_FILE or ca_file");
  EXPECT_EQ(none.error().code, "tls_failed");
}

}  // namespace
}  // namespace sluice::fetch
