#pragma once

#include <string>

#include "server_wire.h"

namespace sluice::fetch::testing {

// A certificate authority, made for a test. Its files go with it.
class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  const std::string& folder() const { return folder_; }
  std::string file() const { return folder_ + "/ca.pem"; }  // Its own certificate.
  // A certificate for "DNS:api.example,IP:127.0.0.1", for so many days; -1: it has expired.
  TlsFiles certify(const std::string& names, int days = 30);

  // One that is there as long as the program, with a certificate for loopback.
  static TestAuthority& shared();
  static TlsFiles loopback();

 private:
  std::string folder_;
  int certificates_ = 0;
};

}  // namespace sluice::fetch::testing
