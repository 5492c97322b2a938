#include "schema_message.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/writer.h"

namespace sluice::json {
namespace {

// "a, b or c".
std::string join_alternatives(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += i + 1 == texts.size() ? " or " : ", ";
    out += texts[i];
  }
  return out;
}

std::string list_choices(const std::vector<const Value*>& choices) {
  std::string out;
  for (std::size_t i = 0; i < std::min(choices.size(), kSchemaChoicesNamed); ++i) {
    if (i > 0) out += ", ";
    out += quote_value(*choices[i]);
  }
  if (choices.size() > kSchemaChoicesNamed)
    out += fmt::format(" and {} more", choices.size() - kSchemaChoicesNamed);
  return out;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(wrong, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", quote_text(nearest));
}

}  // namespace

std::string describe_types(SchemaTypes types) {
  constexpr std::array<std::pair<SchemaType, std::string_view>, 7> kNames{{
      {SchemaType::kString, "a string"},
      {SchemaType::kInteger, "an integer"},
      {SchemaType::kNumber, "a number"},
      {SchemaType::kBoolean, "a boolean"},
      {SchemaType::kArray, "an array"},
      {SchemaType::kObject, "an object"},
      {SchemaType::kNull, "null"},
  }};
  std::vector<std::string> names;
  for (const auto& [type, name] : kNames) {
    if ((types & static_cast<SchemaTypes>(type)) != 0) names.emplace_back(name);
  }
  return join_alternatives(names);
}

std::string quote_text(std::string_view text) {
  std::string out;
  append_string(out, excerpt(text));
  return out;
}

std::string quote_value(const Value& value) {
  if (const std::string* text = value.if_string()) return quote_text(*text);
  return excerpt(to_text(value));
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  const bool ends_in_y = noun.ends_with('y');
  if (count == 1) return fmt::format("1 {}", noun);
  return ends_in_y ? fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1))
                   : fmt::format("{} {}s", count, noun);
}

std::string describe_value(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return fmt::format("a boolean {}", quote_value(value));
    case Type::kNumber:
      return fmt::format("a number {}", quote_value(value));
    case Type::kString:
      return fmt::format("a string {}", quote_value(value));
    case Type::kArray:
      return fmt::format("an array of {}", count_of(value.if_array()->size(), "item"));
    case Type::kObject:
      return fmt::format("an object of {}", count_of(value.if_object()->size(), "property"));
  }
  return {};
}

std::string wrong_type(SchemaTypes expected, const Value& got) {
  return fmt::format("expected {}, got {}", describe_types(expected), describe_value(got));
}

std::string wrong_choice(const std::vector<const Value*>& choices, const Value& got) {
  if (choices.empty()) return "no value is allowed here";
  const bool scalar = !got.is_array() && !got.is_object();  // Anything larger would be written out whole.
  const std::string value = scalar ? quote_value(got) : describe_value(got);
  if (choices.size() == 1) return fmt::format("must be {}, got {}", quote_value(*choices[0]), value);
  std::string hint;
  if (const std::string* text = got.if_string(); text != nullptr && choices.size() > kSchemaChoicesNamed) {
    std::vector<std::string> known;
    for (const Value* choice : choices) {
      if (choice->is_string()) known.push_back(*choice->if_string());
    }
    hint = did_you_mean(*text, known);
  }
  return fmt::format("must be one of {}, got {}{}", list_choices(choices), value, hint);
}

std::string wrong_number(const NumberRule& rule, const Number& got) {
  const auto relation = [&]() -> std::string_view {
    switch (rule.kind) {
      case NumberRule::Kind::kMinimum:
        return "at least";
      case NumberRule::Kind::kMaximum:
        return "at most";
      case NumberRule::Kind::kExclusiveMinimum:
        return "more than";
      case NumberRule::Kind::kExclusiveMaximum:
        return "less than";
      case NumberRule::Kind::kMultipleOf:
        return "a multiple of";
    }
    return {};
  };
  return fmt::format("must be {} {}, got {}", relation(), rule.text, excerpt(got.text));
}

std::string wrong_count(const CountRange& range, std::uint64_t got, std::string_view verb,
                        std::string_view noun) {
  const bool few = got < range.min;
  return fmt::format("must {} at {} {}, got {}", verb, few ? "least" : "most",
                     count_of(few ? range.min : range.max, noun), got);
}

std::string unknown_property(std::string_view name, const std::vector<std::string>& known) {
  // Known to a schema for the same value, but not to one that applies.
  const bool elsewhere = std::find(known.begin(), known.end(), name) != known.end();
  if (elsewhere) return fmt::format("property {} is not allowed together with the others", quote_text(name));
  return fmt::format("unknown property {}{}", quote_text(name), did_you_mean(name, known));
}

std::string excluded(const SchemaNode& negated) {
  if (negated.constant) return fmt::format("must not be {}", quote_value(*negated.constant));
  if (negated.choices && !negated.choices->empty()) {
    std::vector<const Value*> choices;
    for (const Value& choice : *negated.choices) choices.push_back(&choice);
    return fmt::format("must not be any of {}", list_choices(choices));
  }
  if (negated.types != 0) return fmt::format("must not be {}", describe_types(negated.types));
  if (!negated.object.required.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : negated.object.required) names.push_back(quote_text(name));
    return fmt::format("must not have the {} {}", names.size() == 1 ? "property" : "properties",
                       fmt::join(names, " together with "));
  }
  return "has a form that the schema excludes with \"not\"";
}

}  // namespace sluice::json
