#include "token_endpoint.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/json/reader.h"

#include "error_code.h"

namespace sluice::oauth {

namespace {

constexpr std::string_view kIdJag = "urn:ietf:params:oauth:token-type:id-jag";

Error invalid_token(const fetch::Url& endpoint, std::string_view why) {
  return unavailable(fmt::format("obtain a token from {}: {}", endpoint.origin(), why))
      .with_code("oauth_token_invalid");
}

Result<json::Value> answer_of(const fetch::Response& response, const fetch::Url& endpoint) {
  Result<json::Value> answer = json::read(response.body, {.bytes_max = kOAuthAnswerBytesMax});
  const bool is_object = answer.ok() && answer->is_object();
  if (response.head.status == 200) {
    if (!is_object) return invalid_token(endpoint, "the answer is not JSON");
    return answer;
  }
  if (response.head.status >= 500)
    return unavailable(
               fmt::format("obtain a token from {}: status {}", endpoint.origin(), response.head.status))
        .with_code("oauth_token_invalid");
  const std::string error = is_object ? text_member(*answer, "error") : std::string();
  return make_error(ErrorKind::kUnauthenticated,
                    fmt::format("obtain a token from {}: refused: {}", endpoint.origin(),
                                error.empty() ? fmt::format("status {}", response.head.status)
                                              : std::string(known_error(error))))
      .with_code("oauth_token_refused");
}

// A token goes into a header: visible characters only (RFC 6750, section 2.1, and what servers really send).
bool is_token(const std::string& text) {
  return !text.empty() && text.size() <= kOAuthTokenBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<std::chrono::seconds> lifetime_of(const json::Value& answer) {
  const json::Value* value = answer.find("expires_in");
  const json::Number* number = value == nullptr ? nullptr : value->if_number();
  const std::optional<std::int64_t> seconds = number == nullptr ? std::nullopt : number->as_int64();
  if (!seconds || *seconds < 0) return std::nullopt;
  constexpr std::int64_t kMax = std::chrono::seconds(kOAuthLifetimeMax).count();
  return std::chrono::seconds(std::min(*seconds, kMax));
}

Result<TokenAnswer> decode_token(const json::Value& answer, const fetch::Url& endpoint) {
  TokenAnswer out;
  out.access_token = text_member(answer, "access_token");
  if (!is_token(out.access_token))
    return invalid_token(endpoint, "the answer has no access token that can be sent");
  const std::string type = text_member(answer, "token_type");
  if (equal_ignoring_case(type, "bearer")) {
    out.token_type = "Bearer";
  } else if (equal_ignoring_case(type, "dpop")) {
    out.token_type = "DPoP";
  } else {
    return invalid_token(endpoint, "the token is of an unknown type");
  }
  out.refresh_token = text_member(answer, "refresh_token");
  if (out.refresh_token.size() > kOAuthTokenBytesMax)
    return invalid_token(endpoint, "the refresh token is too long");
  out.lifetime = lifetime_of(answer);
  return out;
}

bool wants_nonce(const fetch::Response& response) {
  if (response.head.status != 400 && response.head.status != 401) return false;
  const Result<json::Value> answer = json::read(response.body, {.bytes_max = kOAuthAnswerBytesMax});
  return answer.ok() && text_member(*answer, "error") == "use_dpop_nonce";
}

}  // namespace

Result<fetch::Response> TokenEndpoint::send(const TokenRequest& request, std::stop_token stop) {
  TokenRequestParts parts{.form = request.form, .headers = {}};
  authenticate(parts, request.client, request.server, clock_.wall());
  const fetch::Url& endpoint = request.server.token_endpoint;
  if (request.prover != nullptr)
    parts.headers.emplace_back("DPoP", request.prover->proof("POST", endpoint, {}));
  return http_.post_form(endpoint, parts.form, std::move(parts.headers), stop);
}

Result<TokenAnswer> TokenEndpoint::request(const TokenRequest& request, std::stop_token stop) {
  const fetch::Url& endpoint = request.server.token_endpoint;
  SLUICE_TRY(fetch::Response response, send(request, stop));
  if (request.prover != nullptr) {
    const std::string* nonce = fetch::find_header(response.head.headers, "dpop-nonce");
    const bool is_new = nonce != nullptr && request.prover->set_nonce(endpoint.origin(), *nonce);
    if (is_new && wants_nonce(response)) {
      SLUICE_TRY(response, send(request, stop));
    }
  }
  SLUICE_TRY(const json::Value answer, answer_of(response, endpoint));
  SLUICE_TRY(TokenAnswer token, decode_token(answer, endpoint));
  if (token.token_type == "DPoP" && request.prover == nullptr)
    return invalid_token(endpoint, "the token is bound to a key that was not offered");
  return token;
}

Result<std::string> TokenEndpoint::exchange(const Exchange& exchange, std::stop_token stop) {
  SLUICE_TRY(std::string id_token, exchange.enterprise.id_token());
  Form form = {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
               {"requested_token_type", std::string(kIdJag)},
               {"audience", exchange.audience},
               {"resource", exchange.resource},
               {"subject_token", std::move(id_token)},
               {"subject_token_type", "urn:ietf:params:oauth:token-type:id_token"},
               {"client_id", exchange.enterprise.client_id}};
  if (!exchange.scope.empty()) form.emplace_back("scope", exchange.scope);
  if (!exchange.enterprise.client_secret.empty())
    form.emplace_back("client_secret", exchange.enterprise.client_secret);
  SLUICE_TRY(const fetch::Response response, http_.post_form(exchange.token_endpoint, form, {}, stop));
  SLUICE_TRY(const json::Value answer, answer_of(response, exchange.token_endpoint));
  std::string grant = text_member(answer, "access_token");
  if (text_member(answer, "issued_token_type") != kIdJag || !is_token(grant))
    return invalid_token(exchange.token_endpoint, "the answer is no identity assertion grant");
  return grant;
}

}  // namespace sluice::oauth
