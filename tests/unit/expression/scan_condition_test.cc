#include "sluice/expression/scan_condition.h"

#include <gtest/gtest.h>

namespace sluice::expression {
namespace {

using engine::TypeId;
using Kind = ScanCondition::Kind;

const plan::Columns kColumns{{.name = "Delay", .type = {.id = TypeId::kInt64}},
                             {.name = "state", .type = {.id = TypeId::kText}},
                             {.name = "price", .type = {.id = TypeId::kDouble}},
                             {.name = "day", .type = {.id = TypeId::kDate}},
                             {.name = "amount", .type = {.id = TypeId::kDecimal, .width = 9, .scale = 2}}};

ScanCondition compare(Kind kind, std::string column, ScanValue value) {
  return {.kind = kind, .column = std::move(column), .constants = {std::move(value)}, .operands = {}};
}

ScanCondition combine(Kind kind, std::vector<ScanCondition> operands) {
  return {.kind = kind, .column = {}, .constants = {}, .operands = std::move(operands)};
}

ScanCondition negate(ScanCondition operand) { return combine(Kind::kNot, {std::move(operand)}); }

std::string converted(ScanCondition condition, bool is_above_outer_join = false) {
  const ScanFilters filters{{.condition = std::move(condition), .is_above_outer_join = is_above_outer_join}};
  return plan::to_text(scan_condition(filters, kColumns), kColumns);
}

TEST(ScanCondition, ComparesColumnsByTheirNameWhateverItsCase) {
  EXPECT_EQ(converted(compare(Kind::kGreater, "delay", std::int64_t{100})), "Delay > 100");
}

TEST(ScanCondition, PushesNegationsDownToComparisons) {
  EXPECT_EQ(converted(negate(combine(Kind::kAnd, {compare(Kind::kLess, "delay", std::int64_t{5}),
                                                  compare(Kind::kEqual, "state", std::string("CA"))}))),
            "Delay >= 5 OR state <> 'CA'");
  EXPECT_EQ(converted(negate(negate(compare(Kind::kEqual, "state", std::string("CA"))))), "state = 'CA'");
}

TEST(ScanCondition, LeavesOutWhatItDoesNotKnowFromAConjunctionOnly) {
  const ScanCondition unknown;
  const ScanCondition known = compare(Kind::kEqual, "delay", std::int64_t{1});
  EXPECT_EQ(converted(combine(Kind::kAnd, {unknown, known})), "Delay = 1");
  EXPECT_EQ(converted(combine(Kind::kOr, {unknown, known})), "true");
  EXPECT_EQ(converted(negate(combine(Kind::kAnd, {unknown, known}))), "true");
}

TEST(ScanCondition, NeverHoldsForAComparisonWithNull) {
  EXPECT_EQ(converted(compare(Kind::kEqual, "delay", ScanValue())), "false");
  EXPECT_EQ(converted(negate(compare(Kind::kEqual, "delay", ScanValue()))), "false");
}

TEST(ScanCondition, RefusesNotInWithANull) {
  ScanCondition in{
      .kind = Kind::kIn, .column = "delay", .constants = {std::int64_t{1}, ScanValue()}, .operands = {}};
  EXPECT_EQ(converted(in), "Delay IN (1)");
  EXPECT_EQ(converted(negate(in)), "false");
}

TEST(ScanCondition, LeavesOutConstantsThatTheEngineWouldConvert) {
  EXPECT_EQ(converted(compare(Kind::kEqual, "delay", 1.5)), "true");
  EXPECT_EQ(converted(compare(Kind::kEqual, "state", std::int64_t{5})), "true");
  EXPECT_EQ(converted(compare(Kind::kEqual, "day", std::string("1/2/2024"))), "true");
  EXPECT_EQ(converted(compare(Kind::kLess, "day", std::string("2024-02-01"))), "day < '2024-02-01'");
  EXPECT_EQ(converted(compare(Kind::kLess, "price", std::int64_t{1} << 60U)), "true");
}

TEST(ScanCondition, ComparesFixedPointNumbersAsTheyAre) {
  const ScanDecimal tenth{.text = "0.1", .digits = 1, .decimals = 1};
  EXPECT_EQ(converted(compare(Kind::kGreater, "price", tenth)), "price > 0.1");
  EXPECT_EQ(converted(compare(Kind::kGreater, "amount", tenth)), "amount > 0.1");
  EXPECT_EQ(converted(compare(Kind::kLessOrEqual, "delay", tenth)), "Delay <= 0.1");
  EXPECT_EQ(converted(negate(compare(Kind::kEqual, "price", tenth))), "price <> 0.1");
  EXPECT_EQ(
      converted({.kind = Kind::kIn, .column = "price", .constants = {tenth, ScanValue()}, .operands = {}}),
      "price IN (0.1)");
  // The engine rounds such a number before it compares it with a double, and has no type that holds both
  // sides.
  const ScanDecimal precise{.text = "0.1234567890123456", .digits = 1, .decimals = 16};
  EXPECT_EQ(converted(compare(Kind::kGreater, "price", precise)), "true");
  const ScanDecimal fine{.text = "0.5", .digits = 1, .decimals = 32};
  EXPECT_EQ(converted(compare(Kind::kGreater, "amount", fine)), "true");
  EXPECT_EQ(converted(compare(Kind::kEqual, "state", tenth)), "true");
  EXPECT_EQ(converted(compare(Kind::kEqual, "day", tenth)), "true");
}

TEST(ScanCondition, RestrictsBelowAnOuterJoinOnlyIfNullsFail) {
  EXPECT_EQ(converted(compare(Kind::kEqual, "delay", std::int64_t{1}), true), "Delay = 1");
  const ScanCondition is_null{.kind = Kind::kIsNull, .column = "delay", .constants = {}, .operands = {}};
  EXPECT_EQ(converted(is_null, true), "true");
  EXPECT_EQ(converted(is_null, false), "Delay IS NULL");
}

TEST(ScanCondition, IgnoresColumnsOfOtherTables) {
  EXPECT_EQ(converted(compare(Kind::kEqual, "elsewhere", std::int64_t{1})), "true");
}

}  // namespace
}  // namespace sluice::expression
