#include "named_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/contents/contents.h"

#include "config_path.h"

namespace sluice::config {

namespace {

// Text and small pictures come whole in any case, and base64 needs a third more than its bytes.
constexpr std::uint64_t kBinaryBytesMin = contents::kContentBytesMax;
constexpr std::uint64_t kBinaryBytesMax = std::uint64_t{64} << 20U;

// What a folder is called: "docs" for "data/docs/" and for "." within it.
std::string folder_name(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  const std::filesystem::path last = absolute.has_filename() ? absolute : absolute.parent_path();
  return last.filename().string();
}

bool is_segment(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= kFileNameBytesMax &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos &&
         is_valid_utf8(name);
}

}  // namespace

Result<std::vector<NamedFolder>> read_named_folders(YamlMap& config, const std::string& key,
                                                    const std::string& file) {
  SLUICE_TRY(std::vector<YamlMap> sections, config.maps(key));
  std::vector<NamedFolder> folders;
  for (YamlMap& section : sections) {
    NamedFolder folder;
    SLUICE_TRY(const std::string path, section.required_text("path"));
    folder.path = path_from(file, path);
    SLUICE_TRY(std::optional<std::string> given, section.text("name"));
    folder.name = given ? *std::move(given) : folder_name(folder.path);
    if (!is_segment(folder.name)) return section.error("name", "must be a name without a slash");
    const bool is_taken = std::any_of(folders.begin(), folders.end(),
                                      [&](const NamedFolder& other) { return other.name == folder.name; });
    if (is_taken)
      return section.error("name", fmt::format("another folder is called {}", excerpt(folder.name)));
    SLUICE_TRY(folder.ttl, section.duration("ttl"));
    if (key == "files") {
      SLUICE_TRY(folder.binary_bytes, section.count("binary_bytes"));
    }
    if (folder.binary_bytes &&
        (*folder.binary_bytes < kBinaryBytesMin || *folder.binary_bytes > kBinaryBytesMax))
      return section.error("binary_bytes", "must be 100KiB to 64MiB");
    SLUICE_CHECK(section.finish());
    folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace sluice::config
