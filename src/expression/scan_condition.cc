#include "sluice/expression/scan_condition.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "scan_constant.h"
#include "sql_constant.h"

namespace sluice::expression {

namespace {

using engine::TypeId;
using plan::Condition;
using plan::Sign;

constexpr std::size_t kNotInMax = 16;
constexpr std::int64_t kExactIntegers = std::int64_t{1} << 53U;  // Up to here a double holds every integer.

json::Value number(std::string text) { return json::Value(json::Number{.text = std::move(text)}); }

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

Sign sign_of(ScanKind kind, bool is_negated) {
  switch (kind) {
    case ScanKind::kLess:
      return is_negated ? Sign::kGte : Sign::kLt;
    case ScanKind::kLessOrEqual:
      return is_negated ? Sign::kGt : Sign::kLte;
    case ScanKind::kGreater:
      return is_negated ? Sign::kLte : Sign::kGt;
    case ScanKind::kGreaterOrEqual:
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
      case ScanKind::kUnknown:
        return std::nullopt;
      case ScanKind::kNot:
        return convert(condition.operands.front(), !is_negated);
      case ScanKind::kAnd:
      case ScanKind::kOr:
        return junction(condition, is_negated);
      case ScanKind::kIsNull: {
        const std::optional<std::size_t> at = position(condition.column);
        if (!at) return std::nullopt;
        return is_negated ? plan::is_not_null(*at) : plan::is_null(*at);
      }
      case ScanKind::kIn:
        return in(condition, is_negated);
      case ScanKind::kEqual:
      case ScanKind::kLess:
      case ScanKind::kLessOrEqual:
      case ScanKind::kGreater:
      case ScanKind::kGreaterOrEqual:
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
    const bool is_and = (condition.kind == ScanKind::kAnd) != is_negated;
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
