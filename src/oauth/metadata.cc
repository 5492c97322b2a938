#include "metadata.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"

namespace sluice::oauth {

namespace {

constexpr std::size_t kListItemsMax = 1'024;

Error invalid_metadata(std::string_view what) {
  return unavailable(fmt::format("authorize: {}", what)).with_code("oauth_metadata_invalid");
}

Result<json::Value> read_object(std::string_view text) {
  Result<json::Value> value = json::read(text, {.bytes_max = kOAuthMetadataBytesMax});
  if (!value.ok() || !value->is_object()) return invalid_metadata("the metadata is not a JSON object");
  return value;
}

// The texts of a list. What is no text is left out, an absent list is empty.
std::vector<std::string> texts_of(const json::Value& document, std::string_view key) {
  std::vector<std::string> out;
  const json::Value* value = document.find(key);
  const json::Array* array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) return out;
  for (const json::Value& each : *array) {
    if (out.size() == kListItemsMax) break;
    if (const std::string* text = each.if_string()) out.push_back(*text);
  }
  return out;
}

std::optional<std::string> text_of(const json::Value& document, std::string_view key) {
  const json::Value* value = document.find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::nullopt : std::optional<std::string>(*text);
}

bool is_true(const json::Value& document, std::string_view key) {
  const json::Value* value = document.find(key);
  const bool* flag = value == nullptr ? nullptr : value->if_bool();
  return flag != nullptr && *flag;
}

Scopes scopes_of(const json::Value& document) {
  Scopes out;
  add_scopes(out, texts_of(document, "scopes_supported"));
  return out;
}

Result<std::optional<fetch::Url>> endpoint_of(const json::Value& document, std::string_view key,
                                              Loopback loopback) {
  const std::optional<std::string> text = text_of(document, key);
  if (!text) return std::optional<fetch::Url>();
  SLUICE_TRY(fetch::Url url, parse_endpoint(*text, key, loopback));
  return std::optional<fetch::Url>(std::move(url));
}

}  // namespace

bool is_among(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Result<ResourceMetadata> decode_resource_metadata(std::string_view text) {
  SLUICE_TRY(const json::Value document, read_object(text));
  ResourceMetadata out;
  const std::optional<std::string> resource = text_of(document, "resource");
  if (!resource) return invalid_metadata("the metadata of the resource does not name it");
  out.resource = *resource;
  out.authorization_servers = texts_of(document, "authorization_servers");
  if (out.authorization_servers.size() > kOAuthServersMax) out.authorization_servers.resize(kOAuthServersMax);
  out.scopes_supported = scopes_of(document);
  out.requires_dpop = is_true(document, "dpop_bound_access_tokens_required");
  return out;
}

Result<ServerMetadata> decode_server_metadata(std::string_view text, const std::string& issuer,
                                              Loopback loopback) {
  SLUICE_TRY(const json::Value document, read_object(text));
  ServerMetadata out;
  // Compared as it is: two spellings of one URL are two issuers (RFC 8414, section 3.3).
  if (text_of(document, "issuer") != issuer)
    return forbidden("authorize: the metadata of the authorization server names another issuer")
        .with_code("oauth_issuer_mismatch")
        .with_hint(
            "The server's `issuer` and `authorization_servers` of the resource must be the same text.");
  out.issuer = issuer;
  SLUICE_TRY(out.authorization_endpoint, endpoint_of(document, "authorization_endpoint", loopback));
  SLUICE_TRY(const std::optional<fetch::Url> token, endpoint_of(document, "token_endpoint", loopback));
  if (!token) return invalid_metadata("the authorization server names no token endpoint");
  out.token_endpoint = *token;
  SLUICE_TRY(out.registration_endpoint, endpoint_of(document, "registration_endpoint", loopback));
  // Nothing is obtained there: one that may not be used is no reason to refuse the server.
  if (Result<std::optional<fetch::Url>> revocation = endpoint_of(document, "revocation_endpoint", loopback);
      revocation.ok())
    out.revocation_endpoint = *std::move(revocation);
  out.code_challenge_methods = texts_of(document, "code_challenge_methods_supported");
  if (document.find("token_endpoint_auth_methods_supported") != nullptr)
    out.auth_methods = texts_of(document, "token_endpoint_auth_methods_supported");
  out.dpop_algorithms = texts_of(document, "dpop_signing_alg_values_supported");
  out.scopes_supported = scopes_of(document);
  out.sends_issuer = is_true(document, "authorization_response_iss_parameter_supported");
  out.takes_client_documents = is_true(document, "client_id_metadata_document_supported");
  return out;
}

Result<ServerMetadata> guessed_server_metadata(const std::string& origin, Loopback loopback) {
  ServerMetadata out;
  out.issuer = origin;
  SLUICE_TRY(out.authorization_endpoint, parse_endpoint(origin + "/authorize", "the resource", loopback));
  SLUICE_TRY(out.token_endpoint, parse_endpoint(origin + "/token", "the resource", loopback));
  SLUICE_TRY(out.registration_endpoint, parse_endpoint(origin + "/register", "the resource", loopback));
  out.code_challenge_methods = {"S256"};  // Required of every server of that revision.
  return out;
}

}  // namespace sluice::oauth
