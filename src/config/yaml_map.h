#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

namespace sluice::config {

// Reads one mapping of a configuration file strictly. A key that nobody has read by the time of `finish` is
// unknown.
class YamlMap {
 public:
  static Result<YamlMap> of(const YAML::Node& node, std::string path, const std::string& file,
                            const Environment& environment);

  bool has(const std::string& key);      // Whether the key is there, whatever it holds.
  bool is_map(const std::string& key);   // Whether the key holds a mapping.
  bool is_list(const std::string& key);  // Whether the key holds a list.
  Result<std::optional<std::string>> text(const std::string& key);
  Result<std::optional<bool>> flag(const std::string& key);                           // true or false.
  Result<std::optional<std::uint64_t>> count(const std::string& key);                 // 5000, 4MB, 256KiB
  Result<std::optional<std::chrono::milliseconds>> duration(const std::string& key);  // 500ms, 30s, 20m, 2h
  Result<std::vector<std::string>> texts(const std::string& key);                     // A list, or one text.
  Result<std::optional<YamlMap>> map(const std::string& key);
  Result<std::vector<YamlMap>> maps(const std::string& key);
  Result<std::string> required_text(const std::string& key);
  Result<std::vector<std::string>>
  keys();  // For a mapping whose keys the operator chooses. All are then known.
  // Such a mapping of texts, in the order of the file.
  Result<std::vector<std::pair<std::string, std::string>>> pairs(const std::string& key);

  // Keys that nobody has asked for, in the order of the file.
  std::vector<std::string> unasked() const;
  // Fails on the first key that was not asked for, with the nearest one that was.
  Status finish() const;
  // Where this mapping or one of its keys stands: "sluice.yaml:12: tools.define[0].sql".
  std::string place(std::string_view key) const;
  // The error for a source whose name SQL uses for something else.
  Error reserved_name(std::string_view name) const;
  // An error at this mapping, or at one of its keys.
  Error error(std::string_view key, std::string_view what) const;

 private:
  YamlMap(const YAML::Node& node, std::string path, const std::string& file, const Environment& environment);
  YAML::Node find(const std::string& key);
  std::string path_of(std::string_view key) const;
  Result<std::string> scalar(const YAML::Node& node, std::string_view key) const;

  YAML::Node node_;
  std::string path_;
  const std::string* file_;         // Outlives the reading of the file.
  const Environment* environment_;  // Outlives it, too.
  std::vector<std::string> asked_;
};

}  // namespace sluice::config
