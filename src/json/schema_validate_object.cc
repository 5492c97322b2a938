#include <algorithm>

#include <fmt/format.h>

#include "schema_validator.h"

namespace sluice::json {

bool SchemaValidator::check_object(const SchemaNode& node, const Object& object, const Cursor& at) {
  const ObjectRules& rules = node.object;
  bool ok = true;
  if (!rules.size.contains(object.size())) {
    ok = fail(at, [&] { return wrong_count(rules.size, object.size(), "have", "property"); });
  }
  if (go_on(ok)) ok = check_required(node, object, at) && ok;
  if (rules.looks_at_members() && go_on(ok)) ok = check_members(node, object, at) && ok;
  if (go_on(ok)) ok = check_dependent_schemas(node, object, at) && ok;
  return ok;
}

bool SchemaValidator::check_required(const SchemaNode& node, const Object& object, const Cursor& at) {
  const std::size_t lookup_steps = 1 + object.size() / kSchemaKeysPerStep;
  bool ok = true;
  for (const std::string& name : node.object.required) {
    if (!spend(lookup_steps)) return false;
    if (!object.contains(name)) ok = missing(name, nullptr, at);
    if (!go_on(ok)) return false;
  }
  for (const ObjectRules::DependentRequired& dependency : node.object.dependent_required) {
    if (!spend(lookup_steps * (1 + dependency.required.size()))) return false;
    if (!object.contains(dependency.name)) continue;
    for (const std::string& name : dependency.required) {
      if (object.contains(name)) continue;
      ok = missing(name, &dependency.name, at);
      if (!go_on(ok)) return false;
    }
  }
  return ok;
}

bool SchemaValidator::missing(const std::string& name, const std::string* because_of, const Cursor& at) {
  const Place place{.parent = &at.place, .key = &name};
  const auto message = [&]() -> std::string {
    if (because_of == nullptr) return "required, but missing";
    return fmt::format("required together with {}, but missing", quote_text(*because_of));
  };
  return fail(Cursor{.value = at.value, .place = place, .scope = at.scope}, message, Weight::kMissing);
}

bool SchemaValidator::check_members(const SchemaNode& node, const Object& object, const Cursor& at) {
  bool ok = true;
  for (std::size_t i = 0; i < object.size(); ++i) {
    if (!spend(1)) return false;
    ok = check_member(node, object, i, at) && ok;
    if (!go_on(ok)) return false;
  }
  return ok;
}

bool SchemaValidator::check_member(const SchemaNode& node, const Object& object, std::size_t index,
                                   const Cursor& at) {
  const ObjectRules& rules = node.object;
  const Member& member = object.members()[index];
  bool ok = true;
  bool known = false;
  if (rules.names != kNone) ok = check_member_name(rules.names, member, at);
  if (const ObjectRules::Property* property = rules.find(member.key); property != nullptr && go_on(ok)) {
    known = true;
    ok = check_member_value(property->node, member, at) && ok;
  }
  for (const ObjectRules::PatternProperty& property : rules.pattern_properties) {
    if (!go_on(ok) || !spend(1 + member.key.size() / kSchemaBytesPerStep)) return false;
    if (!program_.patterns[property.pattern].matches(member.key)) continue;
    known = true;
    ok = check_member_value(property.node, member, at) && ok;
  }
  if (!known && rules.additional != kNone && go_on(ok)) {
    known = true;
    if (program_.nodes[rules.additional].never) {
      return fail(at, [&] {
        std::vector<std::string> names;
        for (const ObjectRules::Property& property : rules.properties) names.push_back(property.name);
        return unknown_property(member.key, names);
      });
    }
    ok = check_member_value(rules.additional, member, at) && ok;
  }
  if (known && at.marks != nullptr) (*at.marks)[index] = true;
  return ok;
}

bool SchemaValidator::check_member_value(SchemaNodeIndex node, const Member& member, const Cursor& at) {
  const Place place{.parent = &at.place, .key = &member.key};
  return check(node, Cursor{.value = member.value, .place = place, .scope = at.scope, .depth = at.depth});
}

// A name has no place of its own in the value, so its problems are told at the object, with the name in
// front.
bool SchemaValidator::check_member_name(SchemaNodeIndex names, const Member& member, const Cursor& at) {
  const Value name(member.key);
  const Cursor inner{.value = name, .place = at.place, .scope = at.scope, .depth = at.depth};
  if (!explaining()) return check(names, inner);
  Sink told{.place = &at.place, .problems = {}};
  Sink* const listener = std::exchange(sink_, &told);
  const bool ok = check(names, inner);
  sink_ = listener;
  for (const SchemaProblem& problem : told.problems) {
    fail(at, [&] { return fmt::format("property name {}: {}", quote_text(member.key), problem.message); });
  }
  return ok;
}

bool SchemaValidator::check_dependent_schemas(const SchemaNode& node, const Object& object,
                                              const Cursor& at) {
  bool ok = true;
  for (const ObjectRules::Property& dependency : node.object.dependent_schemas) {
    if (!spend(1 + object.size() / kSchemaKeysPerStep)) return false;
    if (object.contains(dependency.name)) ok = check(dependency.node, at) && ok;
    if (!go_on(ok)) return false;
  }
  return ok;
}

// The properties that a schema speaks of, also through the schemas that apply to the same value.
std::vector<std::string> SchemaValidator::declared_names(const SchemaNode& node) const {
  constexpr std::size_t kSchemasVisitedMax = 256;
  std::vector<std::string> names;
  std::vector<const SchemaNode*> reached{&node};
  const auto reach = [&](SchemaNodeIndex index) {
    if (index == kNone || reached.size() >= kSchemasVisitedMax) return;
    const SchemaNode* next = &program_.nodes[index];
    if (std::find(reached.begin(), reached.end(), next) == reached.end()) reached.push_back(next);
  };
  for (std::size_t i = 0; i < reached.size(); ++i) {  // NOLINT(modernize-loop-convert): it grows meanwhile.
    const SchemaNode& here = *reached[i];
    for (const ObjectRules::Property& property : here.object.properties) names.push_back(property.name);
    for (const auto* branches : {&here.all_of, &here.any_of, &here.one_of}) {
      for (const SchemaNodeIndex branch : *branches) reach(branch);
    }
    for (const SchemaNodeIndex next :
         {here.ref, here.dynamic_ref, here.condition, here.consequence, here.alternative}) {
      reach(next);
    }
    for (const ObjectRules::Property& dependency : here.object.dependent_schemas) reach(dependency.node);
  }
  return names;
}

}  // namespace sluice::json
