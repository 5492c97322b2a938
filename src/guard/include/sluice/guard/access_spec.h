#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "sluice/crypto/verification_key.h"
#include "sluice/guard/claim_pointer.h"

namespace sluice::guard {

// A static bearer token.
struct Token {
  std::string name;    // Becomes the principal "token:<name>".
  std::string secret;  // At least 16 characters.

  friend bool operator==(const Token&, const Token&) = default;
};

// How opaque tokens of an issuer are checked (RFC 7662).
struct IntrospectionSpec {
  std::string url;  // Empty: the `introspection_endpoint` in the metadata of the issuer.
  std::string client_id = "sluice";
  std::string secret;
  std::chrono::milliseconds cache{60'000};  // How long an answer is used at most.

  friend bool operator==(const IntrospectionSpec&, const IntrospectionSpec&) = default;
};

// An identity provider whose tokens are accepted.
struct IssuerSpec {
  std::string name;    // Principals are "<name>:<sub>".
  std::string issuer;  // The `iss` of its tokens, compared as text.
  std::vector<std::string> audiences;
  std::vector<crypto::JwsAlgorithm> algorithms;
  std::vector<std::string> types;  // `typ` of the header, in lower case without "application/".
  std::string jwks_url;            // Empty: the `jwks_uri` in the metadata of the issuer.
  std::string jwks_file;           // Instead of a URL.
  std::vector<ClaimPointer> scopes;
  std::vector<ClaimPointer> groups;
  std::vector<ClaimPointer> display;
  std::optional<IntrospectionSpec> introspection;
  std::string ca_file;         // Empty: the system's authorities.
  bool allow_private = false;  // Its keys may be at addresses of private networks.

  friend bool operator==(const IssuerSpec&, const IssuerSpec&) = default;
};

// The scopes that tokens of issuers need. Writing implies reading.
struct ScopeSpec {
  std::string read = "sluice:read";
  std::string write = "sluice:write";
  std::string prefix;  // Stands before names in challenges and metadata, not in tokens.

  friend bool operator==(const ScopeSpec&, const ScopeSpec&) = default;
};

// What another server says of its tools is not believed: only those that match one of `reads` only read.
struct UpstreamTools {
  std::string name_space;          // "crm": its tools are "crm.find" or "crm_find".
  std::vector<std::string> reads;  // Globs over the names behind the namespace.

  friend bool operator==(const UpstreamTools&, const UpstreamTools&) = default;
};

// Who may use the server.
struct AccessSpec {
  std::vector<Token> tokens;
  std::vector<IssuerSpec> issuers;
  std::optional<ScopeSpec> scopes;  // Absent: scopes are not checked.
  std::chrono::milliseconds clock_skew{30'000};
  std::vector<std::string> denied;  // Ids of principals that are turned away.
  std::vector<UpstreamTools> upstreams;
  std::string public_url;  // "https://data.example.org"; required with issuers.
  std::string path;        // "/mcp"

  friend bool operator==(const AccessSpec&, const AccessSpec&) = default;
};

}  // namespace sluice::guard
