#include "collection_config.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "config_path.h"
#include "entity_config.h"
#include "reserved_names.h"

namespace sluice::config {
namespace {

using collections::CollectionSpec;

// year: integer, or year: { type: integer, description: Budget year }
Status read_dimension(YamlMap& map, const std::string& name, query::Dimension& dimension) {
  std::string type;
  if (map.is_map(name)) {
    SLUICE_TRY(std::optional<YamlMap> words, map.map(name));
    SLUICE_TRY(type, words->required_text("type"));
    SLUICE_TRY(const std::optional<std::string> description, words->text("description"));
    SLUICE_CHECK(words->finish());
    dimension.description = description.value_or(dimension.description);
  } else {
    SLUICE_TRY(type, map.required_text(name));
  }
  if (type != "integer" && type != "text") return map.error(name, "expected integer or text");
  dimension.name = name;
  dimension.is_integer = type == "integer";
  return {};
}

// dimensions: { year: integer, region: { type: text, description: Sales region } }
Status read_dimensions(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("dimensions"));
  if (!map) return {};
  SLUICE_TRY(const std::vector<std::string> names, map->keys());
  for (const std::string& name : names) {
    const auto known = std::find_if(spec.dimensions.begin(), spec.dimensions.end(),
                                    [&](const query::Dimension& each) { return each.name == name; });
    query::Dimension& dimension = known == spec.dimensions.end() ? spec.dimensions.emplace_back() : *known;
    SLUICE_CHECK(read_dimension(*map, name, dimension));
  }
  return map->finish();
}

// repeated_totals: [ { columns: "region_*", per: region, parts: "shop_*" } ]
Status read_repeated_totals(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(std::vector<YamlMap> items, section.maps("repeated_totals"));
  if (!items.empty()) spec.repeated_totals.clear();
  for (YamlMap& item : items) {
    query::RepeatedTotal total;
    SLUICE_TRY(total.columns, item.required_text("columns"));
    SLUICE_TRY(total.per, item.required_text("per"));
    SLUICE_TRY(total.parts, item.texts("parts"));
    if (total.parts.empty()) return item.error("parts", "expected a column, or a list of columns");
    SLUICE_CHECK(item.finish());
    spec.repeated_totals.push_back(std::move(total));
  }
  return {};
}

// ratios: [ { columns: margin, numerator: profit, denominator: sales } ]
Status read_ratios(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(std::vector<YamlMap> items, section.maps("ratios"));
  if (!items.empty()) spec.ratios.clear();
  for (YamlMap& item : items) {
    query::Ratio ratio;
    SLUICE_TRY(ratio.columns, item.required_text("columns"));
    SLUICE_TRY(ratio.numerator, item.required_text("numerator"));
    SLUICE_TRY(ratio.denominator, item.required_text("denominator"));
    SLUICE_CHECK(item.finish());
    spec.ratios.push_back(std::move(ratio));
  }
  return {};
}

// types: { program_code: VARCHAR }
Status read_types(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("types"));
  if (!map) return {};
  SLUICE_TRY(const std::vector<std::string> columns, map->keys());
  for (const std::string& column : columns) {
    SLUICE_TRY(spec.types[column], map->required_text(column));
  }
  return map->finish();
}

// roles: { allocated: [ subprogram_total, program_total ], actual: paid }
Status read_column_roles(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("roles"));
  if (!map) return {};
  SLUICE_TRY(const std::vector<std::string> names, map->keys());
  for (const std::string& name : names) {
    SLUICE_TRY(std::vector<std::string> columns, map->texts(name));
    if (columns.empty()) return map->error(name, "expected a column, or a list of columns");
    std::erase_if(spec.roles, [&](const query::Role& role) { return role.name == name; });
    spec.roles.push_back({.name = name, .columns = std::move(columns)});
  }
  return map->finish();
}

Status read_words(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(const std::optional<std::string> unit, section.text("unit"));
  SLUICE_TRY(const std::optional<std::string> suffix, section.text("overall_suffix"));
  SLUICE_TRY(const std::optional<std::string> description, section.text("description"));
  SLUICE_TRY(const std::optional<std::string> encoding, section.text("encoding"));
  spec.encoding = encoding.value_or(spec.encoding);
  spec.unit = unit.value_or(spec.unit);
  spec.overall_suffix = suffix.value_or(spec.overall_suffix);
  spec.description = description.value_or(spec.description);
  return {};
}

Status read_path(YamlMap& section, const std::string& file, CollectionSpec& spec) {
  SLUICE_TRY(const std::string path, section.required_text("path"));
  collections::FolderAndPattern split = collections::split_at_pattern(path);
  spec.folder = path_from(file, split.folder);
  if (!split.pattern.empty()) spec.pattern = std::move(split.pattern);
  return {};
}

// Without a word about them, the name is the scheme or the folder, and the scheme of dimensions is the name.
Status read_name_and_scheme(YamlMap& section, CollectionSpec& spec) {
  SLUICE_TRY(std::optional<std::string> name, section.text("name"));
  SLUICE_TRY(std::optional<std::string> scheme, section.text("scheme"));
  if (name) {
    spec.name = *std::move(name);
  } else if (spec.name.empty()) {
    spec.name = scheme ? *scheme : std::filesystem::path(spec.folder).filename().string();
  }
  const bool is_said = scheme.has_value() || spec.scheme != CollectionSpec{}.scheme;
  if (scheme) spec.scheme = *std::move(scheme);
  if (!is_said && !spec.pattern.empty()) spec.scheme = spec.name;
  return {};
}

Result<CollectionSpec> read_collection(YamlMap& section, const std::string& file) {
  CollectionSpec spec;
  SLUICE_TRY(const std::optional<std::string> preset, section.text("preset"));
  if (preset) {
    Result<CollectionSpec> known = collections::preset(*preset);
    if (!known.ok()) return section.error("preset", known.error().message);
    spec = *std::move(known);
    spec.preset = *preset;
  }
  SLUICE_CHECK(read_path(section, file, spec));
  SLUICE_CHECK(read_name_and_scheme(section, spec));
  SLUICE_CHECK(read_dimensions(section, spec));
  SLUICE_CHECK(read_types(section, spec));
  SLUICE_CHECK(read_column_roles(section, spec));
  SLUICE_CHECK(read_repeated_totals(section, spec));
  SLUICE_CHECK(read_ratios(section, spec));
  SLUICE_CHECK(read_words(section, spec));
  SLUICE_CHECK(read_entity(section, spec));
  SLUICE_CHECK(section.finish());
  if (const Status status = collections::validate(spec); !status.ok())
    return section.error("", status.error().message);
  return spec;
}

// URIs with dimensions say nothing of the collection but its scheme.
bool would_mix(const CollectionSpec& a, const CollectionSpec& b) {
  return a.scheme == b.scheme && (!a.pattern.empty() || !b.pattern.empty());
}

}  // namespace

Result<std::vector<CollectionSpec>> read_collections(YamlMap& config, const std::string& name) {
  SLUICE_TRY(std::vector<YamlMap> sections, config.maps("collections"));
  std::vector<CollectionSpec> specs;
  for (YamlMap& section : sections) {
    SLUICE_TRY(CollectionSpec spec, read_collection(section, name));
    if (is_reserved_name(spec.name)) return section.reserved_name(spec.name);
    for (const CollectionSpec& other : specs) {
      if (other.name == spec.name)
        return section.error("name", fmt::format("another collection is called {}", excerpt(spec.name)));
      if (would_mix(spec, other))
        return section.error("scheme", fmt::format("the collection {} has the scheme {} already",
                                                   excerpt(other.name), spec.scheme));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

}  // namespace sluice::config
