#include "secret.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sluice::config {

Result<std::string> read_secret(YamlMap& map, const Environment& environment) {
  SLUICE_TRY(const std::string name, map.required_text("env"));
  std::optional<std::string> secret = environment(name);
  if (!secret || secret->empty())
    return map.error("env", fmt::format("the environment variable {} is not set", name));
  return *std::move(secret);
}

}  // namespace sluice::config
