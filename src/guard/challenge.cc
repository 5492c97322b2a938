#include "sluice/guard/challenge.h"

#include <fmt/format.h>

#include "sluice/json/value.h"

namespace sluice::guard {
namespace {

constexpr std::string_view kMetadataPlace = "/.well-known/oauth-protected-resource";

}  // namespace

Challenges::Challenges(const AccessSpec& spec) {
  if (spec.issuers.empty()) {
    plain_ = R"(Bearer realm="sluice")";
    return;
  }
  // A resource at the root has its metadata there; its path is not repeated as a slash.
  const std::string path = spec.path == "/" ? "" : spec.path;
  metadata_path_ = fmt::format("{}{}", kMetadataPlace, path);
  resource_parameter_ = fmt::format(R"(resource_metadata="{}{}")", spec.public_url, metadata_path_);
  plain_ = "Bearer " + resource_parameter_;
  json::Object document;
  document.set("resource", spec.public_url + path);
  json::Array servers;
  for (const IssuerSpec& issuer : spec.issuers) servers.emplace_back(issuer.issuer);
  document.set("authorization_servers", std::move(servers));
  if (spec.scopes) {
    prefix_ = spec.scopes->prefix;
    plain_ += fmt::format(R"(, scope="{}{}")", prefix_, spec.scopes->read);
    document.set("scopes_supported", json::Array{json::Value(prefix_ + spec.scopes->read)});
  }
  document.set("bearer_methods_supported", json::Array{json::Value("header")});
  document.set("resource_name", "Sluice");
  metadata_ = json::to_text(document);
}

std::string Challenges::invalid_token(TokenFault fault) const {
  return fmt::format(R"({}, error="invalid_token", error_description="{}")", plain_, describe(fault));
}

std::string Challenges::insufficient_scope(const std::vector<std::string>& scopes) const {
  std::string list;
  for (const std::string& scope : scopes) list += (list.empty() ? "" : " ") + prefix_ + scope;
  return fmt::format(R"(Bearer error="insufficient_scope", scope="{}", {})", list, resource_parameter_);
}

bool Challenges::is_metadata_path(std::string_view path) const {
  return !metadata_path_.empty() && (path == metadata_path_ || path == kMetadataPlace);
}

}  // namespace sluice::guard
