#include <array>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "schema_compiler.h"
#include "schema_message.h"
#include "schema_uri.h"

namespace sluice::json {
namespace {

constexpr std::string_view kDialect2020 = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view kDialectDraft07 = "http://json-schema.org/draft-07/schema";

// Where a schema holds other schemas.
constexpr std::array<std::string_view, 12> kSchemaKeywords{"additionalItems",
                                                           "additionalProperties",
                                                           "contains",
                                                           "contentSchema",
                                                           "else",
                                                           "if",
                                                           "not",
                                                           "propertyNames",
                                                           "then",
                                                           "unevaluatedItems",
                                                           "items",
                                                           "unevaluatedProperties"};
constexpr std::array<std::string_view, 4> kListKeywords{"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::array<std::string_view, 6> kMapKeywords{
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"};

}  // namespace

Error schema_error(std::string_view pointer, std::string_view message) {
  return invalid_input(fmt::format("schema at {}: {}", excerpt(pointer, 200), message))
      .with_code("invalid_schema");
}

Error keyword_error(std::string_view pointer, std::string_view keyword, std::string_view expected,
                    const Value& got) {
  const std::string place = std::string(pointer) + pointer_step(keyword);
  return schema_error(place, fmt::format("expected {}, got {}", expected, describe_value(got)));
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

const Value* SchemaCompiler::Draft::find(std::string_view keyword) const { return source->find(keyword); }

Result<SchemaProgram> SchemaCompiler::run() {
  resources_.push_back(Resource{.uri = "", .root = &document_, .anchors = {}});
  program_.resources.emplace_back();
  resource_of_.emplace("", 0);
  SLUICE_CHECK(declare(document_, Position{.pointer = "#"}));
  // A reference may declare schemas in places that no keyword leads to, so the list grows while it is worked
  // off.
  for (std::size_t i = 0; i < drafts_.size(); ++i) SLUICE_CHECK(fill(static_cast<SchemaNodeIndex>(i)));
  return std::move(program_);
}

Result<SchemaNodeIndex> SchemaCompiler::declare(const Value& schema, Position at) {
  if (const auto known = node_of_.find(&schema); known != node_of_.end()) return known->second;
  if (program_.nodes.size() >= kSchemaNodesMax)
    return limit_reached("schemas in one document", kSchemaNodesMax);
  if (at.depth > kSchemaNestingMax)
    return limit_reached("levels of schemas in one document", kSchemaNestingMax);
  const auto index = static_cast<SchemaNodeIndex>(program_.nodes.size());
  if (!schema.is_object() && !schema.is_bool()) {
    return schema_error(at.pointer,
                        fmt::format("expected an object or a boolean, got {}", describe_value(schema)));
  }
  program_.nodes.emplace_back();
  node_of_.emplace(&schema, index);
  drafts_.push_back(Draft{.source = &schema, .at = at});
  const Object* object = schema.if_object();
  if (object == nullptr) return index;
  SLUICE_CHECK(enter_dialect(*object, at));
  if (at.dialect != Dialect::kDraft07 || !object->contains("$ref"))
    SLUICE_CHECK(enter_resource(schema, at, index));
  SLUICE_CHECK(declare_anchors(*object, at, index));
  program_.nodes[index].resource = at.resource;
  drafts_[index].at = at;
  SLUICE_CHECK(declare_children(*object, at));
  return index;
}

Status SchemaCompiler::enter_dialect(const Object& schema, Position& at) const {
  const Value* value = schema.find("$schema");
  if (value == nullptr) return {};
  const std::string* text = value->if_string();
  if (text == nullptr) return keyword_error(at.pointer, "$schema", "a string", *value);
  std::string_view uri = *text;
  if (uri.ends_with('#')) uri.remove_suffix(1);
  if (uri == kDialect2020) {
    at.dialect = Dialect::k2020;
  } else if (uri == kDialectDraft07) {
    at.dialect = Dialect::kDraft07;
  } else {
    return schema_error(
        at.pointer,
        fmt::format("unsupported dialect (2020-12 and draft-07 are supported): {}", excerpt(*text)));
  }
  return {};
}

Status SchemaCompiler::enter_resource(const Value& schema, Position& at, SchemaNodeIndex node) {
  const Value* value = schema.find("$id");
  if (value == nullptr) return {};
  const std::string* text = value->if_string();
  if (text == nullptr) return keyword_error(at.pointer, "$id", "a string", *value);
  Result<SchemaTarget> target = resolve_reference(resources_[at.resource].uri, *text);
  if (!target.ok())
    return schema_error(at.pointer, fmt::format("not a URI reference: $id {}", excerpt(*text)));
  if (!target->fragment.empty()) {
    if (at.dialect != Dialect::kDraft07) {
      return schema_error(at.pointer,
                          fmt::format("$id may not have a fragment ($anchor may): {}", excerpt(*text)));
    }
    resources_[at.resource].anchors.emplace(target->fragment, node);  // Draft-07's way to write an anchor.
    if (text->starts_with('#')) return {};
  }
  if (node == 0) {
    resource_of_.clear();
    resource_of_.emplace(target->document, 0);
    resources_[0].uri = target->document;
    return {};
  }
  const auto resource = static_cast<SchemaResourceIndex>(resources_.size());
  if (!resource_of_.emplace(target->document, resource).second) {
    return schema_error(at.pointer, fmt::format("another schema has the same $id: {}", excerpt(*text)));
  }
  resources_.push_back(Resource{.uri = target->document, .root = &schema, .anchors = {}});
  program_.resources.emplace_back();
  at.resource = resource;
  return {};
}

Status SchemaCompiler::declare_anchors(const Object& schema, const Position& at, SchemaNodeIndex node) {
  for (const std::string_view keyword : {"$anchor", "$dynamicAnchor"}) {
    const Value* value = schema.find(keyword);
    if (value == nullptr) continue;
    const std::string* name = value->if_string();
    if (name == nullptr) return keyword_error(at.pointer, keyword, "a string", *value);
    const auto [place, is_new] = resources_[at.resource].anchors.emplace(*name, node);
    if (!is_new && place->second != node) {
      return schema_error(at.pointer, fmt::format("another schema has the same anchor: {}", excerpt(*name)));
    }
    if (keyword == "$dynamicAnchor")
      program_.resources[at.resource].dynamic_anchors.emplace_back(*name, node);
  }
  return {};
}

Status SchemaCompiler::declare_children(const Object& schema, const Position& at) {
  for (const std::string_view keyword : kSchemaKeywords) {
    const Value* value = schema.find(keyword);
    if (value == nullptr) continue;
    const bool list = keyword == "items" && at.dialect == Dialect::kDraft07 && value->is_array();
    if (list) {
      SLUICE_CHECK(declare_list(*value, at, keyword));
    } else if (keyword == "items" && value->is_array()) {
      return keyword_error(at.pointer, keyword, "one schema (prefixItems takes a list)", *value);
    } else {
      SLUICE_CHECK(declare_child(*value, at, pointer_step(keyword)));
    }
  }
  for (const std::string_view keyword : kListKeywords) {
    const Value* value = schema.find(keyword);
    if (value != nullptr) SLUICE_CHECK(declare_list(*value, at, keyword));
  }
  for (const std::string_view keyword : kMapKeywords) {
    const Value* value = schema.find(keyword);
    if (value != nullptr) SLUICE_CHECK(declare_map(*value, at, keyword));
  }
  return {};
}

Status SchemaCompiler::declare_child(const Value& schema, const Position& parent, std::string_view step) {
  Position at = parent;
  at.pointer += step;
  ++at.depth;
  SLUICE_CHECK(declare(schema, std::move(at)));
  return {};
}

Status SchemaCompiler::declare_list(const Value& schemas, const Position& parent, std::string_view keyword) {
  const Array* list = schemas.if_array();
  if (list == nullptr) return keyword_error(parent.pointer, keyword, "an array of schemas", schemas);
  if (list->empty() && keyword != "items") {
    return schema_error(parent.pointer + pointer_step(keyword), "expected at least one schema");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    SLUICE_CHECK(declare_child((*list)[i], parent, fmt::format("{}/{}", pointer_step(keyword), i)));
  }
  return {};
}

Status SchemaCompiler::declare_map(const Value& schemas, const Position& parent, std::string_view keyword) {
  const Object* map = schemas.if_object();
  if (map == nullptr) return keyword_error(parent.pointer, keyword, "an object of schemas", schemas);
  for (const Member& member : *map) {
    if (keyword == "dependencies" && member.value.is_array())
      continue;  // A list of names, as dependentRequired has.
    SLUICE_CHECK(declare_child(member.value, parent, pointer_step(keyword) + pointer_step(member.key)));
  }
  return {};
}

}  // namespace sluice::json
