#include "api_config.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/apis/apis_provider.h"
#include "sluice/base/text.h"

#include "config_path.h"

namespace sluice::config {

namespace {

using apis::ApiSpec;
using apis::EndpointSpec;
using apis::ParameterSpec;

constexpr std::size_t kApisMax = 64;
constexpr std::uint64_t kResponseBytesMin = 1'024;
constexpr std::uint64_t kResponseBytesMax = std::uint64_t{32} * 1024 * 1024;
constexpr std::chrono::milliseconds kPollMin{1'000};
constexpr std::chrono::milliseconds kApiTimeoutMin{100};
constexpr std::chrono::milliseconds kApiTimeoutMax{300'000};

Result<std::vector<ParameterSpec>> read_api_parameters(YamlMap& section) {
  std::vector<ParameterSpec> out;
  SLUICE_TRY(std::optional<YamlMap> map, section.map("parameters"));
  if (!map) return out;
  SLUICE_TRY(const std::vector<std::string> names, map->keys());
  for (const std::string& name : names) {
    ParameterSpec parameter;
    parameter.name = name;
    SLUICE_TRY(std::optional<YamlMap> given, map->map(name));
    if (given) {
      SLUICE_TRY(parameter.values, given->texts("values"));
      SLUICE_TRY(const std::optional<bool> required, given->flag("required"));
      SLUICE_TRY(std::optional<std::string> description, given->text("description"));
      parameter.required = required.value_or(false);
      parameter.description = std::move(description).value_or("");
      SLUICE_CHECK(given->finish());
    }
    out.push_back(std::move(parameter));
  }
  SLUICE_CHECK(map->finish());
  return out;
}

Result<EndpointSpec> read_api_endpoint(YamlMap& section) {
  EndpointSpec endpoint;
  SLUICE_TRY(endpoint.name, section.required_text("name"));
  SLUICE_TRY(endpoint.path, section.required_text("path"));
  SLUICE_TRY(std::optional<std::string> description, section.text("description"));
  endpoint.description = std::move(description).value_or("");
  SLUICE_TRY(std::optional<std::string> mime_type, section.text("mime_type"));
  endpoint.mime_type = std::move(mime_type).value_or("");
  SLUICE_TRY(endpoint.query, section.pairs("query"));
  SLUICE_TRY(endpoint.parameters, read_api_parameters(section));
  SLUICE_TRY(std::optional<YamlMap> pagination, section.map("pagination"));
  if (pagination) {
    SLUICE_TRY(endpoint.next, pagination->required_text("next"));
    SLUICE_CHECK(pagination->finish());
  }
  SLUICE_CHECK(section.finish());
  return endpoint;
}

Status read_api_limits(YamlMap& section, ApiSpec& api) {
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> ttl, section.duration("ttl"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> poll, section.duration("poll"));
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> timeout, section.duration("timeout"));
  SLUICE_TRY(const std::optional<std::uint64_t> bytes, section.count("max_bytes"));
  if (poll && *poll < kPollMin) return section.error("poll", "must be 1s or more");
  if (timeout && (*timeout < kApiTimeoutMin || *timeout > kApiTimeoutMax))
    return section.error("timeout", "must be 100ms to 5m");
  if (bytes && (*bytes < kResponseBytesMin || *bytes > kResponseBytesMax))
    return section.error("max_bytes", "must be 1KiB to 32MiB");
  api.ttl = ttl.value_or(api.ttl);
  api.poll = poll.value_or(api.poll);
  api.timeout = timeout.value_or(api.timeout);
  api.bytes_max = static_cast<std::size_t>(bytes.value_or(api.bytes_max));
  return {};
}

Result<ApiSpec> read_api(YamlMap& section, const std::string& file) {
  ApiSpec api;
  SLUICE_TRY(api.name, section.required_text("name"));
  SLUICE_TRY(api.base, section.required_text("base"));
  SLUICE_TRY(api.headers, section.pairs("headers"));
  SLUICE_TRY(const std::optional<bool> allow_private, section.flag("allow_private"));
  api.allow_private = allow_private.value_or(false);
  SLUICE_TRY(api.allowed_origins, section.texts("allowed_origins"));
  SLUICE_TRY(const std::optional<std::string> ca_file, section.text("ca_file"));
  if (ca_file) api.ca_file = path_from(file, *ca_file);
  SLUICE_TRY(std::optional<std::string> proxy, section.text("proxy"));
  api.proxy = std::move(proxy).value_or("");
  SLUICE_CHECK(read_api_limits(section, api));
  SLUICE_TRY(std::vector<YamlMap> endpoints, section.maps("endpoints"));
  for (YamlMap& each : endpoints) {
    SLUICE_TRY(EndpointSpec endpoint, read_api_endpoint(each));
    api.endpoints.push_back(std::move(endpoint));
  }
  SLUICE_CHECK(section.finish());
  if (const Status status = apis::check_spec(api); !status.ok())
    return section.error("", status.error().message);
  return api;
}

}  // namespace

Result<std::vector<ApiSpec>> read_apis(YamlMap& config, const std::string& name) {
  SLUICE_TRY(std::vector<YamlMap> sections, config.maps("apis"));
  if (sections.size() > kApisMax) return config.error("apis", fmt::format("at most {}", kApisMax));
  std::vector<ApiSpec> out;
  for (YamlMap& section : sections) {
    SLUICE_TRY(ApiSpec api, read_api(section, name));
    const bool is_taken =
        std::any_of(out.begin(), out.end(), [&](const ApiSpec& other) { return other.name == api.name; });
    if (is_taken) return section.error("name", fmt::format("another API is called {}", excerpt(api.name)));
    out.push_back(std::move(api));
  }
  return out;
}

}  // namespace sluice::config
