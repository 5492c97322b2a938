#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fetch/policy.h"
#include "sluice/oauth/authorizer.h"
#include "sluice/oauth/token_store.h"
#include "sluice/oauth/user_agent.h"

namespace sluice::oauth {

enum class OAuthGrant : std::uint8_t {
  kAuthorizationCode,  // A user agrees. Needs a UserAgent.
  kClientCredentials,  // The client acts for itself. Needs `client`.
  kWorkloadIdentity,   // A token of the platform is exchanged (RFC 7523). Needs `workload_assertion`.
  kEnterprise,  // The identity provider of an enterprise agrees (ID-JAG). Needs `enterprise` and `client`.
};

// A client that an authorization server already knows.
struct OAuthClient {
  std::string issuer;  // Of that server. Empty: the first that the resource names, and no other afterwards.
  std::string id;
  std::string secret;           // At most one of these two.
  std::string private_key_pem;  // For private_key_jwt: P-256 or RSA.
  std::string auth_method;      // Empty: the best that the server takes.
  std::string key_id;           // Of the private key, as the server knows it. Empty: it is not named.
};

struct EnterpriseIdentity {
  std::string token_endpoint;                     // Of the identity provider.
  std::string client_id;                          // As the identity provider knows it.
  std::string client_secret;                      // Empty: none.
  std::function<Result<std::string>()> id_token;  // Of the user, whenever a new grant is needed.
};

struct OAuthOptions {
  std::string resource_url;  // The MCP endpoint. Nothing obtained here is sent to another origin.
  OAuthGrant grant = OAuthGrant::kAuthorizationCode;

  std::string issuer;   // The only authorization server that is used. Empty: whichever the resource names.
  std::string account;  // Tells apart what several users or clients obtain for the same resource.

  // Who the client is, in the order in which they are tried.
  std::optional<OAuthClient> client;
  std::string client_document_url;  // A client ID metadata document, where the server takes them.
  bool may_register = true;         // Dynamically, where the server has no better way.
  std::string client_name = "Sluice";

  std::vector<std::string> scopes;  // Beside what the resource asks for.
  bool wants_refresh = true;        // Asks for offline_access where the server offers it.
  bool requires_dpop = false;       // Else proofs are used where the server can check them.
  // Without metadata: /authorize, /token and /register of the resource's origin, as in 2025-03-26.
  bool may_guess_endpoints = false;

  // Called with the issuer. The assertion is a JWT that names it, or its token endpoint, as its audience; any
  // other is not sent.
  std::function<Result<std::string>(const std::string& audience)> workload_assertion;
  EnterpriseIdentity enterprise;

  // Where requests to authorization servers may go. Everything must be https, except that a resource on
  // loopback may name servers on loopback.
  fetch::Policy policy;
};

struct OAuthParts {
  TokenStore& tokens;
  UserAgent* user_agent = nullptr;  // Only for kAuthorizationCode.
  const Clock& clock = system_clock();
};

// What a grant for the endpoint is stored as; see StoredGrant::resource. Of an empty account, that of any
// other is this, "#" and more. oauth_endpoint_refused.
Result<std::string> stored_resource(const std::string& resource_url, const std::string& account);

// An OAuth 2.1 client as the authorization pages of the specification describe it. Parts must outlive it.
// What goes where is in docs/AUTHORIZATION.md.
//
// Errors: those that begin with oauth_, invalid_key, those of the store, the user agent and the network. None
// holds a token, a secret or a code.
Result<std::unique_ptr<Authorizer>> make_oauth_authorizer(OAuthOptions options, OAuthParts parts);

}  // namespace sluice::oauth
