#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/plan/condition.h"

namespace sluice::plan {

namespace {

constexpr std::size_t kValuesShown = 5;
constexpr std::size_t kValueBytes = 40;

std::string text_literal(std::string_view text) {
  return engine::quote_text(excerpt(std::string(text), kValueBytes));
}

std::string literal(const json::Value& value) {
  if (const std::string* text = value.if_string()) return text_literal(*text);
  return excerpt(json::to_text(value), kValueBytes);
}

std::string list_text(const std::vector<Constant>& constants) {
  std::string out;
  for (std::size_t i = 0; i < constants.size() && i < kValuesShown; ++i)
    out += (i == 0 ? "" : ", ") + literal(constants[i].given);
  return constants.size() > kValuesShown ? fmt::format("{}, … {} values", out, constants.size()) : out;
}

}  // namespace

std::string to_text(const Condition& condition, const Columns& columns) {
  const std::string column =
      condition.column < columns.size() ? excerpt(columns[condition.column].name) : std::string("?");
  const auto function = [&](std::string_view name) {
    if (condition.ignores_case)
      return fmt::format("{}(lower({}), lower({}))", name, column, text_literal(condition.text));
    return fmt::format("{}({}, {})", name, column, text_literal(condition.text));
  };
  switch (condition.kind) {
    case Condition::Kind::kAlways:
      return "true";
    case Condition::Kind::kNever:
      return "false";
    case Condition::Kind::kAnd:
    case Condition::Kind::kOr:
      break;
    case Condition::Kind::kIsNull:
      return column + " IS NULL";
    case Condition::Kind::kIsNotNull:
      return column + " IS NOT NULL";
    case Condition::Kind::kCompare:
      return fmt::format("{} {} {}", column, comparison_with(condition.sign, Operand::Place::kEqual).sign,
                         literal(condition.constants.front().given));
    case Condition::Kind::kIn:
      return fmt::format("{} IN ({})", column, list_text(condition.constants));
    case Condition::Kind::kContains:
      return function("contains");
    case Condition::Kind::kStartsWith:
      return function("starts_with");
    case Condition::Kind::kEndsWith:
      return function("ends_with");
    case Condition::Kind::kNormalizedContains:
      return function("normalized_contains");
    case Condition::Kind::kMatches:
      return function("regexp_matches");
    case Condition::Kind::kNotTrue:
      return fmt::format("({}) IS NOT TRUE", to_text(condition.parts.front(), columns));
    case Condition::Kind::kHasElement:
      return fmt::format("list_contains({}, {})", column, literal(condition.constants.front().given));
    case Condition::Kind::kIsSimilar:
      return fmt::format("{} >= {}", function("fuzzy_ratio"), condition.similarity);
  }
  std::string out;
  for (const Condition& part : condition.parts) {
    const bool is_nested = part.kind == Condition::Kind::kAnd || part.kind == Condition::Kind::kOr;
    const std::string text = to_text(part, columns);
    if (!out.empty()) out += condition.kind == Condition::Kind::kAnd ? " AND " : " OR ";
    out += is_nested ? "(" + text + ")" : text;
  }
  return out;
}

}  // namespace sluice::plan
