#include "authorization_request.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/limits.h"
#include "sluice/base/uri.h"
#include "sluice/crypto/digest.h"
#include "sluice/crypto/random.h"

#include "error_code.h"
#include "http.h"

namespace sluice::oauth {

namespace {

constexpr std::size_t kVerifierBits = 256;
constexpr std::size_t kParametersMax = 64;
using Parameters = std::map<std::string, std::string>;

Error invalid_response(std::string_view why) {
  return forbidden(fmt::format("authorize: the answer of the user's visit {}", why))
      .with_code("oauth_response_invalid");
}

Result<std::string> form_decode(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decode(spaced);
}

// Each parameter once (RFC 6749, section 3.1): of two, one is somebody else's.
Result<Parameters> parse_query(std::string_view query) {
  Parameters out;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const Result<std::string> name = form_decode(pair.substr(0, equals));
    const Result<std::string> value = form_decode(pair.substr(std::min(equals + 1, pair.size())));
    if (!name.ok() || !value.ok()) return invalid_response("is not encoded as it must be");
    if (out.size() == kParametersMax || !out.emplace(*name, *value).second)
      return invalid_response("has a parameter twice, or too many");
  }
  return out;
}

const std::string* find(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : &found->second;
}

// RFC 9207, section 2.4, with the specification's rule that an issuer that is sent counts, announced or not.
Status check_issuer(const AuthorizationRequest& request, const Parameters& parameters) {
  const std::string* issuer = find(parameters, "iss");
  if (issuer == nullptr && request.sends_issuer) return invalid_response("does not name its issuer");
  if (issuer != nullptr && *issuer != request.issuer) return invalid_response("is another issuer's");
  return {};
}

}  // namespace

Status check_redirect_uri(const std::string& uri) {
  const Result<fetch::Url> url = fetch::Url::parse(uri);
  if (url.ok() && !url->query() && uri.find('#') == std::string::npos &&
      (url->is_https() || is_loopback(*url)))
    return {};
  return invalid_input("a redirect URI is https, or http on loopback, and has neither query nor fragment")
      .with_code("invalid_oauth_options");
}

Result<AuthorizationRequest> make_authorization_request(const ServerMetadata& server,
                                                        AuthorizationWish wish) {
  if (!server.authorization_endpoint)
    return unavailable("authorize: the authorization server has no authorization endpoint")
        .with_code("oauth_metadata_invalid");
  if (!is_among(server.code_challenge_methods, "S256"))
    return forbidden("authorize: the authorization server does not say that it supports PKCE with S256")
        .with_code("oauth_pkce_unsupported")
        .with_hint("Its metadata needs `code_challenge_methods_supported` with S256.");
  SLUICE_CHECK(check_redirect_uri(wish.redirect_uri));
  AuthorizationRequest out;
  out.state = crypto::random_token();
  out.verifier = crypto::random_token(kVerifierBits);
  out.redirect_uri = std::move(wish.redirect_uri);
  out.issuer = server.issuer;
  out.sends_issuer = server.sends_issuer;
  Form form = {{"response_type", "code"},
               {"client_id", wish.client_id},
               {"redirect_uri", out.redirect_uri},
               {"state", out.state},
               {"code_challenge", base64url_encode(crypto::sha256(out.verifier))},
               {"code_challenge_method", "S256"},
               {"resource", wish.resource}};
  if (!wish.scopes.empty()) form.emplace_back("scope", to_text(wish.scopes));
  if (is_among(wish.scopes, "offline_access"))
    form.emplace_back("prompt", "consent");  // OpenID asks for both.
  const fetch::Url& endpoint = *server.authorization_endpoint;
  out.url = endpoint.text() + (endpoint.query() ? "&" : "?") + to_text(form);
  return out;
}

Result<std::string> code_of(const AuthorizationRequest& request, const std::string& answer) {
  const Result<fetch::Url> url = fetch::Url::parse(answer);
  SLUICE_TRY(const fetch::Url expected, fetch::Url::parse(request.redirect_uri));
  if (!url.ok() || url->origin() != expected.origin() || url->path() != expected.path())
    return invalid_response("came to another place than the redirect URI");
  SLUICE_TRY(const Parameters parameters, parse_query(url->query().value_or("")));
  const std::string* state = find(parameters, "state");
  if (state == nullptr || !crypto::equal_in_constant_time(*state, request.state))
    return invalid_response("belongs to another request");
  SLUICE_CHECK(check_issuer(request, parameters));
  if (const std::string* error = find(parameters, "error"))
    return forbidden(fmt::format("authorize: the authorization server refused: {}", known_error(*error)))
        .with_code("oauth_denied");
  const std::string* code = find(parameters, "code");
  if (code == nullptr || code->empty() || code->size() > kOAuthTokenBytesMax)
    return invalid_response("has no code");
  return *code;
}

}  // namespace sluice::oauth
