#include "discovery.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/json/reader.h"

namespace sluice::oauth {

namespace {

constexpr std::string_view kResourceWellKnown = "/.well-known/oauth-protected-resource";
constexpr std::string_view kServerWellKnown = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenIdWellKnown = "/.well-known/openid-configuration";

// Whether the document is there. Servers answer with 401, 403 or a page in HTML for what they do not have.
Result<bool> is_there(const fetch::Response& response, const fetch::Url& url) {
  const int status = response.head.status;
  if (status >= 500)
    return unavailable(fmt::format("authorize: {} answers its metadata with status {}", url.origin(), status))
        .with_code("oauth_metadata_invalid");
  return status == 200 && json::read(response.body, {.bytes_max = kOAuthMetadataBytesMax}).ok();
}

// The places of RFC 8414 and OpenID, in the order of the specification.
std::vector<std::string> server_places(const fetch::Url& issuer) {
  const std::string origin = issuer.origin();
  const std::string path(path_without_slash(issuer));
  std::vector<std::string> out;
  out.push_back(fmt::format("{}{}{}", origin, kServerWellKnown, path));
  out.push_back(fmt::format("{}{}{}", origin, kOpenIdWellKnown, path));
  if (!path.empty()) out.push_back(fmt::format("{}{}{}", origin, path, kOpenIdWellKnown));
  return out;
}

Error no_server(const fetch::Url& resource) {
  return unavailable(
             fmt::format("authorize: {} names no authorization server that can be used", resource.origin()))
      .with_code("oauth_no_server")
      .with_hint(
          "The server must offer protected resource metadata (RFC 9728), and its authorization server "
          "metadata of its own (RFC 8414).");
}

}  // namespace

Discovery::Discovery(OAuthHttp& http, Options options)
    : http_(http),
      options_(std::move(options)),
      loopback_(is_loopback(options_.resource) ? Loopback::kAllowed : Loopback::kRefused) {}

Result<ResourceMetadata> Discovery::resource(const std::optional<std::string>& challenge_url,
                                             std::stop_token stop) {
  if (challenge_url) {
    SLUICE_TRY(const fetch::Url url, parse_endpoint(*challenge_url, "resource_metadata", loopback_));
    SLUICE_TRY(std::optional<ResourceMetadata> found, resource_at(url, stop));
    if (!found) return no_server(options_.resource);
    return *std::move(found);
  }
  const std::string origin = options_.resource.origin();
  std::vector<std::string> places = {
      fmt::format("{}{}{}", origin, kResourceWellKnown, path_without_slash(options_.resource))};
  if (!path_without_slash(options_.resource).empty())
    places.push_back(fmt::format("{}{}", origin, kResourceWellKnown));
  for (const std::string& place : places) {
    SLUICE_TRY(const fetch::Url url, parse_endpoint(place, "the resource", loopback_));
    SLUICE_TRY(std::optional<ResourceMetadata> found, resource_at(url, stop));
    if (found) return *std::move(found);
  }
  ResourceMetadata guessed;
  guessed.resource = fmt::format("{}{}", origin, path_without_slash(options_.resource));
  guessed.authorization_servers = {origin};
  guessed.is_guessed = true;
  return guessed;
}

Result<std::optional<ResourceMetadata>> Discovery::resource_at(const fetch::Url& url, std::stop_token stop) {
  SLUICE_TRY(const fetch::Response response, http_.get(url, stop));
  SLUICE_TRY(const bool there, is_there(response, url));
  if (!there) return std::optional<ResourceMetadata>();
  SLUICE_TRY(ResourceMetadata metadata, decode_resource_metadata(response.body));
  SLUICE_CHECK(check_resource(metadata, url));
  if (metadata.authorization_servers.empty()) return no_server(options_.resource);
  return std::optional<ResourceMetadata>(std::move(metadata));
}

// The document must be about the MCP endpoint. Where it stands in a well-known place, it may also be about
// what that place stands for, if the endpoint lies beneath it: "https://host" for "https://host/mcp". A wider
// resource named from anywhere else would let one tenant of a host obtain tokens for all of them.
Status Discovery::check_resource(const ResourceMetadata& metadata, const fetch::Url& document) const {
  const auto mismatch = [] {
    return forbidden("authorize: the metadata of the resource is about another resource")
        .with_code("oauth_resource_mismatch")
        .with_hint("`resource` in the metadata must be the URL of the MCP endpoint.");
  };
  const Result<fetch::Url> resource = fetch::Url::parse(metadata.resource);
  if (!resource.ok() || metadata.resource.find('#') != std::string::npos) return mismatch();
  if (is_same_place(*resource, options_.resource)) return {};
  if (resource->origin() != options_.resource.origin() || resource->query()) return mismatch();
  const std::string_view path = path_without_slash(*resource);
  const std::string_view endpoint = options_.resource.path();
  const bool is_above = endpoint.starts_with(path) && endpoint.substr(path.size()).starts_with('/');
  const bool is_its_place = document.origin() == resource->origin() && !document.query() &&
                            path_without_slash(document) == fmt::format("{}{}", kResourceWellKnown, path);
  return is_above && is_its_place ? Status() : Status(mismatch());
}

Result<ServerMetadata> Discovery::server(const ResourceMetadata& resource, const std::string& issuer,
                                         std::stop_token stop) {
  SLUICE_TRY(const fetch::Url issuer_url, parse_endpoint(issuer, "the issuer", loopback_));
  if (issuer_url.query())
    return forbidden("authorize: an issuer has no query").with_code("oauth_endpoint_refused");
  for (const std::string& place : server_places(issuer_url)) {
    SLUICE_TRY(const fetch::Url url, parse_endpoint(place, "the issuer", loopback_));
    SLUICE_TRY(const fetch::Response response, http_.get(url, stop));
    SLUICE_TRY(const bool there, is_there(response, url));
    if (there) return decode_server_metadata(response.body, issuer, loopback_);
  }
  if (resource.is_guessed && options_.may_guess_endpoints) return guessed_server_metadata(issuer, loopback_);
  return no_server(options_.resource);
}

}  // namespace sluice::oauth
