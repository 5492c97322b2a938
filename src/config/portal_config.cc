#include "portal_config.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/ckan/ckan_provider.h"

#include "config_path.h"
#include "secret.h"

namespace sluice::config {

namespace {

using ckan::CkanSpec;
using ckan::PortalSpec;

constexpr std::uint64_t kRateMax = 1'000'000;
constexpr std::uint64_t kAnswerBytesMin = 1'024;
constexpr std::uint64_t kAnswerBytesMax = std::uint64_t{64} * 1024 * 1024;
constexpr std::uint64_t kCharactersMax = 10'000'000;
constexpr std::chrono::milliseconds kPortalTimeoutMin{100};
constexpr std::chrono::milliseconds kPortalTimeoutMax{3'600'000};

Status read_rate(YamlMap& section, PortalSpec& portal) {
  SLUICE_TRY(const std::optional<std::uint64_t> rate, section.count("rate"));
  SLUICE_TRY(const std::optional<std::uint64_t> burst, section.count("burst"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> wait, section.duration("wait"));
  for (const auto& [key, value] : {std::pair("rate", rate), std::pair("burst", burst)}) {
    if (value && (*value == 0 || *value > kRateMax))
      return section.error(key, fmt::format("must be 1 to {}", kRateMax));
  }
  portal.has_own_rate = rate || burst || wait;
  if (rate) portal.rate.per_second = static_cast<double>(*rate);
  if (burst) portal.rate.burst = static_cast<double>(*burst);
  portal.rate.wait_max = wait.value_or(portal.rate.wait_max);
  return {};
}

Result<PortalSpec> read_portal(YamlMap& section, const std::string& file, const Environment& environment) {
  PortalSpec portal;
  SLUICE_TRY(portal.host, section.required_text("host"));
  SLUICE_TRY(std::optional<std::string> base, section.text("base"));
  portal.base = std::move(base).value_or("");
  SLUICE_TRY(portal.aliases, section.texts("aliases"));
  SLUICE_TRY(std::optional<std::string> api_path, section.text("api_path"));
  portal.api_path = std::move(api_path).value_or(portal.api_path);
  SLUICE_TRY(const std::optional<bool> allow_private, section.flag("allow_private"));
  portal.allow_private = allow_private.value_or(false);
  SLUICE_TRY(const std::optional<std::string> ca_file, section.text("ca_file"));
  if (ca_file) portal.ca_file = path_from(file, *ca_file);
  SLUICE_TRY(portal.origins, section.texts("origins"));
  SLUICE_TRY(portal.text_field, section.flag("text_field"));
  SLUICE_TRY(std::optional<std::string> hvd_field, section.text("hvd_field"));
  portal.hvd_field = std::move(hvd_field).value_or("");
  SLUICE_TRY(std::optional<std::string> dataset_url, section.text("dataset_url"));
  portal.dataset_url = std::move(dataset_url).value_or("");
  SLUICE_TRY(std::optional<std::string> organization_url, section.text("organization_url"));
  portal.organization_url = std::move(organization_url).value_or("");
  SLUICE_TRY(std::optional<YamlMap> token, section.map("token"));
  if (token) {
    SLUICE_TRY(portal.token, read_secret(*token, environment));
    SLUICE_CHECK(token->finish());
  }
  SLUICE_CHECK(read_rate(section, portal));
  SLUICE_CHECK(section.finish());
  return portal;
}

Status read_bounds(YamlMap& section, CkanSpec& spec) {
  SLUICE_TRY(const std::optional<std::uint64_t> characters, section.count("character_limit"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  SLUICE_TRY(const std::optional<std::uint64_t> file_bytes, section.count("max_file_bytes"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> timeout, section.duration("timeout"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> file_timeout, section.duration("file_timeout"));
  SLUICE_TRY(spec.file_hosts, section.texts("file_hosts"));
  SLUICE_TRY(spec.tools, section.texts("tools"));
  if (characters && (*characters < 2 || *characters > kCharactersMax))
    return section.error("character_limit", fmt::format("must be 2 to {}", kCharactersMax));
  if (bytes && (*bytes < kAnswerBytesMin || *bytes > kAnswerBytesMax))
    return section.error("max_bytes", "must be 1KiB to 64MiB");
  for (const auto& [key, value] : {std::pair("timeout", timeout), std::pair("file_timeout", file_timeout)}) {
    if (value && (*value < kPortalTimeoutMin || *value > kPortalTimeoutMax))
      return section.error(key, "must be 100ms to 1h");
  }
  spec.characters_max = static_cast<std::size_t>(characters.value_or(spec.characters_max));
  spec.bytes_max = static_cast<std::size_t>(bytes.value_or(spec.bytes_max));
  spec.file_bytes_max = file_bytes.value_or(spec.file_bytes_max);
  spec.timeout = timeout.value_or(spec.timeout);
  spec.file_timeout = file_timeout.value_or(spec.file_timeout);
  return section.finish();
}

std::string proxy_variable(const Environment& environment, const std::string& upper) {
  std::optional<std::string> value = environment(upper);
  if (!value) value = environment(to_lower_ascii(upper));
  return std::move(value).value_or("");
}

void read_proxies(const Environment& environment, CkanSpec& spec) {
  spec.https_proxy = proxy_variable(environment, "HTTPS_PROXY");
  spec.http_proxy = proxy_variable(environment, "HTTP_PROXY");
  std::string_view rest;
  const std::string direct = proxy_variable(environment, "NO_PROXY");
  rest = direct;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (const std::string_view host = trim_spaces(part); !host.empty()) spec.no_proxy.emplace_back(host);
  }
}

}  // namespace

Result<std::optional<CkanSpec>> read_portals(YamlMap& config, const std::string& name,
                                             const Environment& environment) {
  CkanSpec spec;
  const bool is_there = config.has("portals");
  SLUICE_TRY(std::vector<YamlMap> sections, config.maps("portals"));
  SLUICE_TRY(const std::optional<bool> only, config.flag("portals_only"));
  SLUICE_TRY(std::optional<YamlMap> bounds, config.map("ckan"));
  if (!is_there) {
    if (only || bounds) return config.error(only ? "portals_only" : "ckan", "needs `portals`");
    return std::optional<CkanSpec>();
  }
  spec.portals_only = only.value_or(false);
  for (YamlMap& section : sections) {
    SLUICE_TRY(PortalSpec portal, read_portal(section, name, environment));
    spec.portals.push_back(std::move(portal));
    if (const Status status = ckan::check_spec(spec); !status.ok())
      return section.error("", status.error().message);
  }
  if (bounds) SLUICE_CHECK(read_bounds(*bounds, spec));
  read_proxies(environment, spec);
  if (const Status status = ckan::check_spec(spec); !status.ok())
    return config.error("portals", status.error().message);
  return std::optional(std::move(spec));
}

}  // namespace sluice::config
