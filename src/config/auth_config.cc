#include "auth_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/verification_key.h"
#include "sluice/guard/issuer_client.h"
#include "sluice/guard/token_claims.h"

#include "config_path.h"
#include "secret.h"

namespace sluice::config {
namespace {

constexpr std::size_t kIssuersMax = 16;
constexpr std::size_t kIssuerNameBytesMax = 32;
constexpr std::size_t kAudiencesMax = 32;
constexpr std::size_t kPointersMax = 8;
constexpr std::size_t kAuthScopeBytesMax = 256;
constexpr std::chrono::minutes kClockSkewMax{2};
constexpr std::chrono::hours kIntrospectionCacheMax{1};
constexpr std::array kAlgorithms = {"RS256", "RS384", "RS512", "PS256", "PS384",
                                    "PS512", "ES256", "ES384", "EdDSA"};

bool is_issuer_name(std::string_view name) {
  return !name.empty() && name.size() <= kIssuerNameBytesMax &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// RFC 6749, section 3.3.
bool is_scope_token(std::string_view text) {
  return !text.empty() && text.size() <= kAuthScopeBytesMax &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c > 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

Status read_algorithms(YamlMap& section, guard::IssuerSpec& issuer) {
  SLUICE_TRY(std::vector<std::string> names, section.texts("algorithms"));
  if (!section.has("algorithms")) names.assign(kAlgorithms.begin(), kAlgorithms.end());
  if (names.empty()) return section.error("algorithms", "must name one or more");
  for (const std::string& name : names) {
    const std::optional<crypto::JwsAlgorithm> known = crypto::parse_jws_algorithm(name);
    if (known) {
      issuer.algorithms.push_back(*known);
      continue;
    }
    const std::vector<std::string> all(kAlgorithms.begin(), kAlgorithms.end());
    const std::string near = nearest_name(name, all);
    return section.error("algorithms", near.empty() ? fmt::format("unknown algorithm: {}", excerpt(name))
                                                    : fmt::format("unknown algorithm: {}; did you mean {}?",
                                                                  excerpt(name), near));
  }
  return {};
}

Status read_token_types(YamlMap& section, guard::IssuerSpec& issuer) {
  SLUICE_TRY(const std::vector<std::string> types, section.texts("types"));
  if (!section.has("types")) {
    issuer.types = {"at+jwt", "jwt"};
    return {};
  }
  for (const std::string& type : types) issuer.types.push_back(to_lower_ascii(type));
  if (issuer.types.empty()) return section.error("types", "must name one or more");
  return {};
}

struct PointerKey {
  const char* key;
  std::vector<std::string> usual;
};

Result<std::vector<guard::ClaimPointer>> read_pointers(YamlMap& section, const PointerKey& wanted) {
  SLUICE_TRY(std::vector<std::string> texts, section.texts(wanted.key));
  if (!section.has(wanted.key)) texts = wanted.usual;
  if (texts.size() > kPointersMax)
    return section.error(wanted.key, fmt::format("at most {} places", kPointersMax));
  std::vector<guard::ClaimPointer> out;
  for (const std::string& text : texts) {
    Result<guard::ClaimPointer> pointer = guard::ClaimPointer::parse(text);
    if (!pointer.ok()) return section.error(wanted.key, pointer.error().message);
    out.push_back(*std::move(pointer));
  }
  return out;
}

Status read_audience(YamlMap& section, const Config& config, guard::IssuerSpec& issuer) {
  SLUICE_TRY(issuer.audiences, section.texts("audience"));
  if (!section.has("audience")) {
    issuer.audiences = {config.server.public_url + (config.server.path == "/" ? "" : config.server.path)};
    return {};
  }
  const bool has_empty = std::any_of(issuer.audiences.begin(), issuer.audiences.end(),
                                     [](const std::string& each) { return each.empty(); });
  if (issuer.audiences.empty() || has_empty)
    return section.error("audience", "must name one or more: tokens for anybody else are refused");
  if (issuer.audiences.size() > kAudiencesMax)
    return section.error("audience", fmt::format("at most {}", kAudiencesMax));
  return {};
}

Status read_introspection(YamlMap& section, const SecretPlace& place, guard::IssuerSpec& issuer) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("introspection"));
  if (!map) return {};
  guard::IntrospectionSpec spec;
  SLUICE_TRY(const std::optional<std::string> url, map->text("url"));
  SLUICE_TRY(const std::optional<std::string> client, map->text("client_id"));
  SLUICE_TRY(std::optional<YamlMap> secret, map->map("secret"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> cache, map->duration("cache"));
  spec.url = url.value_or("");
  if (!spec.url.empty()) {
    if (const Status good = guard::check_issuer_url(spec.url); !good.ok())
      return map->error("url", good.error().message);
  }
  spec.client_id = client.value_or(spec.client_id);
  if (spec.client_id.empty()) return map->error("client_id", "must not be empty");
  if (!secret) return map->error("secret", "required, but missing");
  SLUICE_TRY(spec.secret, read_secret(*secret, place));
  SLUICE_CHECK(secret->finish());
  spec.cache = cache.value_or(spec.cache);
  if (spec.cache > kIntrospectionCacheMax) return map->error("cache", "must be at most 1h");
  SLUICE_CHECK(map->finish());
  issuer.introspection = std::move(spec);
  return {};
}

Status read_key_place(YamlMap& section, const std::string& name, guard::IssuerSpec& issuer) {
  SLUICE_TRY(const std::optional<std::string> url, section.text("jwks_url"));
  SLUICE_TRY(const std::optional<std::string> file, section.text("jwks_file"));
  SLUICE_TRY(const std::optional<std::string> ca_file, section.text("ca_file"));
  SLUICE_TRY(const std::optional<bool> allow_private, section.flag("allow_private"));
  issuer.jwks_url = url.value_or("");
  if (file && !file->empty()) issuer.jwks_file = path_from(name, *file);
  if (!issuer.jwks_url.empty() && !issuer.jwks_file.empty())
    return section.error("jwks_file", "the keys are either at jwks_url or in jwks_file");
  if (!issuer.jwks_url.empty()) {
    if (const Status good = guard::check_issuer_url(issuer.jwks_url); !good.ok())
      return section.error("jwks_url", good.error().message);
  }
  if (ca_file && !ca_file->empty()) issuer.ca_file = path_from(name, *ca_file);
  issuer.allow_private = allow_private.value_or(false);
  return {};
}

Result<guard::IssuerSpec> read_issuer(YamlMap& section, const std::string& name,
                                      const Environment& environment, const Config& config) {
  guard::IssuerSpec issuer;
  SLUICE_TRY(issuer.name, section.required_text("name"));
  if (!is_issuer_name(issuer.name))
    return section.error("name", "must be 1 to 32 lower-case letters, digits and hyphens");
  if (issuer.name == "token" || issuer.name == "local" || issuer.name == "anonymous")
    return section.error("name", fmt::format("{} is used for other callers", issuer.name));
  SLUICE_TRY(issuer.issuer, section.required_text("issuer"));
  if (const Status good = guard::check_issuer_url(issuer.issuer); !good.ok())
    return section.error("issuer", good.error().message);
  SLUICE_CHECK(read_audience(section, config, issuer));
  SLUICE_CHECK(read_algorithms(section, issuer));
  SLUICE_CHECK(read_token_types(section, issuer));
  SLUICE_CHECK(read_key_place(section, name, issuer));
  SLUICE_TRY(issuer.scopes, read_pointers(section, {.key = "scopes", .usual = {"/scope", "/scp"}}));
  SLUICE_TRY(issuer.groups, read_pointers(section, {.key = "groups", .usual = {"/groups"}}));
  SLUICE_TRY(issuer.display,
             read_pointers(section, {.key = "display", .usual = {"/preferred_username", "/email"}}));
  SLUICE_CHECK(read_introspection(section, {.file = name, .environment = environment}, issuer));
  SLUICE_CHECK(section.finish());
  return issuer;
}

Status read_issuers(YamlMap& auth, const std::string& name, const Environment& environment, Config& config) {
  SLUICE_TRY(std::vector<YamlMap> sections, auth.maps("issuers"));
  if (sections.size() > kIssuersMax) return auth.error("issuers", fmt::format("at most {}", kIssuersMax));
  bool introspects = false;
  for (YamlMap& section : sections) {
    if (config.server.public_url.empty())
      return section.error("", "issuers need server.public_url: clients are told by it what tokens are for");
    SLUICE_TRY(guard::IssuerSpec issuer, read_issuer(section, name, environment, config));
    for (const guard::IssuerSpec& other : config.auth.issuers) {
      if (other.name == issuer.name) return section.error("name", "another issuer has this name");
      if (other.issuer == issuer.issuer) return section.error("issuer", "another entry has this issuer");
    }
    if (issuer.introspection && std::exchange(introspects, true))
      return section.error(
          "introspection",
          "only one issuer may have it: an opaque token does not say whose it is, and must not be "
          "shown to another issuer");
    config.auth.issuers.push_back(std::move(issuer));
  }
  return {};
}

Status read_scopes(YamlMap& auth, Config& config) {
  SLUICE_TRY(std::optional<YamlMap> map, auth.map("scopes"));
  if (!map) return {};
  guard::ScopeSpec scopes;
  SLUICE_TRY(const std::optional<std::string> read, map->text("read"));
  SLUICE_TRY(const std::optional<std::string> write, map->text("write"));
  SLUICE_TRY(const std::optional<std::string> prefix, map->text("prefix"));
  scopes.read = read.value_or(scopes.read);
  scopes.write = write.value_or(scopes.write);
  scopes.prefix = prefix.value_or("");
  if (!is_scope_token(scopes.read)) return map->error("read", "must be one scope, without spaces and quotes");
  if (!is_scope_token(scopes.write))
    return map->error("write", "must be one scope, without spaces and quotes");
  if (!scopes.prefix.empty() && !is_scope_token(scopes.prefix))
    return map->error("prefix", "must not have spaces and quotes");
  SLUICE_CHECK(map->finish());
  config.auth.scopes = std::move(scopes);
  return {};
}

}  // namespace

Status read_auth(YamlMap& file, const std::string& name, const Environment& environment, Config& config) {
  SLUICE_TRY(std::optional<YamlMap> auth, file.map("auth"));
  if (!auth) return {};
  SLUICE_CHECK(read_issuers(*auth, name, environment, config));
  SLUICE_CHECK(read_scopes(*auth, config));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> skew, auth->duration("clock_skew"));
  config.auth.clock_skew = skew.value_or(config.auth.clock_skew);
  if (config.auth.clock_skew > kClockSkewMax) return auth->error("clock_skew", "must be at most 2m");
  SLUICE_TRY(config.auth.denied, auth->texts("denied"));
  for (const std::string& principal : config.auth.denied) {
    if (principal.find(':') == std::string::npos)
      return auth->error(
          "denied", fmt::format("not a principal, such as corp:8f2a or token:etl: {}", excerpt(principal)));
  }
  return auth->finish();
}

guard::AccessSpec access_of(const Config& config) {
  guard::AccessSpec spec;
  spec.tokens = config.server.tokens;
  spec.issuers = config.auth.issuers;
  spec.scopes = config.auth.scopes;
  spec.clock_skew = config.auth.clock_skew;
  spec.denied = config.auth.denied;
  for (const UpstreamSpec& upstream : config.gateway.upstreams)
    spec.upstreams.push_back({.name_space = upstream.node.name, .reads = upstream.reads});
  spec.public_url = config.server.public_url;
  spec.path = config.server.path;
  return spec;
}

}  // namespace sluice::config
