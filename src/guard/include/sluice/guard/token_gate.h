#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/gate.h"

namespace sluice::guard {

struct Token {
  std::string name;    // Becomes the principal "token:<name>".
  std::string secret;  // At least 16 characters.
};

// Static bearer tokens. With none configured everybody is the local principal; with one or more, a request
// without a known token is refused. Secrets are compared in constant time and kept as digests only.
class TokenGate final : public catalog::Gate {
 public:
  static Result<std::shared_ptr<TokenGate>> create(const std::vector<Token>& tokens);

  bool requires_token() const { return !entries_.empty(); }
  Result<Principal> authenticate(std::string_view authorization) override;
  Status allow(const Principal& principal, std::string_view method, std::string_view target) override;

 private:
  struct Entry {
    Principal principal;
    std::string digest;
  };
  std::vector<Entry> entries_;
};

}  // namespace sluice::guard
