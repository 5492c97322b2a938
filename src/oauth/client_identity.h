#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/crypto/signing_key.h"
#include "sluice/fetch/message.h"
#include "sluice/oauth/oauth_authorizer.h"
#include "sluice/oauth/token_store.h"

#include "http.h"
#include "metadata.h"

namespace sluice::oauth {

// Who we are to one authorization server.
struct ClientIdentity {
  StoredClient known;
  std::optional<crypto::SigningKey> key;  // For private_key_jwt.
  std::string key_id;
};

// A client that was made known before. invalid_key, invalid_oauth_options.
Result<ClientIdentity> configured_identity(const OAuthClient& client);

// Registers a client (RFC 7591). oauth_registration_refused.
Result<ClientIdentity> register_client(OAuthHttp& http, const ServerMetadata& server,
                                       const std::string& client_name, const std::string& redirect_uri,
                                       std::stop_token stop);

// Adds to a token request what tells the server who asks, in the way that client and server agree on.
struct TokenRequestParts {
  Form form;
  fetch::Headers headers;
};
void authenticate(TokenRequestParts& parts, const ClientIdentity& client, const ServerMetadata& server,
                  WallTime now);

}  // namespace sluice::oauth
