#include "secret.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/config/config_file.h"

#include "config_path.h"

namespace sluice::config {
namespace {

Result<std::string> read_secret_file(const YamlMap& map, const std::string& path) {
  namespace filesystem = std::filesystem;
  std::error_code reason;
  const filesystem::perms mode = filesystem::status(path, reason).permissions();
  constexpr filesystem::perms kForeign = filesystem::perms::group_write | filesystem::perms::others_write;
  if (!reason && (mode & kForeign) != filesystem::perms::none)
    return map.error("file", fmt::format("its group or others may write this file; chmod go-w {}", path));
  Result<std::string> text = read_config_file(path);
  if (!text.ok()) return map.error("file", text.error().message);
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  if (text->empty()) return map.error("file", fmt::format("the file is empty: {}", path));
  return text;
}

}  // namespace

void add_secret_files(const YAML::Node& node, std::vector<std::string>& paths) {
  constexpr std::size_t kSecretFilesMax = 256;
  if (!node.IsDefined() || paths.size() >= kSecretFilesMax) return;
  if (node.IsSequence()) {
    for (const YAML::Node& each : node) add_secret_files(each, paths);
  } else if (node.IsMap()) {
    for (const auto& entry : node) {
      const bool is_path =
          entry.first.IsScalar() && entry.first.Scalar() == "file" && entry.second.IsScalar();
      if (is_path) paths.push_back(entry.second.Scalar());
      if (!is_path) add_secret_files(entry.second, paths);
    }
  }
}

Result<std::string> read_secret(YamlMap& map, const SecretPlace& place) {
  SLUICE_TRY(const std::optional<std::string> file, map.text("file"));
  if (!file) return read_secret(map, place.environment);
  if (map.has("env")) return map.error("file", "a secret is in env or in file, not in both");
  return read_secret_file(map, path_from(place.file, *file));
}

Result<std::string> read_secret(YamlMap& map, const Environment& environment) {
  SLUICE_TRY(const std::string name, map.required_text("env"));
  std::optional<std::string> secret = environment(name);
  if (!secret || secret->empty())
    return map.error("env", fmt::format("the environment variable {} is not set", name));
  return *std::move(secret);
}

}  // namespace sluice::config
