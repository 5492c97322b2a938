#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/guard/access_spec.h"
#include "sluice/guard/token_fault.h"

namespace sluice::guard {

// What clients are told about how to get in: WWW-Authenticate headers (RFC 6750, RFC 9728) and the metadata
// of the protected resource. Immutable; any thread.
class Challenges {
 public:
  explicit Challenges(const AccessSpec& spec);

  const std::string& no_credentials() const { return plain_; }
  std::string invalid_token(TokenFault fault) const;
  // `scopes` as tokens carry them.
  std::string insufficient_scope(const std::vector<std::string>& scopes) const;

  // Paths of the metadata; none without issuers.
  bool is_metadata_path(std::string_view path) const;
  const std::string& metadata() const { return metadata_; }  // A JSON object.

 private:
  std::string metadata_path_;
  std::string resource_parameter_;  // resource_metadata="…"
  std::string prefix_;              // Of scopes.
  std::string plain_;
  std::string metadata_;
};

}  // namespace sluice::guard
