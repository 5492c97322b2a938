#include "export_config.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"

namespace sluice::config {

namespace {

constexpr std::chrono::hours kLinkLifetimeMax{24};

bool is_origin(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!url.starts_with(scheme)) continue;
    const std::string_view rest = url.substr(scheme.size());
    return !rest.empty() && rest.find_first_of("/?#@ \t\"\\") == std::string_view::npos &&
           excerpt(rest, rest.size()) == rest;
  }
  return false;
}

Status read_downloads(YamlMap& section, ExportConfig& exports) {
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> ttl, section.duration("ttl"));
  if (ttl && (*ttl < std::chrono::seconds(1) || *ttl > kLinkLifetimeMax))
    return section.error("ttl", "must be 1s to 24h");
  if (ttl) exports.link_lifetime = std::chrono::duration_cast<std::chrono::seconds>(*ttl);
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  exports.downloads.bytes_max = bytes.value_or(exports.downloads.bytes_max);
  return section.finish();
}

Result<exports::RestOptions> read_rest(YamlMap& section, const ServerConfig& server) {
  exports::RestOptions rest;
  SLUICE_TRY(const std::optional<std::string> path, section.text("path"));
  rest.path = path.value_or(rest.path);
  const bool is_path = rest.path.starts_with('/') && rest.path.size() > 1 && !rest.path.ends_with('/') &&
                       rest.path.find_first_of("?#% ") == std::string::npos;
  if (!is_path) return section.error("path", "must begin with / and not end with it");
  if (rest.path == server.path || (server.path + "/").starts_with(rest.path + "/") ||
      (rest.path + "/").starts_with(exports::kDownloadPath))
    return section.error("path", "another interface is served there");
  SLUICE_TRY(const std::optional<std::uint64_t> rows, section.count("max_rows"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  SLUICE_TRY(const std::optional<bool> basic, section.flag("basic"));
  rest.rows_max = rows.value_or(rest.rows_max);
  rest.bytes_max = bytes.value_or(rest.bytes_max);
  rest.basic = basic.value_or(false);
  rest.public_url = server.public_url;
  SLUICE_CHECK(section.finish());
  return rest;
}

}  // namespace

Result<std::string> read_public_url(YamlMap& server) {
  SLUICE_TRY(const std::optional<std::string> url, server.text("public_url"));
  if (url && !is_origin(*url)) {
    return server.error("public_url",
                        "must be a scheme, a host and perhaps a port: https://data.example.org");
  }
  return url.value_or("");
}

Status read_exports(YamlMap& file, Config& config) {
  SLUICE_TRY(std::optional<YamlMap> downloads, file.map("downloads"));
  if (downloads) SLUICE_CHECK(read_downloads(*downloads, config.exports));
  SLUICE_TRY(std::optional<YamlMap> rest, file.map("rest"));
  if (rest) {
    SLUICE_TRY(config.exports.rest, read_rest(*rest, config.server));
  }
  return {};
}

}  // namespace sluice::config
