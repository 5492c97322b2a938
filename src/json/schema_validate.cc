#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/assert.h"
#include "sluice/base/text.h"

#include "schema_validator.h"

namespace sluice::json {
namespace {

SchemaTypes bits(SchemaType type) { return static_cast<SchemaTypes>(type); }

std::uint64_t count_characters(std::string_view utf8) {
  const auto starts = std::count_if(utf8.begin(), utf8.end(),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return static_cast<std::uint64_t>(starts);
}

bool is_plain_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  });
}

bool obeys(const NumberRule& rule, const ExactNumber& number) {
  switch (rule.kind) {
    case NumberRule::Kind::kMinimum:
      return number >= rule.limit;
    case NumberRule::Kind::kMaximum:
      return number <= rule.limit;
    case NumberRule::Kind::kExclusiveMinimum:
      return number > rule.limit;
    case NumberRule::Kind::kExclusiveMaximum:
      return number < rule.limit;
    case NumberRule::Kind::kMultipleOf:
      return number.is_multiple_of(rule.limit);
  }
  return true;
}

}  // namespace

std::vector<SchemaProblem> SchemaValidator::run(const Value& instance) {
  const Place place;
  const Scope scope;
  const Cursor at{.value = instance, .place = place, .scope = scope};
  Sink sink{.place = &place, .problems = {}};
  const bool valid = check(0, at);
  if (stop_ == Stop::kNo && valid) return {};
  if (stop_ == Stop::kNo) {
    steps_ = 0;
    sink_ = &sink;
    const bool again = check(0, at);
    sink_ = nullptr;
    SLUICE_ASSERT(stop_ != Stop::kNo || !again, "both passes apply the same rules");
    if (again) add(sink, SchemaProblem{.path = path_of(place), .message = "does not fit the schema"});
  }
  if (stop_ != Stop::kNo) add(sink, SchemaProblem{.path = path_of(place), .message = too_expensive()});
  return std::move(sink.problems);
}

bool SchemaValidator::check(SchemaNodeIndex index, const Cursor& from) {
  if (!spend(1)) return false;
  if (from.depth >= kSchemaRecursionMax) {
    stop_ = Stop::kTooDeep;
    return false;
  }
  const SchemaNode& node = program_.nodes[index];
  if (node.never)
    return fail(
        from, [] { return "is not allowed here"; }, Weight::kWrongType);
  const Scope entered{.outer = &from.scope, .resource = node.resource};
  const bool stays = node.resource == from.scope.resource;
  Cursor at{.value = from.value,
            .place = from.place,
            .scope = stays ? from.scope : entered,
            .marks = from.marks,
            .depth = from.depth + 1};
  const Object* object = at.value.if_object();
  const Array* array = at.value.if_array();
  const bool asks = (object != nullptr && node.object.unevaluated != kNone) ||
                    (array != nullptr && node.array.unevaluated != kNone);
  if (!asks) return check_keywords(node, at);

  Marks marks(object != nullptr ? object->size()
                                : array->size());  // Its own: what cousins looked at does not count.
  if (!spend(marks.size() / kSchemaKeysPerStep)) return false;
  at.marks = &marks;
  bool ok = check_keywords(node, at);
  if (go_on(ok)) ok = check_unevaluated(node, at) && ok;
  if (from.marks != nullptr) from.marks->assign(from.marks->size(), true);
  return ok;
}

bool SchemaValidator::check_keywords(const SchemaNode& node, const Cursor& at) {
  if (!check_any(node, at)) return false;
  bool ok = true;
  if (const Number* number = at.value.if_number()) {
    ok = check_number(node, *number, at);
  } else if (const std::string* text = at.value.if_string()) {
    ok = check_string(node, *text, at);
  } else if (const Array* items = at.value.if_array()) {
    ok = check_array(node, *items, at);
  } else if (const Object* object = at.value.if_object()) {
    ok = check_object(node, *object, at);
  }
  if (go_on(ok)) ok = check_logic(node, at) && ok;
  return ok;
}

bool SchemaValidator::has_type(SchemaTypes types, const Value& value) const {
  const auto has = [types](SchemaType type) { return (types & bits(type)) != 0; };
  switch (value.type()) {
    case Type::kNull:
      return has(SchemaType::kNull);
    case Type::kBool:
      return has(SchemaType::kBoolean);
    case Type::kNumber:
      return has(SchemaType::kNumber) || (has(SchemaType::kInteger) && value.if_number()->is_integer());
    case Type::kString:
      return has(SchemaType::kString);
    case Type::kArray:
      return has(SchemaType::kArray);
    case Type::kObject:
      return has(SchemaType::kObject);
  }
  return false;
}

// The choices come before the type: they say more.
bool SchemaValidator::check_any(const SchemaNode& node, const Cursor& at) {
  if (node.constant && !equal(*node.constant, at.value)) {
    return fail(
        at, [&] { return wrong_choice({&*node.constant}, at.value); }, Weight::kWrongChoice);
  }
  if (node.choices) {
    std::vector<const Value*> choices;
    bool found = false;
    for (const Value& choice : *node.choices) {
      if (!spend(1)) return false;
      found = found || equal(choice, at.value);
      if (found) break;
      if (explaining()) choices.push_back(&choice);
    }
    if (!found)
      return fail(
          at, [&] { return wrong_choice(choices, at.value); }, Weight::kWrongChoice);
  }
  if (node.types != 0 && !has_type(node.types, at.value)) {
    return fail(
        at, [&] { return wrong_type(node.types, at.value); }, Weight::kWrongType);
  }
  return true;
}

bool SchemaValidator::check_number(const SchemaNode& node, const Number& number, const Cursor& at) {
  if (node.number.empty()) return true;
  const ExactNumber exact(number);
  bool ok = true;
  for (const NumberRule& rule : node.number) {
    if (!obeys(rule, exact)) ok = fail(at, [&] { return wrong_number(rule, number); });
    if (!go_on(ok)) return false;
  }
  return ok;
}

bool SchemaValidator::check_string(const SchemaNode& node, const std::string& text, const Cursor& at) {
  const StringRules& rules = node.string;
  bool ok = true;
  if (rules.characters.min > 0 || rules.characters.max != kUnbounded) {
    if (!spend(text.size() / kSchemaBytesPerStep)) return false;
    const std::uint64_t characters = count_characters(text);
    if (!rules.characters.contains(characters)) {
      ok = fail(at, [&] { return wrong_count(rules.characters, characters, "have", "character"); });
    }
  }
  if (rules.pattern != kNone && go_on(ok)) {
    if (!spend(1 + text.size() / kSchemaBytesPerStep)) return false;
    const SchemaPattern& pattern = program_.patterns[rules.pattern];
    if (!pattern.matches(text)) {
      ok = fail(at, [&] {
        return fmt::format("does not match the pattern {}, got {}", excerpt(pattern.source, 200),
                           quote_text(text));
      });
    }
  }
  if (go_on(ok) && !has_format(rules.format, text)) {
    ok =
        fail(at, [&] { return fmt::format("must be {}, got {}", describe(rules.format), quote_text(text)); });
  }
  return ok;
}

bool SchemaValidator::check_unevaluated(const SchemaNode& node, const Cursor& at) {
  const Object* object = at.value.if_object();
  bool ok = true;
  for (std::size_t i = 0; i < at.marks->size(); ++i) {
    if ((*at.marks)[i]) continue;
    if (object == nullptr) {
      ok = check_item(node.array.unevaluated, *at.value.if_array(), i, at) && ok;
    } else if (program_.nodes[node.object.unevaluated].never) {
      ok = fail(at, [&] { return unknown_property(object->members()[i].key, declared_names(node)); });
    } else {
      ok = check_member_value(node.object.unevaluated, object->members()[i], at) && ok;
    }
    if (!go_on(ok)) return false;
  }
  return ok;
}

bool SchemaValidator::go_on(bool ok) const {
  if (stop_ != Stop::kNo) return false;
  return ok || (explaining() && sink_->problems.size() < kSchemaProblemsMax);
}

bool SchemaValidator::spend(std::size_t steps) {
  steps_ += steps;
  if (steps_ > kSchemaStepsMax && stop_ == Stop::kNo) stop_ = Stop::kTooManySteps;
  return stop_ == Stop::kNo;
}

std::string SchemaValidator::too_expensive() const {
  if (stop_ == Stop::kTooDeep) {
    return fmt::format(
        "schema too expensive: it leads deeper than {} levels, perhaps through a $ref to itself",
        kSchemaRecursionMax);
  }
  return fmt::format("schema too expensive: checking this value takes more than {} steps", kSchemaStepsMax);
}

std::string SchemaValidator::path_of(const Place& place) const {
  if (place.parent == nullptr) return std::string(root_);
  const std::string parent = path_of(*place.parent);
  if (place.key == nullptr) return fmt::format("{}[{}]", parent, place.index);
  if (!is_plain_key(*place.key)) return fmt::format("{}[{}]", parent, quote_text(*place.key));
  return fmt::format("{}{}{}", parent, parent.empty() ? "" : ".", excerpt(*place.key));
}

void SchemaValidator::add(Sink& sink, SchemaProblem problem) const {
  if (sink.problems.size() >= kSchemaProblemsMax) return;
  const bool told = std::any_of(sink.problems.begin(), sink.problems.end(), [&](const SchemaProblem& known) {
    return known.path == problem.path && known.message == problem.message;
  });
  if (!told) sink.problems.push_back(std::move(problem));
}

}  // namespace sluice::json
