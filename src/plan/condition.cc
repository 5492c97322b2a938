#include "sluice/plan/condition.h"

#include <set>
#include <utility>

namespace sluice::plan {

namespace {

Condition merged(Condition::Kind kind, Condition::Kind neutral, std::vector<Condition> parts) {
  const bool is_and = kind == Condition::Kind::kAnd;
  const Condition::Kind decisive = is_and ? Condition::Kind::kNever : Condition::Kind::kAlways;
  std::vector<Condition> flat;
  for (Condition& part : parts) {
    if (part.kind == decisive) return Condition{.kind = decisive};
    if (part.kind == neutral) continue;
    if (part.kind == kind) {
      for (Condition& inner : part.parts) flat.push_back(std::move(inner));
    } else {
      flat.push_back(std::move(part));
    }
  }
  if (flat.empty()) return Condition{.kind = neutral};
  if (flat.size() == 1) return std::move(flat.front());
  return Condition{.kind = kind, .parts = std::move(flat)};
}

void collect_columns(const Condition& condition, std::set<std::size_t>& out) {
  switch (condition.kind) {
    case Condition::Kind::kAlways:
    case Condition::Kind::kNever:
      return;
    case Condition::Kind::kAnd:
    case Condition::Kind::kOr:
    case Condition::Kind::kNotTrue:
      for (const Condition& part : condition.parts) collect_columns(part, out);
      return;
    default:
      out.insert(condition.column);
  }
}

}  // namespace

Condition all_of(std::vector<Condition> parts) {
  return merged(Condition::Kind::kAnd, Condition::Kind::kAlways, std::move(parts));
}

Condition any_of(std::vector<Condition> parts) {
  return merged(Condition::Kind::kOr, Condition::Kind::kNever, std::move(parts));
}

Condition not_true(Condition condition) {
  if (condition.kind == Condition::Kind::kAlways) return {.kind = Condition::Kind::kNever};
  if (condition.kind == Condition::Kind::kNever) return {.kind = Condition::Kind::kAlways};
  Condition out{.kind = Condition::Kind::kNotTrue};
  out.parts.push_back(std::move(condition));
  return out;
}

bool is_for_engine_only(const Condition& condition) {
  const Condition::Kind kind = condition.kind;
  return kind == Condition::Kind::kNotTrue || kind == Condition::Kind::kHasElement ||
         kind == Condition::Kind::kIsSimilar || condition.ignores_case || condition.compares_text;
}

Condition is_null(std::size_t column) { return {.kind = Condition::Kind::kIsNull, .column = column}; }

Condition is_not_null(std::size_t column) { return {.kind = Condition::Kind::kIsNotNull, .column = column}; }

Result<Condition> compare(const Columns& columns, std::size_t column, Sign sign, const json::Value& value) {
  if (column >= columns.size()) return internal_error("compare: no such column");
  SLUICE_TRY(Operand operand, resolve_operand(columns[column], value));
  Condition out{.kind = Condition::Kind::kCompare, .column = column, .sign = sign};
  out.constants.push_back({.given = value, .operand = std::move(operand)});
  return out;
}

Result<Condition> in_list(const Columns& columns, std::size_t column, const json::Array& values) {
  if (column >= columns.size()) return internal_error("in list: no such column");
  Condition out{.kind = Condition::Kind::kIn, .column = column};
  for (const json::Value& value : values) {
    SLUICE_TRY(Operand operand, resolve_operand(columns[column], value));
    out.constants.push_back({.given = value, .operand = std::move(operand)});
  }
  if (out.constants.empty()) return Condition{.kind = Condition::Kind::kNever};
  return out;
}

Condition with_columns(Condition condition, const std::vector<std::size_t>& positions) {
  for (Condition& part : condition.parts) part = with_columns(std::move(part), positions);
  if (condition.column < positions.size()) condition.column = positions[condition.column];
  return condition;
}

std::vector<std::size_t> columns_of(const Condition& condition) {
  std::set<std::size_t> out;
  collect_columns(condition, out);
  return {out.begin(), out.end()};
}

}  // namespace sluice::plan
