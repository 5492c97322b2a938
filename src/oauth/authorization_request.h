#pragma once

#include <string>

#include "sluice/base/result.h"

#include "metadata.h"
#include "scopes.h"

namespace sluice::oauth {

// One visit of a user to an authorization server, with all that its answer is checked against.
struct AuthorizationRequest {
  std::string url;
  std::string state;
  std::string verifier;  // Of PKCE: proves at the token endpoint that the code is ours.
  std::string redirect_uri;
  std::string issuer;
  bool sends_issuer = false;
};

struct AuthorizationWish {
  std::string client_id;
  std::string redirect_uri;
  std::string resource;
  Scopes scopes;
};

// oauth_pkce_unsupported where the server does not say that it knows S256; oauth_metadata_invalid where it
// has no page for users.
Result<AuthorizationRequest> make_authorization_request(const ServerMetadata& server, AuthorizationWish wish);

// https, or http on loopback.
Status check_redirect_uri(const std::string& uri);

// The code, out of the URL that the user was sent back to. oauth_response_invalid where the answer is not to
// this request or from another issuer, oauth_denied where the server said no.
Result<std::string> code_of(const AuthorizationRequest& request, const std::string& answer);

}  // namespace sluice::oauth
