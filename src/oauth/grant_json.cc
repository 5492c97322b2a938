#include "grant_json.h"

#include <cstdint>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/json/writer.h"

namespace sluice::oauth {

namespace {

constexpr std::int64_t kVersion = 1;

std::optional<std::int64_t> expiry_seconds(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
}

std::optional<WallTime> time_of(const std::optional<std::int64_t>& seconds) {
  constexpr std::int64_t kSecondsMax = 4'102'444'800;  // The year 2100.
  if (!seconds || *seconds < 0 || *seconds > kSecondsMax) return std::nullopt;
  return WallTime(std::chrono::seconds(*seconds));
}

void encode(const StoredClient& client, json::Writer& out) {
  out.begin_object()
      .field("id", client.id)
      .field("secret", client.secret)
      .field("auth_method", client.auth_method)
      .field("redirect_uri", client.redirect_uri)
      .field("is_registered", client.is_registered)
      .field_if("secret_expires", expiry_seconds(client.secret_expires))
      .end_object();
}

void encode(const StoredGrant& grant, json::Writer& out) {
  out.begin_object()
      .field("issuer", grant.issuer)
      .field("resource", grant.resource)
      .field("token_endpoint", grant.token_endpoint)
      .field("access_token", grant.access_token)
      .field("token_type", grant.token_type)
      .field("refresh_token", grant.refresh_token)
      .field("dpop_key", grant.dpop_key)
      .field_if("expires", expiry_seconds(grant.expires));
  out.key("scopes").begin_array();
  for (const std::string& scope : grant.scopes) out.string(scope);
  out.end_array().key("client");
  encode(grant.client, out);
  out.end_object();
}

Result<StoredClient> decode_client(const json::ObjectReader& in) {
  StoredClient out;
  SLUICE_TRY(out.id, in.required_string("id"));
  SLUICE_TRY(out.secret, in.required_string("secret"));
  SLUICE_TRY(out.auth_method, in.required_string("auth_method"));
  SLUICE_TRY(out.redirect_uri, in.required_string("redirect_uri"));
  SLUICE_TRY(const std::optional<bool> is_registered, in.optional_bool("is_registered"));
  out.is_registered = is_registered.value_or(false);
  SLUICE_TRY(const std::optional<std::int64_t> expires, in.optional_int("secret_expires"));
  out.secret_expires = time_of(expires);
  return out;
}

Result<StoredGrant> decode_grant(const json::Value& value) {
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, "grant"));
  StoredGrant out;
  SLUICE_TRY(out.issuer, in.required_string("issuer"));
  SLUICE_TRY(out.resource, in.required_string("resource"));
  SLUICE_TRY(out.token_endpoint, in.required_string("token_endpoint"));
  SLUICE_TRY(out.access_token, in.required_string("access_token"));
  SLUICE_TRY(out.token_type, in.required_string("token_type"));
  SLUICE_TRY(out.refresh_token, in.required_string("refresh_token"));
  SLUICE_TRY(out.dpop_key, in.required_string("dpop_key"));
  SLUICE_TRY(out.scopes, in.optional_strings("scopes"));
  SLUICE_TRY(const std::optional<std::int64_t> expires, in.optional_int("expires"));
  out.expires = time_of(expires);
  SLUICE_TRY(const json::ObjectReader client, in.required_object("client"));
  SLUICE_TRY(out.client, decode_client(client));
  return out;
}

Result<std::vector<StoredGrant>> read_grants(std::string_view text) {
  SLUICE_TRY(const json::Value document, json::read(text, {.bytes_max = kTokenStoreBytesMax}));
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(document, "tokens"));
  SLUICE_TRY(const std::optional<std::int64_t> version, in.optional_int("version"));
  if (version != kVersion) return unsupported("another version");
  SLUICE_TRY(const json::Array* grants, in.required_array("grants"));
  std::vector<StoredGrant> out;
  for (const json::Value& each : *grants) {
    SLUICE_TRY(StoredGrant grant, decode_grant(each));
    out.push_back(std::move(grant));
  }
  return out;
}

}  // namespace

std::string encode_grants(const std::vector<StoredGrant>& grants) {
  json::Writer out;
  out.begin_object().field("version", kVersion).key("grants").begin_array();
  for (const StoredGrant& grant : grants) encode(grant, out);
  out.end_array().end_object();
  return std::move(out).take() + "\n";
}

Result<std::vector<StoredGrant>> decode_grants(std::string_view text) {
  Result<std::vector<StoredGrant>> grants = read_grants(text);
  if (grants.ok()) return grants;
  return unavailable("read stored tokens: the file is not what it should be")
      .with_code("token_store_broken")
      .with_hint("Remove tokens.json; users have to agree again.");
}

}  // namespace sluice::oauth
