#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "schema_compiler.h"

namespace sluice::json {
namespace {

std::optional<SchemaType> type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, SchemaType>, 7> kNames{{
      {"null", SchemaType::kNull},
      {"boolean", SchemaType::kBoolean},
      {"integer", SchemaType::kInteger},
      {"number", SchemaType::kNumber},
      {"string", SchemaType::kString},
      {"array", SchemaType::kArray},
      {"object", SchemaType::kObject},
  }};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

}  // namespace

const ObjectRules::Property* ObjectRules::find(std::string_view name) const {
  const auto place =
      std::lower_bound(properties.begin(), properties.end(), name,
                       [](const Property& property, std::string_view key) { return property.name < key; });
  return place != properties.end() && place->name == name ? &*place : nullptr;
}

Status SchemaCompiler::fill(SchemaNodeIndex index) {
  const Draft draft = drafts_[index];  // A copy: resolving a reference may add drafts and nodes.
  SchemaNode node;
  node.resource = draft.at.resource;
  if (const bool* allowed = draft.source->if_bool()) {
    node.never = !*allowed;
  } else {
    SLUICE_CHECK(fill_references(draft, node));
    const bool ref_hides_the_rest = draft.at.dialect == Dialect::kDraft07 && node.ref != kNone;
    if (!ref_hides_the_rest) {
      SLUICE_CHECK(fill_any(draft, node));
      SLUICE_CHECK(fill_number(draft, node));
      SLUICE_CHECK(fill_string(draft, node));
      SLUICE_CHECK(fill_array(draft, node));
      SLUICE_CHECK(fill_object(draft, node));
      SLUICE_CHECK(fill_dependencies(draft, node));
      fill_logic(draft, node);
    }
  }
  program_.nodes[index] = std::move(node);
  return {};
}

Status SchemaCompiler::fill_any(const Draft& draft, SchemaNode& node) {
  if (const Value* value = draft.find("type")) {
    const Array one{*value};
    const Array& names = value->is_array() ? *value->if_array() : one;
    for (const Value& name : names) {
      const std::optional<SchemaType> type = name.is_string() ? type_of(*name.if_string()) : std::nullopt;
      if (!type) {
        return schema_error(draft.at.pointer + "/type",
                            fmt::format("not a type: {}", excerpt(to_text(name))));
      }
      node.types = static_cast<SchemaTypes>(node.types | static_cast<SchemaTypes>(*type));
    }
    if (names.empty()) return schema_error(draft.at.pointer + "/type", "expected at least one type");
  }
  if (const Value* value = draft.find("enum")) {
    if (!value->is_array()) return keyword_error(draft.at.pointer, "enum", "an array", *value);
    node.choices = *value->if_array();
  }
  if (const Value* value = draft.find("const")) node.constant = *value;
  return {};
}

Status SchemaCompiler::fill_number(const Draft& draft, SchemaNode& node) {
  using Kind = NumberRule::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 5> kRules{{
      {"minimum", Kind::kMinimum},
      {"maximum", Kind::kMaximum},
      {"exclusiveMinimum", Kind::kExclusiveMinimum},
      {"exclusiveMaximum", Kind::kExclusiveMaximum},
      {"multipleOf", Kind::kMultipleOf},
  }};
  for (const auto& [keyword, kind] : kRules) {
    const Value* value = draft.find(keyword);
    if (value == nullptr) continue;
    const Number* number = value->if_number();
    if (number == nullptr) return keyword_error(draft.at.pointer, keyword, "a number", *value);
    ExactNumber limit(*number);
    if (kind == Kind::kMultipleOf && !limit.is_positive()) {
      return schema_error(draft.at.pointer + "/multipleOf",
                          fmt::format("expected more than 0, got {}", excerpt(number->text)));
    }
    node.number.push_back(NumberRule{.kind = kind, .limit = std::move(limit), .text = excerpt(number->text)});
  }
  return {};
}

Status SchemaCompiler::fill_string(const Draft& draft, SchemaNode& node) {
  SLUICE_CHECK(read_count(draft, "minLength", node.string.characters.min));
  SLUICE_CHECK(read_count(draft, "maxLength", node.string.characters.max));
  if (const Value* value = draft.find("pattern")) {
    if (!value->is_string()) return keyword_error(draft.at.pointer, "pattern", "a string", *value);
    SLUICE_TRY(node.string.pattern, pattern_of(draft, "pattern", *value->if_string()));
  }
  const Value* format = draft.find("format");
  if (format == nullptr || !options_.assert_formats) return {};
  if (!format->is_string()) return keyword_error(draft.at.pointer, "format", "a string", *format);
  node.string.format = format_of(*format->if_string());
  return {};
}

Status SchemaCompiler::fill_array(const Draft& draft, SchemaNode& node) {
  ArrayRules& rules = node.array;
  const Value* items = draft.find("items");
  if (items != nullptr && items->is_array()) {  // Draft-07: declaring has refused it elsewhere.
    rules.prefix_items = children(draft, "items");
    rules.items = child(draft, "additionalItems");
  } else {
    rules.prefix_items = children(draft, "prefixItems");
    rules.items = child(draft, "items");
  }
  rules.contains = child(draft, "contains");
  rules.unevaluated = child(draft, "unevaluatedItems");
  SLUICE_CHECK(read_count(draft, "minContains", rules.contains_count.min));
  SLUICE_CHECK(read_count(draft, "maxContains", rules.contains_count.max));
  SLUICE_CHECK(read_count(draft, "minItems", rules.size.min));
  SLUICE_CHECK(read_count(draft, "maxItems", rules.size.max));
  if (const Value* value = draft.find("uniqueItems")) {
    if (!value->is_bool()) return keyword_error(draft.at.pointer, "uniqueItems", "true or false", *value);
    rules.unique = *value->if_bool();
  }
  return {};
}

Status SchemaCompiler::fill_object(const Draft& draft, SchemaNode& node) {
  ObjectRules& rules = node.object;
  rules.properties = sorted_children(draft, "properties");
  if (const Value* patterns = draft.find("patternProperties")) {
    for (const Member& member : *patterns->if_object()) {
      SLUICE_TRY(const SchemaPatternIndex pattern, pattern_of(draft, "patternProperties", member.key));
      rules.pattern_properties.push_back({.pattern = pattern, .node = node_of_.at(&member.value)});
    }
  }
  rules.additional = child(draft, "additionalProperties");
  rules.names = child(draft, "propertyNames");
  rules.unevaluated = child(draft, "unevaluatedProperties");
  SLUICE_CHECK(read_count(draft, "minProperties", rules.size.min));
  SLUICE_CHECK(read_count(draft, "maxProperties", rules.size.max));
  if (const Value* required = draft.find("required")) {
    SLUICE_CHECK(read_names(draft, "required", *required, rules.required));
  }
  return {};
}

Status SchemaCompiler::fill_dependencies(const Draft& draft, SchemaNode& node) {
  ObjectRules& rules = node.object;
  rules.dependent_schemas = sorted_children(draft, "dependentSchemas");
  for (const std::string_view keyword : {"dependentRequired", "dependencies"}) {
    const Value* value = draft.find(keyword);
    if (value == nullptr) continue;
    if (!value->is_object()) return keyword_error(draft.at.pointer, keyword, "an object", *value);
    for (const Member& member : *value->if_object()) {
      if (keyword == "dependencies" && !member.value.is_array()) {
        rules.dependent_schemas.push_back({.name = member.key, .node = node_of_.at(&member.value)});
        continue;
      }
      rules.dependent_required.push_back({.name = member.key, .required = {}});
      SLUICE_CHECK(read_names(draft, keyword, member.value, rules.dependent_required.back().required));
    }
  }
  return {};
}

void SchemaCompiler::fill_logic(const Draft& draft, SchemaNode& node) {
  node.all_of = children(draft, "allOf");
  node.any_of = children(draft, "anyOf");
  node.one_of = children(draft, "oneOf");
  node.negated = child(draft, "not");
  node.condition = child(draft, "if");
  node.consequence = child(draft, "then");
  node.alternative = child(draft, "else");
}

Status SchemaCompiler::read_count(const Draft& draft, std::string_view keyword, std::uint64_t& count) {
  const Value* value = draft.find(keyword);
  if (value == nullptr) return {};
  const Number* number = value->if_number();
  if (number == nullptr) return keyword_error(draft.at.pointer, keyword, "a whole number", *value);
  const std::optional<std::int64_t> whole = number->as_int64();
  if (!number->is_integer() || number->text.starts_with('-')) {
    return schema_error(draft.at.pointer + pointer_step(keyword),
                        fmt::format("expected a whole number, not negative, got {}", excerpt(number->text)));
  }
  count = whole ? static_cast<std::uint64_t>(*whole) : kUnbounded;  // More than 2^63 is as good as no bound.
  return {};
}

Status SchemaCompiler::read_names(const Draft& draft, std::string_view keyword, const Value& names,
                                  std::vector<std::string>& out) {
  const Array* list = names.if_array();
  if (list == nullptr) return keyword_error(draft.at.pointer, keyword, "an array of strings", names);
  for (const Value& name : *list) {
    if (!name.is_string()) return keyword_error(draft.at.pointer, keyword, "an array of strings", name);
    out.push_back(*name.if_string());
  }
  return {};
}

Result<SchemaPatternIndex> SchemaCompiler::pattern_of(const Draft& draft, std::string_view keyword,
                                                      const std::string& source) {
  if (const auto known = pattern_of_.find(source); known != pattern_of_.end()) return known->second;
  if (program_.patterns.size() >= kSchemaPatternsMax)
    return limit_reached("patterns in one schema", kSchemaPatternsMax);
  Result<SchemaPattern> pattern = compile_pattern(source);
  if (!pattern.ok()) return schema_error(draft.at.pointer + pointer_step(keyword), pattern.error().message);
  const auto index = static_cast<SchemaPatternIndex>(program_.patterns.size());
  program_.patterns.push_back(std::move(pattern).value());
  pattern_of_.emplace(source, index);
  return index;
}

SchemaNodeIndex SchemaCompiler::child(const Draft& draft, std::string_view keyword) const {
  const Value* value = draft.find(keyword);
  return value == nullptr ? kNone : node_of_.at(value);
}

std::vector<SchemaNodeIndex> SchemaCompiler::children(const Draft& draft, std::string_view keyword) const {
  std::vector<SchemaNodeIndex> nodes;
  const Value* value = draft.find(keyword);
  if (value == nullptr) return nodes;
  for (const Value& schema : *value->if_array()) nodes.push_back(node_of_.at(&schema));
  return nodes;
}

std::vector<ObjectRules::Property> SchemaCompiler::sorted_children(const Draft& draft,
                                                                   std::string_view keyword) const {
  std::vector<ObjectRules::Property> properties;
  const Value* value = draft.find(keyword);
  if (value == nullptr) return properties;
  for (const Member& member : *value->if_object()) {
    properties.push_back({.name = member.key, .node = node_of_.at(&member.value)});
  }
  std::sort(properties.begin(), properties.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return properties;
}

}  // namespace sluice::json
