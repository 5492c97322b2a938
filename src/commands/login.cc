#include "login.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/config/config_file.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/oauth/lazy_tokens.h"

namespace sluice::commands {
namespace {

Result<std::string> required_variable(const std::string& name, const config::Environment& environment) {
  if (name.empty()) return std::string();
  std::optional<std::string> value = environment(name);
  if (!value || value->empty())
    return usage_error(fmt::format("the environment variable {} is not set", excerpt(name)));
  return *std::move(value);
}

// The option that a key of the configuration is called by on a command line.
std::string option_of(std::string_view key) {
  if (key == "client_secret" || key == "private_key")
    return fmt::format("--{}-env", key == "private_key" ? "private-key" : "client-secret");
  if (key == "scopes") return "--scope";
  std::string out = fmt::format("--{}", key);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

// A token may be good and not allow what is wanted now.
Status ask_for_scopes(wiring::LoginAuthorizer& authorizer, const std::string& url,
                      const std::vector<std::string>& scopes) {
  if (scopes.empty()) return {};
  std::string words;
  for (const std::string& scope : scopes) words += (words.empty() ? "" : " ") + scope;
  oauth::Challenge challenge;
  challenge.status = wiring::kForbiddenStatus;
  challenge.www_authenticate = fmt::format("Bearer error=\"insufficient_scope\", scope=\"{}\"", words);
  challenge.resource_url = url;
  return authorizer.login(challenge);
}

struct LoginTarget {
  client::Endpoint endpoint;
  std::shared_ptr<wiring::LoginAuthorizer> authorizer;  // Shared with the endpoint.
  std::vector<std::string> more_scopes;
};

Result<LoginTarget> of_configuration(const RemoteServer& server, const std::string& upstream,
                                     const config::Environment& environment) {
  SLUICE_TRY(const NamedUpstream named, upstream_of(server.place, upstream, environment));
  const config::UpstreamSpec& found = named.spec;
  config::AuthorizationSpec spec = *found.authorization;
  if (server.authorization.redirect_port != 0) spec.redirect_port = server.authorization.redirect_port;
  if (const RemoteAuthorization& given = server.authorization; !given.scopes.empty()) {
    spec.scopes.insert(spec.scopes.end(), given.scopes.begin(), given.scopes.end());
    if (const std::optional<config::Misfit> misfit = config::find_misfit(spec))
      return usage_error(fmt::format("{}: {}", option_of(misfit->key), misfit->what));
  }
  SLUICE_TRY(std::shared_ptr<oauth::TokenStore> tokens, wiring::open_tokens(named.tokens, spec));
  wiring::LoginAuthorizer::Place place{
      .url = found.url,
      .ca_file = found.ca_file,
      .command = fmt::format("sluice login {} {}", server.place, found.node.name),
      .show = server.show};
  LoginTarget wanted;
  SLUICE_TRY(wanted.authorizer, wiring::LoginAuthorizer::create(spec, std::move(place), std::move(tokens)));
  wanted.endpoint = {.url = found.url,
                     .headers = found.headers,
                     .authorizer = wanted.authorizer,
                     .ca_file = found.ca_file,
                     .allow_private = found.allow_private};
  wanted.more_scopes = server.authorization.scopes;
  return wanted;
}

Result<LoginTarget> of_url(const RemoteServer& server, const config::Environment& environment) {
  LoginTarget wanted;
  if (server.authorization.tokens.empty() && config::default_token_folder(environment).empty())
    return usage_error(
        "name the folder of tokens with --token-store: neither XDG_STATE_HOME nor HOME is set");
  SLUICE_TRY(wanted.authorizer, authorizer_of(server, environment));
  wanted.endpoint.url = server.place;
  wanted.endpoint.authorizer = wanted.authorizer;
  wanted.more_scopes = server.authorization.scopes;
  return wanted;
}

}  // namespace

Result<config::AuthorizationSpec> authorization_of(const RemoteAuthorization& given,
                                                   const config::Environment& environment) {
  config::AuthorizationSpec spec;
  const std::optional<oauth::OAuthGrant> grant =
      given.grant.empty() ? spec.grant : config::parse_grant(given.grant);
  if (!grant) return usage_error("--grant is authorization_code or client_credentials");
  spec.grant = *grant;
  spec.issuer = given.issuer;
  spec.client_id = given.client_id;
  SLUICE_TRY(spec.secret, required_variable(given.secret_variable, environment));
  SLUICE_TRY(spec.key_pem, required_variable(given.key_variable, environment));
  spec.client_document_url = given.client_document_url;
  spec.scopes = given.scopes;
  spec.account = given.account;
  spec.redirect_port = given.redirect_port;
  spec.allow_private = given.allow_private;
  if (const std::optional<config::Misfit> misfit = config::find_misfit(spec))
    return usage_error(fmt::format("{}: {}", option_of(misfit->key), misfit->what));
  return spec;
}

Result<NamedUpstream> upstream_of(const std::string& config_file, const std::string& name,
                                  const config::Environment& environment) {
  SLUICE_TRY(const config::Config config, config::load_config({config_file}, environment));
  const std::vector<config::UpstreamSpec>& all = config.gateway.upstreams;
  const auto found = std::find_if(all.begin(), all.end(), [&](const config::UpstreamSpec& spec) {
    return spec.node.name == gateway::namespace_of(name);
  });
  if (found == all.end()) return usage_error(fmt::format("no such upstream: {}", excerpt(name)));
  if (!found->authorization)
    return usage_error(fmt::format("upstream {} has no authorization", found->node.name));
  return NamedUpstream{.spec = *found, .tokens = config.gateway.tokens};
}

Result<std::shared_ptr<wiring::LoginAuthorizer>> authorizer_of(const RemoteServer& server,
                                                               const config::Environment& environment) {
  SLUICE_TRY(const config::AuthorizationSpec spec, authorization_of(server.authorization, environment));
  const std::string& folder = server.authorization.tokens;
  wiring::LoginAuthorizer::Place place{.url = server.place,
                                       .ca_file = {},
                                       .command = fmt::format("sluice login {}", server.place),
                                       .show = server.show};
  // Without a folder they last as long as the program: most servers want nobody to agree to anything.
  return wiring::LoginAuthorizer::create(
      spec, std::move(place),
      oauth::make_lazy_tokens(folder.empty() ? config::default_token_folder(environment) : folder));
}

Result<std::string> login(const RemoteServer& server, const std::string& upstream,
                          const config::Environment& environment) {
  const bool has_url = is_url(server.place);
  if (has_url != upstream.empty())
    return usage_error("usage: sluice login URL, or sluice login sluice.yaml UPSTREAM");
  SLUICE_TRY(const LoginTarget wanted,
             has_url ? of_url(server, environment) : of_configuration(server, upstream, environment));
  SLUICE_TRY(const std::unique_ptr<client::Client> client, client::Client::create(wanted.endpoint));
  SLUICE_TRY(const client::ServerInfo info,
             with_login(wanted.authorizer.get(), [&] { return client->connect(); }));
  SLUICE_CHECK(ask_for_scopes(*wanted.authorizer, wanted.endpoint.url, wanted.more_scopes));
  return fmt::format("authorized: {} answers as {}", has_url ? server.place : upstream,
                     info.implementation.name.empty() ? "a server" : excerpt(info.implementation.name));
}

}  // namespace sluice::commands
