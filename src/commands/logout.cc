#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/commands/remote.h"
#include "sluice/oauth/lazy_tokens.h"
#include "sluice/oauth/revocation.h"

#include "login.h"

namespace sluice::commands {
namespace {

constexpr std::chrono::seconds kRevocationsTimeMax{60};  // All of them together.

// Which of the stored grants are meant, and how their servers are asked.
struct Meant {
  std::string what;      // For a person.
  std::string folder;    // Of tokens.
  std::string resource;  // Empty: any.
  bool every_account = false;
  std::string issuer;  // Empty: any.
  oauth::RevocationOptions revocation;

  bool has(const oauth::StoredGrant& grant) const {
    if (!issuer.empty() && grant.issuer != issuer) return false;
    return resource.empty() || grant.resource == resource ||
           (every_account && grant.resource.starts_with(resource + "#"));
  }
};

Status set_resource(Meant& meant, const config::AuthorizationSpec& spec, const std::string& url,
                    bool every_account) {
  const oauth::OAuthOptions options = wiring::oauth_options_of(spec, url, {});
  meant.every_account = every_account;
  SLUICE_TRY(meant.resource, oauth::stored_resource(url, every_account ? std::string() : options.account));
  if (!every_account) meant.issuer = options.issuer;
  meant.revocation.client = options.client;
  return {};
}

Result<Meant> meant_by(const LogoutRequest& request, const config::Environment& environment) {
  const RemoteServer& server = request.server;
  const RemoteAuthorization& given = server.authorization;
  const bool has_url = is_url(server.place);
  if (has_url != request.upstream.empty() && !server.place.empty())
    return usage_error("usage: sluice logout URL, or sluice logout sluice.yaml UPSTREAM");
  Meant meant;
  if (!request.upstream.empty()) {
    SLUICE_TRY(const NamedUpstream named, upstream_of(server.place, request.upstream, environment));
    const config::AuthorizationSpec& spec = *named.spec.authorization;
    SLUICE_CHECK(set_resource(meant, spec, named.spec.url, request.all));
    meant.what = named.spec.node.name;
    meant.folder = given.tokens.empty() ? named.tokens : given.tokens;
    meant.revocation.policy.allow_private = spec.allow_private || given.allow_private;
    meant.revocation.policy.ca_file = named.spec.ca_file;
    return meant;
  }
  SLUICE_TRY(const config::AuthorizationSpec spec, authorization_of(given, environment));
  if (has_url) {
    SLUICE_CHECK(set_resource(meant, spec, server.place, request.all));
  } else if (spec.issuer.empty() && !request.all) {
    return usage_error("name a URL, an upstream of a configuration, or an --issuer; --all is everything");
  }
  meant.issuer = spec.issuer;  // Of the command line, and so of what is meant by all as well.
  meant.what = has_url ? server.place : spec.issuer.empty() ? "any server" : spec.issuer;
  meant.folder = given.tokens.empty() ? config::default_token_folder(environment) : given.tokens;
  meant.revocation.policy.allow_private = given.allow_private;
  return meant;
}

// "https://host/mcp (work)"
std::string told(const oauth::StoredGrant& grant) {
  const std::size_t hash = grant.resource.find('#');
  const std::string url = encode_controls(grant.resource.substr(0, hash));
  return hash == std::string::npos
             ? url
             : fmt::format("{} ({})", url, encode_controls(grant.resource.substr(hash + 1)));
}

std::string revoke(const oauth::StoredGrant& grant, const Meant& meant, Monotonic deadline) {
  if (system_clock().now() >= deadline) return "not revoked there: it took too long already";
  const Status revoked = oauth::revoke_grant(grant, meant.revocation);
  if (revoked.ok()) return "revoked there";
  const bool may_help = revoked.error().code == "address_refused";
  return fmt::format("not revoked there: {}{}", revoked.error().message,
                     may_help ? "; --allow-private allows it" : "");
}

// Whoever renews the tokens at this moment is waited for, so that what they get goes as well.
Result<std::optional<oauth::StoredGrant>> take(oauth::TokenStore& tokens, const oauth::StoredGrant& grant) {
  const Result<std::unique_ptr<oauth::TokenStore::Hold>> held = tokens.hold(grant.resource, {});
  SLUICE_TRY(std::optional<oauth::StoredGrant> last, tokens.find(grant.issuer, grant.resource));
  SLUICE_CHECK(tokens.remove(grant.issuer, grant.resource));
  return last;
}

}  // namespace

Result<std::vector<std::string>> logout(const LogoutRequest& request,
                                        const config::Environment& environment) {
  SLUICE_TRY(const Meant meant, meant_by(request, environment));
  if (meant.folder.empty())
    return usage_error(
        "name the folder of tokens with --token-store: neither XDG_STATE_HOME nor HOME is set");
  const std::shared_ptr<oauth::TokenStore> tokens = oauth::make_lazy_tokens(meant.folder);
  SLUICE_TRY(const std::vector<oauth::StoredGrant> all, tokens->all());
  // First they are gone from here, then their servers are told: that may take its time, or be interrupted.
  std::vector<oauth::StoredGrant> removed;
  std::size_t others = 0;  // For the same URL.
  for (const oauth::StoredGrant& grant : all) {
    if (meant.has(grant)) {
      SLUICE_TRY(std::optional<oauth::StoredGrant> last, take(*tokens, grant));
      if (last) removed.push_back(*std::move(last));
    } else if (!meant.resource.empty()) {
      const std::string url = meant.resource.substr(0, meant.resource.find('#'));
      if (grant.resource == url || grant.resource.starts_with(url + "#")) ++others;
    }
  }
  std::vector<std::string> lines;
  const Monotonic deadline = system_clock().now() + kRevocationsTimeMax;
  for (const oauth::StoredGrant& grant : removed)
    lines.push_back(fmt::format("removed: tokens for {} of {}; {}", told(grant),
                                encode_controls(grant.issuer), revoke(grant, meant, deadline)));
  if (removed.empty()) lines.push_back(fmt::format("nothing is stored for {}", encode_controls(meant.what)));
  if (others > 0 && !request.all)
    lines.push_back(fmt::format(
        "left: {} more for the same URL, of other accounts, clients or issuers; --all removes them", others));
  return lines;
}

}  // namespace sluice::commands
