#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "sluice/base/result.h"
#include "sluice/fetch/client.h"
#include "sluice/oauth/oauth_authorizer.h"

#include "client_identity.h"
#include "discovery.h"
#include "dpop.h"
#include "http.h"
#include "token_endpoint.h"

namespace sluice::oauth {

// What a grant is wanted for.
struct GrantWish {
  std::optional<std::string> metadata_url;  // Of a challenge.
  Scopes scopes;                            // Of a challenge.
  bool wants_dpop = false;
  std::optional<StoredGrant> previous;
  bool is_previous_stored = true;  // False: it could not be, and what is in the store is older.
  bool may_refresh = true;
  bool may_ask_user = true;
};

// What came of it.
struct Obtained {
  StoredGrant grant;
  bool is_stored = false;                  // Another process was faster.
  std::unique_ptr<TokenStore::Hold> hold;  // To be kept until the grant is stored. May be null.
};

// Obtains tokens, from the discovery of the server to its answer. One call at a time.
class GrantFlow {
 public:
  static Result<std::unique_ptr<GrantFlow>> create(OAuthOptions options, OAuthParts parts);

  // A grant of whichever server the resource names now.
  Result<Obtained> obtain(const GrantWish& wish, std::stop_token stop);

  // What is stored for this client, or nothing.
  Result<std::optional<StoredGrant>> stored();
  // Uses the key that a stored grant is bound to.
  Status adopt_key(const std::string& pem);
  // Null until a key is needed. Shared with who makes proofs, by any thread, while another takes its place.
  std::shared_ptr<DpopProver> prover() const { return prover_; }

  const fetch::Url& resource() const { return resource_; }
  const std::string& resource_key() const {
    return resource_key_;
  }  // Its URL in one spelling, and the account.
  bool needs_user() const { return options_.grant == OAuthGrant::kAuthorizationCode; }

 private:
  struct Place {  // Where a grant comes from.
    ResourceMetadata resource;
    ServerMetadata server;
    Scopes scopes;  // All that are to be asked for.
    bool uses_dpop = false;
  };

  GrantFlow(OAuthOptions options, OAuthParts parts, fetch::Url resource,
            std::unique_ptr<fetch::Client> client);

  Result<std::string> choose_issuer(const ResourceMetadata& resource, const GrantWish& wish) const;
  Scopes choose_scopes(const Place& place, const GrantWish& wish) const;
  Result<Place> find_place(const GrantWish& wish, std::stop_token stop);

  // Nothing: there is nothing to refresh with, or the server does not take it any more.
  Result<std::optional<Obtained>> refresh(const Place& place, const GrantWish& wish, std::stop_token stop);
  Result<std::optional<StoredGrant>> refresh_with(const Place& place, const StoredGrant& previous,
                                                  std::stop_token stop);
  Result<std::unique_ptr<TokenStore::Hold>> hold(std::stop_token stop);
  bool is_ours(const StoredGrant& stored) const;
  Result<StoredGrant> ask_user(const Place& place, const GrantWish& wish, std::stop_token stop);
  Result<StoredGrant> ask_server(const Place& place, std::stop_token stop);
  Result<Form> form_without_user(const Place& place, std::stop_token stop);

  Result<ClientIdentity> identity(const Place& place, const GrantWish& wish, const std::string& redirect_uri,
                                  std::stop_token stop);
  Result<ClientIdentity> configured(const std::string& issuer);
  std::optional<ClientIdentity> identity_of(const StoredGrant& previous);
  Result<StoredGrant> request(const Place& place, const ClientIdentity& client, Form form,
                              std::stop_token stop);
  DpopProver* prover_for(const Place& place);

  const OAuthOptions options_;
  const OAuthParts parts_;
  const fetch::Url resource_;
  const std::string resource_key_;
  const std::unique_ptr<fetch::Client> client_;
  OAuthHttp http_;
  Discovery discovery_;
  TokenEndpoint tokens_;
  std::string bound_issuer_;            // Of a configured client that names none.
  std::string doubtful_client_;         // Registered once, and the last visit with it did not end well.
  std::shared_ptr<DpopProver> prover_;  // See prover().
};

}  // namespace sluice::oauth
