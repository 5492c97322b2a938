#include "sluice/guard/issuer_client.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/fetch/address.h"
#include "sluice/fetch/policy.h"
#include "sluice/fs/file.h"
#include "sluice/fs/root.h"
#include "sluice/json/reader.h"

namespace sluice::guard {
namespace {

constexpr std::chrono::seconds kMaxAgeMin{300};
constexpr std::chrono::seconds kMaxAgeMax{86'400};
constexpr std::chrono::seconds kMaxAgeDefault{3'600};

bool is_on_loopback(const fetch::Url& url) {
  if (const std::optional<fetch::Address> address = url.address())
    return fetch::classify(*address) == fetch::AddressKind::kLoopback;
  return url.host() == "localhost" || url.host().ends_with(".localhost");
}

Error metadata_error(const IssuerSpec& spec, std::string_view why) {
  return unavailable(fmt::format("read the metadata of the issuer {}: {}", spec.issuer, why))
      .with_code("invalid_issuer_metadata");
}

// For how long a response may be used: `max-age` of Cache-Control, within bounds.
std::chrono::milliseconds max_age_of(const fetch::Headers& headers) {
  const std::string* control = fetch::find_header(headers, "cache-control");
  if (control == nullptr) return kMaxAgeDefault;
  const std::string text = to_lower_ascii(*control);
  if (text.find("no-store") != std::string::npos || text.find("no-cache") != std::string::npos)
    return kMaxAgeMin;
  constexpr std::string_view kName = "max-age=";
  const std::size_t at = text.find(kName);
  if (at == std::string::npos) return kMaxAgeDefault;
  std::uint64_t seconds = 0;
  const char* begin = text.data() + at + kName.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), seconds);
  if (error == std::errc::result_out_of_range) return kMaxAgeMax;
  if (error != std::errc{}) return kMaxAgeDefault;
  return std::clamp(std::chrono::seconds(std::min<std::uint64_t>(seconds, kMaxAgeMax.count())), kMaxAgeMin,
                    kMaxAgeMax);
}

// The places of OpenID Connect Discovery and RFC 8414, of which the second puts the path behind the name.
std::vector<std::string> metadata_places(const fetch::Url& issuer) {
  std::string_view path = issuer.path();
  if (path.ends_with('/')) path.remove_suffix(1);
  return {fmt::format("{}{}/.well-known/openid-configuration", issuer.origin(), path),
          fmt::format("{}/.well-known/oauth-authorization-server{}", issuer.origin(), path)};
}

// Links are followed, as of mounted secrets; pipes and devices are refused.
Result<std::string> read_key_file(const std::string& path) {
  const auto refused = [&] {
    return unavailable(fmt::format("read a key set: the file cannot be read: {}", path))
        .with_code("invalid_key_set");
  };
  std::error_code reason;
  const std::filesystem::path found = std::filesystem::canonical(path, reason);
  if (reason) return refused();
  const Result<fs::Root> folder = fs::Root::open(found.parent_path().string());
  if (!folder.ok()) return refused();
  const Result<fs::File> file = folder->open_beneath(found.filename().string());
  if (!file.ok()) return refused();
  Result<std::string> text = file->read_all(kKeySetBytesMax);
  if (!text.ok()) return refused();
  return text;
}

std::string text_or_empty(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : *text;
}

}  // namespace

Status check_issuer_url(const std::string& url) {
  const Result<fetch::Url> parsed = fetch::Url::parse(url);
  if (parsed.ok() && (parsed->is_https() || is_on_loopback(*parsed))) return {};
  return invalid_input(fmt::format("must be an https URL; http is for identity providers on this machine: {}",
                                   excerpt(url)))
      .with_code("invalid_issuer_url");
}

IssuerClient::IssuerClient(IssuerSpec spec, std::unique_ptr<fetch::Client> client, const Clock& clock)
    : spec_(std::move(spec)), client_(std::move(client)), clock_(clock) {}

Result<std::unique_ptr<IssuerClient>> IssuerClient::create(IssuerSpec spec, const Clock& clock) {
  fetch::Policy policy;
  const Result<fetch::Url> issuer = fetch::Url::parse(spec.issuer);
  policy.allow_private = spec.allow_private || (issuer.ok() && is_on_loopback(*issuer));
  policy.ca_file = spec.ca_file;
  SLUICE_TRY(std::unique_ptr<fetch::Client> client, fetch::Client::create(std::move(policy), clock));
  return std::unique_ptr<IssuerClient>(new IssuerClient(std::move(spec), std::move(client), clock));
}

Result<IssuerKeys> IssuerClient::load(std::stop_token stop) {
  const Monotonic deadline = clock_.now() + kIssuerTimeout;
  IssuerKeys out;
  if (!spec_.jwks_file.empty()) {
    SLUICE_TRY(const std::string text, read_key_file(spec_.jwks_file));
    SLUICE_TRY(out.keys, KeySet::parse(text));
    out.max_age = kMaxAgeMin;
    return out;
  }
  std::string keys_url = spec_.jwks_url;
  const bool wants_endpoint = spec_.introspection && spec_.introspection->url.empty();
  if (keys_url.empty() || wants_endpoint) {
    SLUICE_TRY(Metadata metadata, discover(deadline, stop));
    if (keys_url.empty()) keys_url = std::move(metadata.jwks_uri);
    out.introspection_endpoint = std::move(metadata.introspection_endpoint);
  }
  SLUICE_TRY(const fetch::Response response, get(keys_url, deadline, stop));
  if (response.head.status != 200)
    return unavailable(
               fmt::format("read the keys of the issuer {}: status {}", spec_.issuer, response.head.status))
        .with_code("invalid_key_set");
  SLUICE_TRY(out.keys, KeySet::parse(response.body));
  out.max_age = max_age_of(response.head.headers);
  return out;
}

Result<IssuerClient::Metadata> IssuerClient::discover(Monotonic deadline, std::stop_token stop) {
  SLUICE_TRY(const fetch::Url issuer, fetch::Url::parse(spec_.issuer));
  std::optional<Error> failure;
  for (const std::string& place : metadata_places(issuer)) {
    Result<fetch::Response> response = get(place, deadline, stop);
    if (!response.ok()) {
      if (!failure) failure = std::move(response).error();
      continue;
    }
    const Result<json::Value> document = json::read(response->body, {.bytes_max = kKeySetBytesMax});
    if (response->head.status != 200 || !document.ok() || !document->is_object()) continue;
    const std::string named = text_or_empty(*document, "issuer");
    if (named != spec_.issuer) {
      const bool only_slash = named + "/" == spec_.issuer || named == spec_.issuer + "/";
      return metadata_error(
          spec_, only_slash
                     ? fmt::format("it calls itself {}; only a slash at the end differs", excerpt(named))
                     : fmt::format("it calls itself {}", excerpt(named)));
    }
    Metadata metadata{.jwks_uri = text_or_empty(*document, "jwks_uri"),
                      .introspection_endpoint = text_or_empty(*document, "introspection_endpoint")};
    if (metadata.jwks_uri.empty()) return metadata_error(spec_, "it names no `jwks_uri`");
    return metadata;
  }
  if (failure) return *std::move(failure);
  return metadata_error(spec_,
                        "it has none at /.well-known/openid-configuration or oauth-authorization-server");
}

Result<fetch::Response> IssuerClient::get(const std::string& url, Monotonic deadline, std::stop_token stop) {
  SLUICE_CHECK(check_issuer_url(url));
  fetch::Request request;
  SLUICE_TRY(request.url, fetch::Url::parse(url));
  request.headers = {{"Accept", "application/json"}};
  request.limits.bytes_max = kKeySetBytesMax;
  request.limits.redirects_max = 0;
  request.limits.total = kIssuerTimeout;
  request.deadline = deadline;
  request.stop = std::move(stop);
  return client_->send(request);
}

Result<std::string> IssuerClient::introspect(const std::string& token, const std::string& endpoint,
                                             std::stop_token stop) {
  const std::string& url = spec_.introspection->url.empty() ? endpoint : spec_.introspection->url;
  if (url.empty()) return metadata_error(spec_, "it names no `introspection_endpoint`");
  SLUICE_CHECK(check_issuer_url(url));
  fetch::Request request;
  SLUICE_TRY(request.url, fetch::Url::parse(url));
  request.method = "POST";
  request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}};
  // RFC 6749, section 2.3.1: both are encoded as in a form before they are joined.
  const std::string client =
      percent_encode(spec_.introspection->client_id) + ":" + percent_encode(spec_.introspection->secret);
  request.credentials = {.origin = request.url.origin(),
                         .headers = {{"Authorization", "Basic " + base64_encode(client)}}};
  request.body = "token=" + percent_encode(token) + "&token_type_hint=access_token";
  request.limits.bytes_max = kKeySetBytesMax;
  request.limits.redirects_max = 0;
  request.limits.total = kIssuerTimeout;
  request.stop = std::move(stop);
  SLUICE_TRY(fetch::Response response, client_->send(request));
  if (response.head.status != 200)
    return unavailable(
               fmt::format("introspect a token at {}: status {}", request.url.origin(), response.head.status))
        .with_code("introspection_refused");
  return std::move(response.body);
}

}  // namespace sluice::guard
