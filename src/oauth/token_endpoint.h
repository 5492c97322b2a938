#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/oauth/oauth_authorizer.h"

#include "client_identity.h"
#include "dpop.h"
#include "http.h"
#include "metadata.h"

namespace sluice::oauth {

struct TokenAnswer {
  std::string access_token;
  std::string token_type;     // "Bearer" or "DPoP".
  std::string refresh_token;  // Empty: none.
  std::optional<std::chrono::seconds> lifetime;
};

struct TokenRequest {
  const ServerMetadata& server;
  const ClientIdentity& client;
  Form form;                     // Without what tells who asks.
  DpopProver* prover = nullptr;  // Null: no proof.
};

// Asks token endpoints. Any thread.
//
// Errors: oauth_token_refused where a server says no, oauth_token_invalid where its answer is of no use. Of
// an answer nothing but its error code is told.
class TokenEndpoint {
 public:
  // Both must outlive it.
  TokenEndpoint(OAuthHttp& http, const Clock& clock) : http_(http), clock_(clock) {}

  Result<TokenAnswer> request(const TokenRequest& request, std::stop_token stop);

  struct Exchange {
    const EnterpriseIdentity& enterprise;
    fetch::Url token_endpoint;  // Of the identity provider.
    std::string audience;       // The issuer that the grant is for.
    std::string resource;
    std::string scope;
  };
  // An identity assertion grant (ID-JAG) for the user's identity token (RFC 8693).
  Result<std::string> exchange(const Exchange& exchange, std::stop_token stop);

 private:
  Result<fetch::Response> send(const TokenRequest& request, std::stop_token stop);

  OAuthHttp& http_;
  const Clock& clock_;
};

}  // namespace sluice::oauth
