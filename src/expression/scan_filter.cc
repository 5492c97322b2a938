#include "sluice/expression/scan_filter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <optional>

#include "scan_constant.h"

namespace sluice::expression {

namespace {

constexpr PossibleTruth kTrue{.can_be_true = true, .can_be_false = false, .can_be_null = false};
constexpr PossibleTruth kFalse{.can_be_true = false, .can_be_false = true, .can_be_null = false};
constexpr PossibleTruth kNull{.can_be_true = false, .can_be_false = false, .can_be_null = true};
constexpr PossibleTruth kAnything;
constexpr double kExactIntegersMax = 9007199254740992.0;  // 2^53: doubles below hold every integer.

PossibleTruth truth(bool value) { return value ? kTrue : kFalse; }

PossibleTruth negated_truth(const PossibleTruth& operand) {
  return {.can_be_true = operand.can_be_false,
          .can_be_false = operand.can_be_true,
          .can_be_null = operand.can_be_null};
}

// The operands are taken as independent of each other, so that the result may hold values that never occur.
PossibleTruth both(const PossibleTruth& a, const PossibleTruth& b) {
  return {.can_be_true = a.can_be_true && b.can_be_true,
          .can_be_false = a.can_be_false || b.can_be_false,
          .can_be_null = (a.can_be_null && (b.can_be_null || b.can_be_true)) ||
                         (b.can_be_null && (a.can_be_null || a.can_be_true))};
}

PossibleTruth either(const PossibleTruth& a, const PossibleTruth& b) {
  return negated_truth(both(negated_truth(a), negated_truth(b)));
}

// The order of two values that the engine compares as values of one type. Nullopt: this function does not
// know how the engine compares them.
std::optional<std::strong_ordering> compare(const ScanValue& a, const ScanValue& b) {
  if (const auto* left = std::get_if<std::int64_t>(&a)) {
    if (const auto* right = std::get_if<std::int64_t>(&b)) return *left <=> *right;
    const auto* right = std::get_if<double>(&b);
    if (right == nullptr || !(std::fabs(*right) < kExactIntegersMax)) return std::nullopt;
    const auto wide = static_cast<double>(*left);
    if (std::fabs(wide) >= kExactIntegersMax) return std::nullopt;
    if (wide == *right) return std::strong_ordering::equal;
    return wide < *right ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (left == nullptr || right == nullptr) return std::nullopt;
  return left->compare(*right) <=> 0;
}

// As `compare`, for = alone. A text that spells an integer exactly as the engine writes it is equal to that
// integer, whichever of the two is converted.
std::optional<bool> is_equal(const ScanValue& value, const ScanValue& constant) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto* text = std::get_if<std::string>(&constant);
  if (number != nullptr && text != nullptr) {
    std::int64_t parsed = 0;
    const auto end = std::from_chars(text->data(), text->data() + text->size(), parsed);
    if (end.ec != std::errc{} || std::to_string(parsed) != *text) return std::nullopt;
    return parsed == *number;
  }
  const std::optional<std::strong_ordering> order = compare(value, constant);
  return order ? std::optional(*order == 0) : std::nullopt;
}

PossibleTruth compared(ScanKind kind, const ScanValue& value, const ScanValue& constant) {
  if (is_null(value) || is_null(constant)) return kNull;
  if (kind == ScanKind::kEqual) {
    const std::optional<bool> equal = is_equal(value, constant);
    return equal ? truth(*equal) : kAnything;
  }
  const std::optional<std::strong_ordering> order = compare(value, constant);
  if (!order) return kAnything;
  switch (kind) {
    case ScanKind::kLess:
      return truth(*order < 0);
    case ScanKind::kLessOrEqual:
      return truth(*order <= 0);
    case ScanKind::kGreater:
      return truth(*order > 0);
    case ScanKind::kGreaterOrEqual:
      return truth(*order >= 0);
    default:
      return kAnything;
  }
}

// The engine converts all values of a list to one type, so that a list of several types is not understood.
PossibleTruth is_in(const ScanValue& value, const std::vector<ScanValue>& constants) {
  std::optional<std::size_t> type;
  PossibleTruth out = kFalse;
  for (const ScanValue& constant : constants) {
    if (!is_null(constant) && type.value_or(constant.index()) != constant.index()) return kAnything;
    if (!is_null(constant)) type = constant.index();
    out = either(out, compared(ScanKind::kEqual, value, constant));
  }
  return out;
}

ScanValues with_nulls(const ScanValues& known) {
  ScanValues out;
  for (const auto& [column, value] : known) out.emplace(column, ScanValue());
  return out;
}

}  // namespace

// Recursion is as deep as the condition, which is bounded by the depth of the statement's tree.
PossibleTruth evaluate(const ScanCondition& condition, const ScanValues& known) {
  switch (condition.kind) {
    case ScanKind::kUnknown:
      return kAnything;
    case ScanKind::kAnd: {
      PossibleTruth out = kTrue;
      for (const ScanCondition& operand : condition.operands) out = both(out, evaluate(operand, known));
      return out;
    }
    case ScanKind::kOr: {
      PossibleTruth out = kFalse;
      for (const ScanCondition& operand : condition.operands) out = either(out, evaluate(operand, known));
      return out;
    }
    case ScanKind::kNot:
      return negated_truth(evaluate(condition.operands.front(), known));
    default:
      break;
  }
  const auto found = known.find(condition.column);
  if (found == known.end()) return kAnything;
  if (condition.kind == ScanKind::kIsNull) return truth(is_null(found->second));
  if (condition.kind == ScanKind::kIn) return is_in(found->second, condition.constants);
  return compared(condition.kind, found->second, condition.constants.front());
}

bool can_pass(const ScanFilters& filters, const ScanValues& known) {
  return std::all_of(filters.begin(), filters.end(), [&](const ScanFilter& filter) {
    if (evaluate(filter.condition, known).can_be_true) return true;
    return filter.is_above_outer_join && evaluate(filter.condition, with_nulls(known)).can_be_true;
  });
}

}  // namespace sluice::expression
