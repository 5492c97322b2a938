#include "sluice/expression/scan_condition.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "sql_constant.h"

namespace sluice::expression {

namespace {

using engine::TypeId;
using plan::Condition;
using plan::Sign;
using Kind = ScanCondition::Kind;

constexpr std::size_t kNotInMax = 16;
constexpr std::int64_t kExactIntegers = std::int64_t{1} << 53U;  // Up to here a double holds every integer.

bool is_null(const ScanValue& value) { return std::holds_alternative<std::monostate>(value); }

json::Value number(std::string text) { return json::Value(json::Number{.text = std::move(text)}); }

// YYYY-MM-DD. The engine reads other forms too; they are not sent.
bool is_iso_date(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != '-') return false;
  }
  return true;
}

std::optional<json::Value> comparable_decimal(const ScanDecimal& value, const engine::Type& column) {
  if (!engine::is_number(column.id)) return std::nullopt;
  std::optional<json::Array> values = values_for(column, {{.kind = SqlConstant::Kind::kDecimal,
                                                           .text = value.text,
                                                           .digits = value.digits,
                                                           .decimals = value.decimals}});
  return values ? std::optional(std::move(values->front())) : std::nullopt;
}

// The constant as a value that a comparison with the column uses, if the engine compares the two exactly.
std::optional<json::Value> comparable(const ScanValue& value, const engine::Type& column) {
  const TypeId id = column.id;
  if (const auto* decimal = std::get_if<ScanDecimal>(&value)) return comparable_decimal(*decimal, column);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    const bool is_exact =
        engine::is_integer(id) || id == TypeId::kDecimal ||
        (id == TypeId::kDouble && *integer <= kExactIntegers && *integer >= -kExactIntegers);
    return is_exact ? std::optional(number(std::to_string(*integer))) : std::nullopt;
  }
  if (const auto* real = std::get_if<double>(&value)) {
    if (id != TypeId::kDouble || !std::isfinite(*real)) return std::nullopt;
    return number(fmt::format("{}", *real));
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    const bool is_date = (id == TypeId::kDate || id == TypeId::kTimestampUs) && is_iso_date(*text);
    if (id == TypeId::kText || is_date) return json::Value(*text);
  }
  return std::nullopt;
}

Sign sign_of(Kind kind, bool is_negated) {
  switch (kind) {
    case Kind::kLess:
      return is_negated ? Sign::kGte : Sign::kLt;
    case Kind::kLessOrEqual:
      return is_negated ? Sign::kGt : Sign::kLte;
    case Kind::kGreater:
      return is_negated ? Sign::kLte : Sign::kGt;
    case Kind::kGreaterOrEqual:
      return is_negated ? Sign::kLt : Sign::kGte;
    default:
      return is_negated ? Sign::kNeq : Sign::kEq;
  }
}

// Converts conditions of a statement. Nullopt stands for one that may be true of any row.
class Converter {
 public:
  explicit Converter(const plan::Columns& columns) : columns_(columns) {}

  std::optional<Condition> convert(const ScanCondition& condition, bool is_negated) const {
    switch (condition.kind) {
      case Kind::kUnknown:
        return std::nullopt;
      case Kind::kNot:
        return convert(condition.operands.front(), !is_negated);
      case Kind::kAnd:
      case Kind::kOr:
        return junction(condition, is_negated);
      case Kind::kIsNull: {
        const std::optional<std::size_t> at = position(condition.column);
        if (!at) return std::nullopt;
        return is_negated ? plan::is_not_null(*at) : plan::is_null(*at);
      }
      case Kind::kIn:
        return in(condition, is_negated);
      case Kind::kEqual:
      case Kind::kLess:
      case Kind::kLessOrEqual:
      case Kind::kGreater:
      case Kind::kGreaterOrEqual:
        return compare(condition.column, sign_of(condition.kind, is_negated), condition.constants.front());
    }
    return std::nullopt;
  }

 private:
  std::optional<std::size_t> position(std::string_view name) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!equal_ignoring_case(columns_[i].name, name)) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  }

  std::optional<Condition> compare(const std::string& column, Sign sign, const ScanValue& constant) const {
    const std::optional<std::size_t> at = position(column);
    if (!at) return std::nullopt;
    if (is_null(constant)) return Condition{.kind = Condition::Kind::kNever};
    const std::optional<json::Value> value = comparable(constant, columns_[*at].type);
    if (!value) return std::nullopt;
    Result<Condition> out = plan::compare(columns_, *at, sign, *value);
    return out.ok() ? std::optional(*std::move(out)) : std::nullopt;
  }

  std::optional<Condition> in(const ScanCondition& condition, bool is_negated) const {
    if (is_negated) return not_in(condition);
    const std::optional<std::size_t> at = position(condition.column);
    if (!at) return std::nullopt;
    json::Array values;
    for (const ScanValue& constant : condition.constants) {
      if (is_null(constant)) continue;  // Equal to nothing.
      std::optional<json::Value> value = comparable(constant, columns_[*at].type);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    Result<Condition> out = plan::in_list(columns_, *at, values);
    return out.ok() ? std::optional(*std::move(out)) : std::nullopt;
  }

  std::optional<Condition> not_in(const ScanCondition& condition) const {
    if (condition.constants.size() > kNotInMax) return std::nullopt;
    std::vector<Condition> parts;
    for (const ScanValue& constant : condition.constants) {
      std::optional<Condition> one = compare(condition.column, Sign::kNeq, constant);
      if (one) parts.push_back(*std::move(one));
    }
    if (parts.empty()) return std::nullopt;
    return plan::all_of(std::move(parts));
  }

  std::optional<Condition> junction(const ScanCondition& condition, bool is_negated) const {
    const bool is_and = (condition.kind == Kind::kAnd) != is_negated;
    std::vector<Condition> parts;
    for (const ScanCondition& operand : condition.operands) {
      std::optional<Condition> one = convert(operand, is_negated);
      if (one) parts.push_back(*std::move(one));
      if (!one && !is_and) return std::nullopt;
    }
    if (parts.empty()) return std::nullopt;
    return is_and ? plan::all_of(std::move(parts)) : plan::any_of(std::move(parts));
  }

  const plan::Columns& columns_;
};

void add_nulls(const ScanCondition& condition, ScanValues& out) {
  if (!condition.column.empty()) out.emplace(condition.column, ScanValue());
  for (const ScanCondition& operand : condition.operands) add_nulls(operand, out);
}

// Whether a row of nulls, which an outer join puts in place of a missing row, fails the condition.
bool rejects_nulls(const ScanCondition& condition) {
  ScanValues nulls;
  add_nulls(condition, nulls);
  return !evaluate(condition, nulls).can_be_true;
}

}  // namespace

Condition scan_condition(const ScanFilters& filters, const plan::Columns& columns) {
  const Converter converter(columns);
  std::vector<Condition> parts;
  for (const ScanFilter& filter : filters) {
    if (filter.is_above_outer_join && !rejects_nulls(filter.condition)) continue;
    std::optional<Condition> one = converter.convert(filter.condition, false);
    if (one) parts.push_back(*std::move(one));
  }
  return plan::all_of(std::move(parts));
}

}  // namespace sluice::expression
