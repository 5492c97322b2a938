#include "entity_config.h"

#include <utility>

namespace sluice::config {
namespace {

Status read_columns(YamlMap& map, query::Entity& entity) {
  SLUICE_TRY(const std::optional<std::string> series, map.text("series"));
  SLUICE_TRY(const std::optional<std::string> code, map.text("code"));
  SLUICE_TRY(const std::optional<std::string> name, map.text("name"));
  SLUICE_TRY(const std::optional<std::string> group, map.text("group"));
  SLUICE_TRY(const std::optional<std::string> measure, map.text("measure"));
  SLUICE_TRY(std::vector<std::string> descriptions, map.texts("descriptions"));
  SLUICE_TRY(std::vector<std::string> variants, map.texts("variants"));
  entity.series = series.value_or(entity.series);
  entity.code = code.value_or(entity.code);
  entity.name = name.value_or(entity.name);
  entity.group = group.value_or(entity.group);
  entity.measure = measure.value_or(entity.measure);
  if (!descriptions.empty()) entity.descriptions = std::move(descriptions);
  if (!variants.empty()) entity.variants = std::move(variants);
  if (entity.series.empty()) return map.error("series", "required, but missing");
  return map.finish();
}

Status read_topics(YamlMap& section, collections::CollectionSpec& spec) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("topics"));
  if (!map) return {};
  SLUICE_TRY(const std::vector<std::string> names, map->keys());
  for (const std::string& name : names) {
    SLUICE_TRY(std::optional<YamlMap> words, map->map(name));
    if (!words) return map->error(name, "expected keywords");
    query::Topic topic{.name = name};
    SLUICE_TRY(topic.keywords, words->texts("keywords"));
    SLUICE_TRY(topic.required, words->texts("required"));
    SLUICE_TRY(topic.exclude, words->texts("exclude"));
    if (topic.keywords.empty()) return words->error("keywords", "required, but missing");
    SLUICE_CHECK(words->finish());
    std::erase_if(spec.topics, [&](const query::Topic& known) { return known.name == name; });
    spec.topics.push_back(std::move(topic));
  }
  return map->finish();
}

}  // namespace

Status read_entity(YamlMap& section, collections::CollectionSpec& spec) {
  SLUICE_TRY(std::optional<YamlMap> map, section.map("entity"));
  if (map) SLUICE_CHECK(read_columns(*map, spec.entity));
  return read_topics(section, spec);
}

}  // namespace sluice::config
