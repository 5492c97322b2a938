#include "grant_flow.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"

#include "authorization_request.h"
#include "jwt.h"

namespace sluice::oauth {

namespace {

Error client_mismatch() {
  return forbidden("authorize: the configured client belongs to another authorization server")
      .with_code("oauth_client_mismatch")
      .with_hint(
          "The resource names another authorization server than the client was registered with. Register "
          "a client there, if that is right.");
}

Error issuer_refused() {
  return forbidden("authorize: the server names another authorization server than the configured issuer")
      .with_code("oauth_issuer_refused")
      .with_hint("Nothing was sent there. If the server has moved, its new issuer has to be configured.");
}

Error assertion_mismatch() {
  return forbidden("authorize: the assertion was made for another authorization server")
      .with_code("oauth_assertion_mismatch")
      .with_hint(
          "The assertion must be a JWT whose audience is the issuer that the resource names; whoever got "
          "another one could use it there.");
}

Error renewal_busy() {
  return unavailable("authorize: another process has been renewing the token for too long")
      .with_code("oauth_renewal_busy")
      .with_hint("Call again. If that does not help, look for a stopped process that uses the same tokens.");
}

Error no_client() {
  return make_error(ErrorKind::kUnauthenticated, "authorize: there is no client for the authorization server")
      .with_code("oauth_no_client")
      .with_hint("Register a client with that server, and give its client_id in the configuration.");
}

Status check_options(const OAuthOptions& options, const OAuthParts& parts) {
  const auto refused = [](std::string_view why) {
    return invalid_input(why).with_code("invalid_oauth_options");
  };
  if (options.client) {
    if (const Result<ClientIdentity> client = configured_identity(*options.client); !client.ok())
      return client.error();
  }
  if (!options.client_document_url.empty()) {
    const Result<fetch::Url> url = fetch::Url::parse(options.client_document_url);
    if (!url.ok() || !url->is_https() || path_without_slash(*url).empty())
      return refused("a client ID metadata document is at an https URL with a path");
  }
  switch (options.grant) {
    case OAuthGrant::kAuthorizationCode:
      return parts.user_agent == nullptr ? refused("the authorization code grant needs a user agent")
                                         : Status();
    case OAuthGrant::kClientCredentials:
      return options.client ? Status() : refused("the client credentials grant needs a client");
    case OAuthGrant::kWorkloadIdentity:
      return options.workload_assertion ? Status() : refused("workload identity needs an assertion");
    case OAuthGrant::kEnterprise:
      return options.client && options.enterprise.id_token
                 ? Status()
                 : refused("enterprise-managed authorization needs a client and an identity token");
  }
  return refused("no such grant");
}

ClientIdentity as_registered(const StoredClient& client) {
  ClientIdentity out;
  out.known = client;
  return out;
}

// A resource has no fragment, so what stands behind "#" can be nothing else.
std::string grant_key(const fetch::Url& url, const std::string& account) {
  return url.origin() + std::string(path_without_slash(url)) + (url.query() ? "?" + *url.query() : "") +
         (account.empty() ? "" : "#" + account);
}

}  // namespace

Result<std::string> stored_resource(const std::string& resource_url, const std::string& account) {
  SLUICE_TRY(const fetch::Url url, parse_endpoint(resource_url, "the resource", Loopback::kAllowed));
  return grant_key(url, account);
}

Result<std::unique_ptr<GrantFlow>> GrantFlow::create(OAuthOptions options, OAuthParts parts) {
  SLUICE_CHECK(check_options(options, parts));
  SLUICE_TRY(fetch::Url resource, parse_endpoint(options.resource_url, "the resource", Loopback::kAllowed));
  SLUICE_TRY(std::unique_ptr<fetch::Client> client, fetch::Client::create(options.policy, parts.clock));
  return std::unique_ptr<GrantFlow>(
      new GrantFlow(std::move(options), parts, std::move(resource), std::move(client)));
}

GrantFlow::GrantFlow(OAuthOptions options, OAuthParts parts, fetch::Url resource,
                     std::unique_ptr<fetch::Client> client)
    : options_(std::move(options)),
      parts_(parts),
      resource_(std::move(resource)),
      resource_key_(grant_key(resource_, options_.account)),
      client_(std::move(client)),
      http_(*client_),
      discovery_(http_, {.resource = resource_, .may_guess_endpoints = options_.may_guess_endpoints}),
      tokens_(http_, parts.clock) {}

Result<std::optional<StoredGrant>> GrantFlow::stored() {
  const std::string& issuer =
      options_.client && !options_.client->issuer.empty() ? options_.client->issuer : options_.issuer;
  SLUICE_TRY(std::optional<StoredGrant> found, issuer.empty() ? parts_.tokens.latest(resource_key_)
                                                              : parts_.tokens.find(issuer, resource_key_));
  if (found && !is_ours(*found)) found.reset();
  return found;
}

// What another client obtained is not.
bool GrantFlow::is_ours(const StoredGrant& stored) const {
  if (options_.client && stored.client.id != options_.client->id) return false;
  return stored.token_type != "DPoP" || !stored.dpop_key.empty();
}

Status GrantFlow::adopt_key(const std::string& pem) {
  if (prover_ && prover_->key_pem() == pem) return {};
  SLUICE_TRY(crypto::SigningKey key, crypto::SigningKey::from_pem(pem));
  prover_ = std::make_shared<DpopProver>(std::move(key), parts_.clock);
  return {};
}

DpopProver* GrantFlow::prover_for(const Place& place) {
  if (!place.uses_dpop) return nullptr;
  if (!prover_) prover_ = std::make_shared<DpopProver>(crypto::SigningKey::generate_es256(), parts_.clock);
  return prover_.get();
}

// The server that has served us so far, where the resource still names it. Nothing that one server issued is
// ever shown to another.
Result<std::string> GrantFlow::choose_issuer(const ResourceMetadata& resource, const GrantWish& wish) const {
  const std::vector<std::string>& servers = resource.authorization_servers;
  if (!options_.issuer.empty() && !is_among(servers, options_.issuer)) return issuer_refused();
  if (options_.client) {
    std::string issuer = options_.client->issuer.empty() ? bound_issuer_ : options_.client->issuer;
    if (issuer.empty() && wish.previous && wish.previous->client.id == options_.client->id)
      issuer = wish.previous->issuer;
    if (!issuer.empty()) return is_among(servers, issuer) ? Result<std::string>(issuer) : client_mismatch();
  }
  if (!options_.issuer.empty()) return options_.issuer;
  if (wish.previous && is_among(servers, wish.previous->issuer)) return wish.previous->issuer;
  return servers.front();
}

Scopes GrantFlow::choose_scopes(const Place& place, const GrantWish& wish) const {
  Scopes out;
  if (wish.previous && wish.previous->issuer == place.server.issuer) add_scopes(out, wish.previous->scopes);
  add_scopes(out, options_.scopes);
  add_scopes(out, wish.scopes);
  if (out.empty()) add_scopes(out, place.resource.scopes_supported);
  const bool offers_refresh = is_among(place.server.scopes_supported, "offline_access");
  if (needs_user() && options_.wants_refresh && offers_refresh && !out.empty())
    add_scopes(out, {"offline_access"});
  return out;
}

Result<GrantFlow::Place> GrantFlow::find_place(const GrantWish& wish, std::stop_token stop) {
  Place place;
  SLUICE_TRY(place.resource, discovery_.resource(wish.metadata_url, stop));
  SLUICE_TRY(const std::string issuer, choose_issuer(place.resource, wish));
  SLUICE_TRY(place.server, discovery_.server(place.resource, issuer, stop));
  place.scopes = choose_scopes(place, wish);
  place.uses_dpop = options_.requires_dpop || place.resource.requires_dpop || wish.wants_dpop ||
                    is_among(place.server.dpop_algorithms, "ES256");
  return place;
}

Result<Obtained> GrantFlow::obtain(const GrantWish& wish, std::stop_token stop) {
  SLUICE_TRY(const Place place, find_place(wish, stop));
  GrantWish here = wish;
  if (here.previous && here.previous->issuer != place.server.issuer) {
    SLUICE_TRY(here.previous, parts_.tokens.find(place.server.issuer, resource_key_));
  }
  Obtained out;
  if (!needs_user()) {
    SLUICE_TRY(out.grant, ask_server(place, stop));
    return out;
  }
  if (here.may_refresh && here.previous && contains_all(here.previous->scopes, here.scopes)) {
    SLUICE_TRY(std::optional<Obtained> refreshed, refresh(place, here, stop));
    if (refreshed) return *std::move(refreshed);
  }
  if (!here.may_ask_user)
    return make_error(ErrorKind::kUnauthenticated, "authorize: the token has expired and cannot be refreshed")
        .with_code("oauth_token_refused");
  SLUICE_TRY(out.grant, ask_user(place, here, stop));
  // Whoever renews what was there before should not store that behind this.
  if (Result<std::unique_ptr<TokenStore::Hold>> held = hold(stop); held.ok()) out.hold = *std::move(held);
  return out;
}

// A store that cannot be written to, and so shared by nobody who renews, needs none.
Result<std::unique_ptr<TokenStore::Hold>> GrantFlow::hold(std::stop_token stop) {
  Result<std::unique_ptr<TokenStore::Hold>> held = parts_.tokens.hold(resource_key_, std::move(stop));
  if (held.ok() || held.error().kind == ErrorKind::kCancelled) return held;
  if (held.error().kind == ErrorKind::kDeadline) return renewal_busy();
  return std::unique_ptr<TokenStore::Hold>();
}

Result<std::optional<Obtained>> GrantFlow::refresh(const Place& place, const GrantWish& wish,
                                                   std::stop_token stop) {
  StoredGrant previous = *wish.previous;
  if (previous.refresh_token.empty()) return std::optional<Obtained>();
  Obtained out;
  SLUICE_TRY(out.hold, hold(stop));
  if (wish.is_previous_stored) {
    // Whoever had the hold before may have used up our refresh token, and stored what it got for it.
    SLUICE_TRY(std::optional<StoredGrant> stored, parts_.tokens.find(place.server.issuer, resource_key_));
    if (!stored) return std::optional<Obtained>();  // Somebody does not want it to be used any more.
    if (is_ours(*stored) && stored->access_token != previous.access_token) {
      if (!contains_all(stored->scopes, wish.scopes)) return std::optional<Obtained>();
      if (!stored->dpop_key.empty()) SLUICE_CHECK(adopt_key(stored->dpop_key));
      const bool is_good = !stored->expires || *stored->expires > parts_.clock.wall() + kOAuthExpiryLeeway;
      if (is_good) {
        out.grant = *std::move(stored);
        out.is_stored = true;
        return std::optional<Obtained>(std::move(out));
      }
      previous = *std::move(stored);
    }
  }
  SLUICE_TRY(std::optional<StoredGrant> refreshed, refresh_with(place, previous, stop));
  if (!refreshed) return std::optional<Obtained>();
  out.grant = *std::move(refreshed);
  return std::optional<Obtained>(std::move(out));
}

Result<std::optional<StoredGrant>> GrantFlow::refresh_with(const Place& place, const StoredGrant& previous,
                                                           std::stop_token stop) {
  std::optional<ClientIdentity> client = identity_of(previous);
  const bool is_same_server =
      previous.issuer == place.server.issuer && previous.token_endpoint == place.server.token_endpoint.text();
  if (previous.refresh_token.empty() || !is_same_server || !client) return std::optional<StoredGrant>();
  Form form = {{"grant_type", "refresh_token"},
               {"refresh_token", previous.refresh_token},
               {"resource", place.resource.resource}};
  Result<StoredGrant> grant = request(place, *client, std::move(form), stop);
  if (!grant.ok()) {
    if (grant.error().code == "oauth_token_refused") return std::optional<StoredGrant>();
    return std::move(grant).error();
  }
  grant->scopes = previous.scopes;
  if (grant->refresh_token.empty()) grant->refresh_token = previous.refresh_token;
  return std::optional<StoredGrant>(*std::move(grant));
}

Result<StoredGrant> GrantFlow::ask_user(const Place& place, const GrantWish& wish, std::stop_token stop) {
  SLUICE_TRY(const std::string redirect_uri, parts_.user_agent->redirect_uri());
  SLUICE_CHECK(check_redirect_uri(redirect_uri));
  SLUICE_TRY(const ClientIdentity client, identity(place, wish, redirect_uri, stop));
  SLUICE_TRY(const AuthorizationRequest visit,
             make_authorization_request(place.server, {.client_id = client.known.id,
                                                       .redirect_uri = redirect_uri,
                                                       .resource = place.resource.resource,
                                                       .scopes = place.scopes}));
  // A server that has forgotten a client tells its user, not us: what fails now is not tried twice.
  doubtful_client_ = client.known.id;
  SLUICE_TRY(const std::string answer, parts_.user_agent->authorize(visit.url, stop));
  SLUICE_TRY(std::string code, code_of(visit, answer));
  Form form = {{"grant_type", "authorization_code"},
               {"code", std::move(code)},
               {"redirect_uri", redirect_uri},
               {"code_verifier", visit.verifier},
               {"resource", place.resource.resource}};
  SLUICE_TRY(StoredGrant grant, request(place, client, std::move(form), stop));
  doubtful_client_.clear();
  return grant;
}

Result<Form> GrantFlow::form_without_user(const Place& place, std::stop_token stop) {
  if (options_.grant == OAuthGrant::kClientCredentials) return Form{{"grant_type", "client_credentials"}};
  std::string assertion;
  if (options_.grant == OAuthGrant::kWorkloadIdentity) {
    SLUICE_TRY(assertion, options_.workload_assertion(place.server.issuer));
    if (!is_for_audience(assertion, {place.server.issuer, place.server.token_endpoint.text()}))
      return assertion_mismatch();
  } else {
    SLUICE_TRY(fetch::Url provider, parse_endpoint(options_.enterprise.token_endpoint,
                                                   "the identity provider", Loopback::kAllowed));
    SLUICE_TRY(assertion, tokens_.exchange({.enterprise = options_.enterprise,
                                            .token_endpoint = std::move(provider),
                                            .audience = place.server.issuer,
                                            .resource = place.resource.resource,
                                            .scope = to_text(place.scopes)},
                                           stop));
  }
  return Form{{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
              {"assertion", std::move(assertion)}};
}

Result<StoredGrant> GrantFlow::ask_server(const Place& place, std::stop_token stop) {
  ClientIdentity client;  // An assertion may be all that tells who asks.
  if (options_.client) {
    SLUICE_TRY(client, configured(place.server.issuer));
  }
  SLUICE_TRY(Form form, form_without_user(place, stop));
  if (!place.scopes.empty()) form.emplace_back("scope", to_text(place.scopes));
  form.emplace_back("resource", place.resource.resource);
  return request(place, client, std::move(form), stop);
}

Result<ClientIdentity> GrantFlow::configured(const std::string& issuer) {
  if (options_.client->issuer.empty()) bound_issuer_ = issuer;
  return configured_identity(*options_.client);
}

// The order of the specification: a client that is known there, one that describes itself, one that is made.
Result<ClientIdentity> GrantFlow::identity(const Place& place, const GrantWish& wish,
                                           const std::string& redirect_uri, std::stop_token stop) {
  if (options_.client) return configured(place.server.issuer);
  if (!options_.client_document_url.empty() && place.server.takes_client_documents) {
    ClientIdentity out;
    out.known.id = options_.client_document_url;
    out.known.auth_method = "none";
    return out;
  }
  if (wish.previous) {
    const StoredClient& known = wish.previous->client;
    const bool is_valid = !known.secret_expires || *known.secret_expires > parts_.clock.wall();
    if (known.is_registered && known.redirect_uri == redirect_uri && is_valid && known.id != doubtful_client_)
      return as_registered(known);
  }
  if (!options_.may_register || !place.server.registration_endpoint) return no_client();
  return register_client(http_, place.server, options_.client_name, redirect_uri, stop);
}

// The client that a stored grant was issued to, if we still are that one.
std::optional<ClientIdentity> GrantFlow::identity_of(const StoredGrant& previous) {
  if (previous.client.is_registered) return as_registered(previous.client);
  if (options_.client && options_.client->id == previous.client.id) {
    Result<ClientIdentity> client = configured(previous.issuer);
    return client.ok() ? std::optional<ClientIdentity>(*std::move(client)) : std::nullopt;
  }
  if (previous.client.id.empty() || previous.client.id != options_.client_document_url) return std::nullopt;
  return as_registered(previous.client);
}

Result<StoredGrant> GrantFlow::request(const Place& place, const ClientIdentity& client, Form form,
                                       std::stop_token stop) {
  DpopProver* prover = prover_for(place);
  SLUICE_TRY(
      TokenAnswer token,
      tokens_.request({.server = place.server, .client = client, .form = std::move(form), .prover = prover},
                      stop));
  if (options_.requires_dpop && token.token_type != "DPoP")
    return unavailable("authorize: the authorization server did not bind the token to our key")
        .with_code("oauth_token_invalid");
  StoredGrant out;
  out.issuer = place.server.issuer;
  out.resource = resource_key_;
  out.token_endpoint = place.server.token_endpoint.text();
  out.client = client.known;
  if (!out.client.is_registered) out.client.secret.clear();
  out.access_token = std::move(token.access_token);
  out.token_type = std::move(token.token_type);
  out.refresh_token = std::move(token.refresh_token);
  out.scopes = place.scopes;
  if (token.lifetime) out.expires = parts_.clock.wall() + *token.lifetime;
  if (prover != nullptr) out.dpop_key = prover->key_pem();
  return out;
}

}  // namespace sluice::oauth
