#include "client_identity.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/crypto/random.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

#include "error_code.h"
#include "jwt.h"

namespace sluice::oauth {

namespace {

constexpr std::string_view kNone = "none";
constexpr std::string_view kBasic = "client_secret_basic";
constexpr std::string_view kPost = "client_secret_post";
constexpr std::string_view kPrivateKey = "private_key_jwt";
constexpr std::size_t kClientBytesMax = 4 * 1024;

bool takes(const ServerMetadata& server, std::string_view method) {
  // Without a list it is client_secret_basic (RFC 8414, section 2), and public clients are known as such.
  return !server.auth_methods || is_among(*server.auth_methods, method);
}

std::string_view method_of(const ClientIdentity& client, const ServerMetadata& server) {
  if (!client.known.auth_method.empty()) return client.known.auth_method;
  if (client.key) return kPrivateKey;
  if (client.known.secret.empty()) return kNone;
  for (const std::string_view method : {kBasic, kPost, kNone}) {
    if (takes(server, method)) return method;
  }
  return kBasic;
}

// What we ask to be registered as: public where that is possible, because a secret of a program that users
// install is none.
std::string_view method_to_register(const ServerMetadata& server) {
  for (const std::string_view method : {kNone, kBasic, kPost}) {
    if (takes(server, method)) return method;
  }
  return kNone;
}

std::string assertion(const ClientIdentity& client, const std::string& audience, WallTime now) {
  const auto seconds = [](WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  };
  json::Object claims;
  claims.set("iss", client.known.id);
  claims.set("sub", client.known.id);
  claims.set("aud", audience);
  claims.set("jti", crypto::random_token());
  claims.set("iat", seconds(now));
  claims.set("exp", seconds(now + kOAuthAssertionLifetime));
  json::Object header;
  header.set("typ", "JWT");
  if (!client.key_id.empty()) header.set("kid", client.key_id);
  return make_jwt(std::move(header), claims, *client.key);
}

std::string registration_text(const ServerMetadata& server, const std::string& client_name,
                              const std::string& redirect_uri) {
  json::Writer out;
  out.begin_object().field("client_name", client_name);
  out.key("redirect_uris").begin_array().string(redirect_uri).end_array();
  out.key("grant_types").begin_array().string("authorization_code").string("refresh_token").end_array();
  out.key("response_types").begin_array().string("code").end_array();
  out.field("token_endpoint_auth_method", method_to_register(server));
  out.field("application_type", "native");
  out.end_object();
  return std::move(out).take();
}

Error registration_refused(const ServerMetadata& server, std::string_view why) {
  return make_error(ErrorKind::kUnauthenticated,
                    fmt::format("register a client with {}: {}", server.token_endpoint.origin(), why))
      .with_code("oauth_registration_refused")
      .with_hint("Register a client with that server by hand, and give its client_id in the configuration.");
}

bool is_method_of_ours(std::string_view method) {
  return method.empty() || method == kNone || method == kBasic || method == kPost;
}

Result<ClientIdentity> decode_registration(const json::Value& answer, const ServerMetadata& server,
                                           const std::string& redirect_uri) {
  ClientIdentity out;
  out.known.id = text_member(answer, "client_id");
  out.known.secret = text_member(answer, "client_secret");
  out.known.auth_method = text_member(answer, "token_endpoint_auth_method");
  if (out.known.id.empty() || out.known.id.size() > kClientBytesMax ||
      out.known.secret.size() > kClientBytesMax) {
    return registration_refused(server, "the answer has no client_id");
  }
  if (!is_method_of_ours(out.known.auth_method))
    return registration_refused(server, "it chose a way to authenticate that was not offered");
  const json::Value* expires = answer.find("client_secret_expires_at");
  const json::Number* number = expires == nullptr ? nullptr : expires->if_number();
  const std::int64_t seconds = number == nullptr ? 0 : number->as_int64().value_or(0);
  // Zero is never; what a clock cannot hold is as good.
  constexpr std::int64_t kSecondsMax = 4'102'444'800;  // The year 2100.
  if (seconds > 0 && seconds < kSecondsMax)
    out.known.secret_expires = WallTime(std::chrono::seconds(seconds));
  out.known.redirect_uri = redirect_uri;
  out.known.is_registered = true;
  return out;
}

}  // namespace

Result<ClientIdentity> configured_identity(const OAuthClient& client) {
  const auto refused = [](std::string_view why) {
    return invalid_input(why).with_code("invalid_oauth_options");
  };
  constexpr std::array kMethods = {std::string_view(), kNone, kBasic, kPost, kPrivateKey};
  if (client.id.empty()) return refused("a client needs its client_id");
  if (!client.secret.empty() && !client.private_key_pem.empty())
    return refused("a client has a secret or a private key, not both");
  if (std::find(kMethods.begin(), kMethods.end(), client.auth_method) == kMethods.end())
    return refused(fmt::format("no way to authenticate a client: {}", excerpt(client.auth_method)));
  if ((client.auth_method == kPrivateKey && client.private_key_pem.empty()) ||
      ((client.auth_method == kBasic || client.auth_method == kPost) && client.secret.empty())) {
    return refused(fmt::format("{} needs what it is made of", client.auth_method));
  }
  ClientIdentity out;
  out.known.id = client.id;
  out.known.secret = client.secret;
  out.known.auth_method = client.auth_method;
  if (!client.private_key_pem.empty()) {
    SLUICE_TRY(out.key, crypto::SigningKey::from_pem(client.private_key_pem));
    out.key_id = client.key_id;
  }
  return out;
}

Result<ClientIdentity> register_client(OAuthHttp& http, const ServerMetadata& server,
                                       const std::string& client_name, const std::string& redirect_uri,
                                       std::stop_token stop) {
  SLUICE_TRY(const fetch::Response response,
             http.post_json(*server.registration_endpoint,
                            registration_text(server, client_name, redirect_uri), stop));
  const Result<json::Value> answer = json::read(response.body, {.bytes_max = kOAuthAnswerBytesMax});
  if (!answer.ok() || !answer->is_object()) return registration_refused(server, "the answer is not JSON");
  if (response.head.status != 200 && response.head.status != 201) {
    const std::string error = text_member(*answer, "error");
    return registration_refused(server, error.empty() ? "refused" : known_error(error));
  }
  return decode_registration(*answer, server, redirect_uri);
}

void authenticate(TokenRequestParts& parts, const ClientIdentity& client, const ServerMetadata& server,
                  WallTime now) {
  const std::string_view method = method_of(client, server);
  if (method == kBasic) {
    // Both are form-encoded first (RFC 6749, section 2.3.1), so that a colon separates them.
    const std::string pair = percent_encode(client.known.id) + ":" + percent_encode(client.known.secret);
    parts.headers.emplace_back("Authorization", "Basic " + base64_encode(pair));
    return;
  }
  if (!client.known.id.empty()) parts.form.emplace_back("client_id", client.known.id);
  if (method == kPost) parts.form.emplace_back("client_secret", client.known.secret);
  if (method == kPrivateKey && client.key) {
    parts.form.emplace_back("client_assertion_type",
                            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    parts.form.emplace_back("client_assertion", assertion(client, server.issuer, now));
  }
}

}  // namespace sluice::oauth
