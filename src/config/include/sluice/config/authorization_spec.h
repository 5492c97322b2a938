#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/config/environment.h"
#include "sluice/oauth/oauth_authorizer.h"

namespace sluice::config {

// How a server is told who is calling: `authorization:` of an upstream, or options of a command line.
struct AuthorizationSpec {
  oauth::OAuthGrant grant = oauth::OAuthGrant::kAuthorizationCode;
  std::string issuer;     // Empty: whichever the server names.
  std::string client_id;  // Empty: a client document, or a client that is registered by itself.
  std::string secret;     // At most one of these two, and not without the issuer.
  std::string key_pem;
  std::string key_id;
  std::string auth_method;
  std::string client_document_url;
  std::vector<std::string> scopes;
  std::string account;              // Keeps tokens for the same URL apart.
  std::uint16_t redirect_port = 0;  // Of 127.0.0.1, where the browser comes back to. 0: any.
  bool may_register = true;
  bool requires_dpop = false;
  bool allow_private = false;  // Authorization servers on loopback and private networks.
};

// authorization_code or client_credentials.
std::optional<oauth::OAuthGrant> parse_grant(std::string_view text);

// What does not fit together.
struct Misfit {
  std::string key;
  std::string what;
};
std::optional<Misfit> find_misfit(const AuthorizationSpec& spec);

// Where tokens are kept where nothing else is said: below $XDG_STATE_HOME or the home folder. Empty where
// neither is known.
std::string default_token_folder(const Environment& environment);

}  // namespace sluice::config
