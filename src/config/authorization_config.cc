#include "authorization_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "secret.h"

namespace sluice::config {
namespace {

constexpr std::size_t kScopeBytesMax = 256;
constexpr std::size_t kAccountBytesMax = 128;
constexpr std::uint64_t kPortMax = 65'535;

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_scope(std::string_view text) {
  return !text.empty() && text.size() <= kScopeBytesMax && is_visible(text) &&
         text.find_first_of("\"\\") == std::string_view::npos;
}

// An issuer is compared as text, so that what is written must be what its server says of itself.
bool is_visible_url(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && is_visible(text);
}

Status read_client(YamlMap& section, const Environment& environment, AuthorizationSpec& spec) {
  SLUICE_TRY(const std::optional<std::string> id, section.text("client_id"));
  SLUICE_TRY(std::optional<YamlMap> secret, section.map("client_secret"));
  SLUICE_TRY(std::optional<YamlMap> key, section.map("private_key"));
  SLUICE_TRY(const std::optional<std::string> key_id, section.text("key_id"));
  SLUICE_TRY(const std::optional<std::string> method, section.text("auth_method"));
  SLUICE_TRY(const std::optional<std::string> document, section.text("client_metadata_url"));
  spec.client_id = id.value_or("");
  spec.key_id = key_id.value_or("");
  spec.auth_method = method.value_or("");
  spec.client_document_url = document.value_or("");
  if (secret) {
    SLUICE_TRY(spec.secret, read_secret(*secret, environment));
    SLUICE_CHECK(secret->finish());
  }
  if (key) {
    SLUICE_TRY(spec.key_pem, read_secret(*key, environment));
    SLUICE_CHECK(key->finish());
  }
  return {};
}

}  // namespace

std::optional<oauth::OAuthGrant> parse_grant(std::string_view text) {
  if (text == "authorization_code") return oauth::OAuthGrant::kAuthorizationCode;
  if (text == "client_credentials") return oauth::OAuthGrant::kClientCredentials;
  return std::nullopt;
}

std::optional<Misfit> find_misfit(const AuthorizationSpec& spec) {
  constexpr std::array kMethods = {
      std::string_view(), std::string_view("none"), std::string_view("client_secret_basic"),
      std::string_view("client_secret_post"), std::string_view("private_key_jwt")};
  const bool has_proof = !spec.secret.empty() || !spec.key_pem.empty();
  if (has_proof && spec.client_id.empty()) return Misfit{"client_id", "a secret or a key needs it"};
  if (!spec.secret.empty() && !spec.key_pem.empty())
    return Misfit{"private_key", "a client has a secret or a private key, not both"};
  if (has_proof && spec.issuer.empty())
    return Misfit{"issuer", "required with a secret or a key: it is shown to no other authorization server"};
  if (!spec.issuer.empty() && !is_visible_url(spec.issuer))
    return Misfit{"issuer", "must be the URL that the authorization server calls itself by"};
  if (!spec.client_document_url.empty() &&
      (!spec.client_document_url.starts_with("https://") || !is_visible(spec.client_document_url)))
    return Misfit{"client_metadata_url", "must begin with https://"};
  if (spec.grant == oauth::OAuthGrant::kClientCredentials && !has_proof)
    return Misfit{"grant", "client_credentials needs client_id, and client_secret or private_key"};
  if (std::find(kMethods.begin(), kMethods.end(), spec.auth_method) == kMethods.end())
    return Misfit{"auth_method", "must be none, client_secret_basic, client_secret_post or private_key_jwt"};
  if (spec.scopes.size() > kOAuthScopesMax || !std::all_of(spec.scopes.begin(), spec.scopes.end(), is_scope))
    return Misfit{"scopes", "must be a list of words without spaces"};
  if (spec.account.size() > kAccountBytesMax || !is_visible(spec.account))
    return Misfit{"account", "must be a word without spaces"};
  return std::nullopt;
}

Result<std::optional<AuthorizationSpec>> read_authorization(YamlMap& upstream,
                                                            const Environment& environment) {
  SLUICE_TRY(std::optional<YamlMap> section, upstream.map("authorization"));
  if (!section) return std::optional<AuthorizationSpec>();
  AuthorizationSpec spec;
  SLUICE_TRY(const std::optional<std::string> grant, section->text("grant"));
  const std::optional<oauth::OAuthGrant> known = grant ? parse_grant(*grant) : spec.grant;
  if (!known) return section->error("grant", "must be authorization_code or client_credentials");
  spec.grant = *known;
  SLUICE_TRY(const std::optional<std::string> issuer, section->text("issuer"));
  SLUICE_CHECK(read_client(*section, environment, spec));
  SLUICE_TRY(spec.scopes, section->texts("scopes"));
  SLUICE_TRY(const std::optional<std::string> account, section->text("account"));
  SLUICE_TRY(const std::optional<std::uint64_t> port, section->count("redirect_port"));
  SLUICE_TRY(const std::optional<bool> registers, section->flag("register"));
  SLUICE_TRY(const std::optional<bool> dpop, section->flag("require_dpop"));
  SLUICE_TRY(const std::optional<bool> allow_private, section->flag("allow_private"));
  spec.issuer = issuer.value_or("");
  spec.account = account.value_or("");
  if (port.value_or(0) > kPortMax) return section->error("redirect_port", "must be at most 65535");
  spec.redirect_port = static_cast<std::uint16_t>(port.value_or(0));
  spec.may_register = registers.value_or(true);
  spec.requires_dpop = dpop.value_or(false);
  spec.allow_private = allow_private.value_or(false);
  SLUICE_CHECK(section->finish());
  if (const std::optional<Misfit> misfit = find_misfit(spec))
    return section->error(misfit->key, misfit->what);
  return std::optional(std::move(spec));
}

std::string default_token_folder(const Environment& environment) {
  // A relative path is to be ignored, says the specification of these folders.
  const std::string state = environment("XDG_STATE_HOME").value_or("");
  if (state.starts_with('/')) return state + "/sluice";
  const std::string home = environment("HOME").value_or("");
  return home.starts_with('/') ? home + "/.local/state/sluice" : std::string();
}

}  // namespace sluice::config
