#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fetch/url.h"

#include "endpoint.h"
#include "scopes.h"

namespace sluice::oauth {

// What a resource says about itself (RFC 9728), as far as a client needs it.
struct ResourceMetadata {
  std::string resource;  // As the document has it: what tokens are asked for.
  std::vector<std::string> authorization_servers;
  Scopes scopes_supported;
  bool requires_dpop = false;
  bool is_guessed =
      false;  // There is no document: the resource's origin stands for its server, as in 2025-03-26.
};

// What an authorization server says about itself (RFC 8414).
struct ServerMetadata {
  std::string issuer;
  std::optional<fetch::Url> authorization_endpoint;
  fetch::Url token_endpoint;
  std::optional<fetch::Url> registration_endpoint;
  std::optional<fetch::Url> revocation_endpoint;  // RFC 7009.
  std::vector<std::string> code_challenge_methods;
  std::optional<std::vector<std::string>> auth_methods;  // Of the token endpoint.
  std::vector<std::string> dpop_algorithms;
  Scopes scopes_supported;
  bool sends_issuer = false;            // With every authorization response (RFC 9207).
  bool takes_client_documents = false;  // Client ID metadata documents.
};

bool is_among(const std::vector<std::string>& values, std::string_view value);

// oauth_metadata_invalid where the text is no such document, oauth_endpoint_refused where it names an
// endpoint that may not be used.
Result<ResourceMetadata> decode_resource_metadata(std::string_view text);
// `issuer`: of the server that was asked. oauth_issuer_mismatch where the document has another.
Result<ServerMetadata> decode_server_metadata(std::string_view text, const std::string& issuer,
                                              Loopback loopback);
// The endpoints that 2025-03-26 assumes of an origin.
Result<ServerMetadata> guessed_server_metadata(const std::string& origin, Loopback loopback);

}  // namespace sluice::oauth
