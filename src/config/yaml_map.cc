#include "yaml_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "substitute.h"

namespace sluice::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<Unit, 9> kSizes{Unit{"", 1},
                                     Unit{"B", 1},
                                     Unit{"KB", 1'000},
                                     Unit{"MB", 1'000'000},
                                     Unit{"GB", 1'000'000'000},
                                     Unit{"KiB", 1024},
                                     Unit{"MiB", 1024 * 1024},
                                     Unit{"GiB", 1024ULL * 1024 * 1024},
                                     Unit{"TB", 1'000'000'000'000}};
constexpr std::array<Unit, 4> kDurations{Unit{"ms", 1}, Unit{"s", 1'000}, Unit{"m", 60'000},
                                         Unit{"h", 3'600'000}};

// "20m" with the units of `units`; nothing where it is not a number and a unit, or too large.
template <std::size_t N>
std::optional<std::uint64_t> parse_quantity(std::string_view text, const std::array<Unit, N>& units) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  for (const Unit& unit : units) {
    if (unit.name != rest) continue;
    if (number > UINT64_MAX / unit.factor) return std::nullopt;
    return number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

YamlMap::YamlMap(const YAML::Node& node, std::string path, const std::string& file,
                 const Environment& environment)
    : node_(node), path_(std::move(path)), file_(&file), environment_(&environment) {}

std::string YamlMap::path_of(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + std::string(key);
  return fmt::format("{}.{}", path_, key);
}

std::string YamlMap::place(std::string_view key) const {
  const YAML::Node child = key.empty() ? YAML::Node() : node_[std::string(key)];
  const int line = (child.IsDefined() && !key.empty() ? child.Mark().line : node_.Mark().line) + 1;
  return fmt::format("{}:{}: {}", *file_, line, path_of(key));
}

Error YamlMap::error(std::string_view key, std::string_view what) const {
  return invalid_input(fmt::format("{}: {}", place(key), what)).with_code("invalid_configuration");
}

Error YamlMap::reserved_name(std::string_view name) const {
  return error("name", fmt::format("{} is a name that SQL uses for something else", excerpt(name)))
      .with_code("reserved_name")
      .with_hint("Give it another `name`; handle, records, main, temp and system are reserved.");
}

Result<YamlMap> YamlMap::of(const YAML::Node& node, std::string path, const std::string& file,
                            const Environment& environment) {
  YamlMap map(node, std::move(path), file, environment);
  if (!node.IsMap() && !node.IsNull()) {
    return invalid_input(fmt::format("{}:{}: {}: expected a mapping", file, node.Mark().line + 1,
                                     map.path_.empty() ? "the file" : map.path_))
        .with_code("invalid_configuration");
  }
  return map;
}

bool YamlMap::has(const std::string& key) { return find(key).IsDefined(); }

bool YamlMap::is_map(const std::string& key) {
  const YAML::Node node = find(key);
  return node.IsDefined() && node.IsMap();
}

bool YamlMap::is_list(const std::string& key) {
  const YAML::Node node = find(key);
  return node.IsDefined() && node.IsSequence();
}

YAML::Node YamlMap::find(const std::string& key) {
  asked_.push_back(key);
  if (!node_.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  return std::as_const(node_)[key];
}

Result<std::string> YamlMap::scalar(const YAML::Node& node, std::string_view key) const {
  if (!node.IsScalar()) return error(key, "expected a single value");
  Result<std::string> text = substitute(node.Scalar(), *environment_);
  if (!text) return error(key, text.error().message);
  // The system would read a path, a name or a secret up to there.
  if (text->find('\0') != std::string::npos) return error(key, "holds the character U+0000");
  return text;
}

Result<std::optional<std::string>> YamlMap::text(const std::string& key) {
  const YAML::Node node = find(key);
  if (!node.IsDefined() || node.IsNull()) return std::optional<std::string>{};
  SLUICE_TRY(std::string value, scalar(node, key));
  return std::optional<std::string>{std::move(value)};
}

Result<std::string> YamlMap::required_text(const std::string& key) {
  SLUICE_TRY(std::optional<std::string> value, text(key));
  if (!value || value->empty()) return error(key, "required, but missing");
  return *std::move(value);
}

Result<std::vector<std::string>> YamlMap::keys() {
  std::vector<std::string> found;
  if (!node_.IsMap()) return found;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar() || entry.first.Scalar().empty()) return error("", "expected names as keys");
    found.push_back(entry.first.Scalar());
    asked_.push_back(found.back());
  }
  return found;
}

Result<std::optional<bool>> YamlMap::flag(const std::string& key) {
  SLUICE_TRY(const std::optional<std::string> value, text(key));
  if (!value) return std::optional<bool>{};
  if (*value != "true" && *value != "false")
    return error(key, fmt::format("expected true or false, got {}", excerpt(*value)));
  return std::optional<bool>(*value == "true");
}

Result<std::optional<std::uint64_t>> YamlMap::count(const std::string& key) {
  SLUICE_TRY(const std::optional<std::string> value, text(key));
  if (!value) return std::optional<std::uint64_t>{};
  const std::optional<std::uint64_t> number = parse_quantity(*value, kSizes);
  if (!number)
    return error(key, fmt::format("expected a number, such as 5000 or 4MB, got {}", excerpt(*value)));
  return number;
}

Result<std::optional<std::chrono::milliseconds>> YamlMap::duration(const std::string& key) {
  SLUICE_TRY(const std::optional<std::string> value, text(key));
  if (!value) return std::optional<std::chrono::milliseconds>{};
  const std::optional<std::uint64_t> number = parse_quantity(*value, kDurations);
  constexpr std::uint64_t kLongest = 366ULL * 24 * 3'600'000;
  if (!number || *number > kLongest)
    return error(key, fmt::format("expected a duration, such as 500ms, 30s or 20m, got {}", excerpt(*value)));
  return std::optional<std::chrono::milliseconds>{std::chrono::milliseconds(*number)};
}

Result<std::vector<std::string>> YamlMap::texts(const std::string& key) {
  const YAML::Node node = find(key);
  std::vector<std::string> values;
  if (!node.IsDefined() || node.IsNull()) return values;
  if (node.IsScalar()) {
    SLUICE_TRY(std::string value, scalar(node, key));
    values.push_back(std::move(value));
    return values;
  }
  if (!node.IsSequence()) return error(key, "expected a list");
  for (const YAML::Node& item : node) {
    SLUICE_TRY(std::string value, scalar(item, key));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::optional<YamlMap>> YamlMap::map(const std::string& key) {
  const YAML::Node node = find(key);
  if (!node.IsDefined() || node.IsNull()) return std::optional<YamlMap>{};
  SLUICE_TRY(YamlMap made, of(node, path_of(key), *file_, *environment_));
  return std::optional<YamlMap>{std::move(made)};
}

Result<std::vector<YamlMap>> YamlMap::maps(const std::string& key) {
  const YAML::Node node = find(key);
  std::vector<YamlMap> made;
  if (!node.IsDefined() || node.IsNull()) return made;
  if (!node.IsSequence()) return error(key, "expected a list");
  for (std::size_t i = 0; i < node.size(); ++i) {
    SLUICE_TRY(YamlMap item, of(node[i], fmt::format("{}[{}]", path_of(key), i), *file_, *environment_));
    made.push_back(std::move(item));
  }
  return made;
}

Result<std::vector<std::pair<std::string, std::string>>> YamlMap::pairs(const std::string& key) {
  std::vector<std::pair<std::string, std::string>> out;
  SLUICE_TRY(std::optional<YamlMap> found, map(key));
  if (!found) return out;
  SLUICE_TRY(const std::vector<std::string> names, found->keys());
  for (const std::string& name : names) {
    SLUICE_TRY(std::optional<std::string> value, found->text(name));
    out.emplace_back(name, std::move(value).value_or(""));
  }
  SLUICE_CHECK(found->finish());
  return out;
}

std::vector<std::string> YamlMap::unasked() const {
  std::vector<std::string> out;
  if (!node_.IsMap()) return out;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) continue;
    if (std::find(asked_.begin(), asked_.end(), entry.first.Scalar()) == asked_.end())
      out.push_back(entry.first.Scalar());
  }
  return out;
}

Status YamlMap::finish() const {
  if (!node_.IsMap()) return {};
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const std::string key = entry.first.Scalar();
    if (!seen.insert(key).second) return error(key, "the key stands twice");
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const std::string near = nearest_name(key, asked_);
    return error(key, near.empty() ? "unknown key" : fmt::format("unknown key; did you mean {}?", near));
  }
  return {};
}

}  // namespace sluice::config
