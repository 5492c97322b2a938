#include "sluice/oauth/revocation.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/fetch/client.h"
#include "sluice/json/reader.h"

#include "client_identity.h"
#include "discovery.h"
#include "error_code.h"
#include "http.h"

namespace sluice::oauth {

namespace {

// A server may end refresh tokens only, and with them what they were good for (RFC 7009, section 2.2.1).
constexpr std::string_view kUnsupportedType = "unsupported_token_type";

Result<ClientIdentity> identity_of(const StoredGrant& grant, const RevocationOptions& options) {
  // A secret is shown to the server that it belongs to, and to no other.
  const bool is_configured = !grant.client.is_registered && options.client &&
                             options.client->id == grant.client.id &&
                             (options.client->issuer.empty() || options.client->issuer == grant.issuer);
  if (is_configured) return configured_identity(*options.client);
  ClientIdentity out;
  out.known = grant.client;
  return out;
}

std::string error_of(const fetch::Response& response) {
  const Result<json::Value> answer = json::read(response.body, {.bytes_max = kOAuthAnswerBytesMax});
  const json::Value* error = answer.ok() && answer->is_object() ? answer->find("error") : nullptr;
  const std::string* text = error == nullptr ? nullptr : error->if_string();
  return text == nullptr ? std::string() : *text;
}

struct Server {
  OAuthHttp& http;
  const ServerMetadata& metadata;
  const ClientIdentity& client;
};

Status revoke(const Server& server, const std::string& token, std::string_view type,
              const RevocationOptions& options) {
  const fetch::Url& endpoint = *server.metadata.revocation_endpoint;
  TokenRequestParts parts{.form = {{"token", token}, {"token_type_hint", std::string(type)}}, .headers = {}};
  authenticate(parts, server.client, server.metadata, options.clock->wall());
  SLUICE_TRY(const fetch::Response response,
             server.http.post_form(endpoint, parts.form, std::move(parts.headers), options.stop));
  if (response.head.status == 200) return {};
  const std::string error = error_of(response);
  if (type == "access_token" && error == kUnsupportedType) return {};
  return unavailable(fmt::format("revoke a token at {}: refused: {}", endpoint.origin(),
                                 error.empty() ? fmt::format("status {}", response.head.status)
                                               : std::string(known_error(error))))
      .with_code("oauth_revocation_refused");
}

}  // namespace

Status revoke_grant(const StoredGrant& grant, const RevocationOptions& options) {
  // Behind "#" is the account; see stored_resource.
  SLUICE_TRY(fetch::Url resource, parse_endpoint(grant.resource.substr(0, grant.resource.find('#')),
                                                 "the resource", Loopback::kAllowed));
  SLUICE_TRY(const std::unique_ptr<fetch::Client> client,
             fetch::Client::create(options.policy, *options.clock));
  OAuthHttp http(*client);
  Discovery discovery(http, {.resource = std::move(resource)});
  SLUICE_TRY(const ServerMetadata metadata, discovery.server({}, grant.issuer, options.stop));
  if (!metadata.revocation_endpoint || metadata.token_endpoint.text() != grant.token_endpoint)
    return unsupported("the authorization server offers no way to revoke what it issued")
        .with_code("oauth_revocation_unsupported")
        .with_hint("Tokens of it end by themselves. Its own pages may let you end them at once.");
  SLUICE_TRY(const ClientIdentity identity, identity_of(grant, options));
  const Server server{.http = http, .metadata = metadata, .client = identity};
  if (!grant.refresh_token.empty())
    SLUICE_CHECK(revoke(server, grant.refresh_token, "refresh_token", options));
  return revoke(server, grant.access_token, "access_token", options);
}

}  // namespace sluice::oauth
