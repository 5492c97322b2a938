#include <algorithm>

#include <fmt/format.h>

#include "schema_validator.h"

namespace sluice::json {

bool SchemaValidator::check_logic(const SchemaNode& node, const Cursor& at) {
  bool ok = check_references(node, at);
  for (const SchemaNodeIndex branch : node.all_of) {
    if (!go_on(ok)) return false;
    ok = check(branch, at) && ok;
  }
  if (!node.any_of.empty() && go_on(ok)) ok = check_any_of(node, at) && ok;
  if (!node.one_of.empty() && go_on(ok)) ok = check_one_of(node, at) && ok;
  if (node.negated != kNone && go_on(ok)) {
    Cursor apart = at;
    apart.marks = nullptr;  // What an excluded schema looks at is not looked at.
    if (quietly(node.negated, apart)) ok = fail(at, [&] { return excluded(program_.nodes[node.negated]); });
  }
  if (node.condition != kNone && go_on(ok)) ok = check_condition(node, at) && ok;
  return ok;
}

bool SchemaValidator::check_references(const SchemaNode& node, const Cursor& at) {
  bool ok = true;
  if (node.ref != kNone) ok = check(node.ref, at);
  if (node.dynamic_ref != kNone && go_on(ok)) ok = check(dynamic_target(node, at.scope), at) && ok;
  return ok;
}

// The outermost resource that the walk came through and that has the anchor.
SchemaNodeIndex SchemaValidator::dynamic_target(const SchemaNode& node, const Scope& scope) const {
  SchemaNodeIndex target = node.dynamic_ref;
  if (node.dynamic_anchor.empty()) return target;
  for (const Scope* entered = &scope; entered != nullptr; entered = entered->outer) {
    for (const auto& [name, holder] : program_.resources[entered->resource].dynamic_anchors) {
      if (name == node.dynamic_anchor) target = holder;
    }
  }
  return target;
}

bool SchemaValidator::check_any_of(const SchemaNode& node, const Cursor& at) {
  bool matched = false;
  for (const SchemaNodeIndex branch : node.any_of) {
    matched = quietly(branch, at) || matched;
    if (matched && at.marks == nullptr) return true;  // With marks, every branch that matches has its say.
  }
  return matched || explain_union(node.any_of, at);
}

bool SchemaValidator::check_one_of(const SchemaNode& node, const Cursor& at) {
  std::vector<std::size_t> matches;
  for (std::size_t i = 0; i < node.one_of.size(); ++i) {
    if (quietly(node.one_of[i], at)) matches.push_back(i + 1);
    if (matches.size() > 1 && !explaining()) return false;
  }
  if (matches.size() == 1) return true;
  if (matches.empty()) return explain_union(node.one_of, at);
  return fail(at, [&] {
    return fmt::format("must match exactly one of {} alternatives, but matches {}: numbers {}",
                       node.one_of.size(), matches.size(), fmt::join(matches, ", "));
  });
}

bool SchemaValidator::check_condition(const SchemaNode& node, const Cursor& at) {
  const SchemaNodeIndex next = quietly(node.condition, at) ? node.consequence : node.alternative;
  return stop_ == Stop::kNo && (next == kNone || check(next, at));
}

// Asks without telling. Marks are kept only of a schema that matches.
bool SchemaValidator::quietly(SchemaNodeIndex index, const Cursor& at) {
  Sink* const listener = std::exchange(sink_, nullptr);
  bool ok = false;
  if (at.marks == nullptr) {
    ok = check(index, at);
  } else if (spend(at.marks->size() / kSchemaKeysPerStep)) {
    Marks marks(at.marks->size());
    Cursor inner = at;
    inner.marks = &marks;
    ok = check(index, inner);
    for (std::size_t i = 0; ok && i < marks.size(); ++i) {
      if (marks[i]) (*at.marks)[i] = true;
    }
  }
  sink_ = listener;
  return ok;
}

// No alternative matches. Where all of them say the same kind of thing they are told as one, else the
// problems of the alternative that came nearest.
bool SchemaValidator::explain_union(const std::vector<SchemaNodeIndex>& branches, const Cursor& at) {
  if (!explaining() || stop_ != Stop::kNo) return false;
  SchemaTypes types = 0;
  const bool all_of_other_type = std::all_of(branches.begin(), branches.end(), [&](SchemaNodeIndex branch) {
    const SchemaTypes accepted = accepted_types(branch);
    types = static_cast<SchemaTypes>(types | accepted);
    return accepted != 0 && !has_type(accepted, at.value);
  });
  if (all_of_other_type)
    return fail(
        at, [&] { return wrong_type(types, at.value); }, Weight::kWrongType);
  std::vector<const Value*> choices;
  if (collect_choices(branches, choices)) {
    return fail(
        at, [&] { return wrong_choice(choices, at.value); }, Weight::kWrongChoice);
  }
  Sink nearest;
  Marks nearest_marks;
  Sink* const listener = sink_;
  for (const SchemaNodeIndex branch : branches) {
    Sink told{.place = &at.place, .problems = {}};
    Marks marks(at.marks == nullptr ? 0 : at.marks->size());
    Cursor inner = at;
    if (at.marks != nullptr) inner.marks = &marks;
    sink_ = &told;
    check(branch, inner);
    if (!told.problems.empty() && (nearest.problems.empty() || told.weight < nearest.weight)) {
      nearest = std::move(told);
      nearest_marks = std::move(marks);
    }
  }
  sink_ = listener;
  sink_->weight += nearest.weight;
  for (SchemaProblem& problem : nearest.problems) add(*sink_, std::move(problem));
  // What the nearest alternative knows is not unknown, so unevaluatedProperties need not complain about it.
  for (std::size_t i = 0; i < nearest_marks.size(); ++i) {
    if (nearest_marks[i]) (*at.marks)[i] = true;
  }
  return false;
}

// The types that a schema names itself or through plain references; 0 where it names none.
SchemaTypes SchemaValidator::accepted_types(SchemaNodeIndex index) const {
  constexpr int kReferencesFollowed = 8;
  for (int i = 0; i < kReferencesFollowed && index != kNone; ++i) {
    const SchemaNode& node = program_.nodes[index];
    if (node.types != 0) return node.types;
    index = node.ref;
  }
  return 0;
}

// Whether the alternatives are but a list of values, as titled enums are written.
bool SchemaValidator::collect_choices(const std::vector<SchemaNodeIndex>& branches,
                                      std::vector<const Value*>& choices) const {
  for (const SchemaNodeIndex branch : branches) {
    const SchemaNode& node = program_.nodes[branch];
    if (node.constant) {
      choices.push_back(&*node.constant);
    } else if (node.choices) {
      for (const Value& choice : *node.choices) choices.push_back(&choice);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace sluice::json
