#include "sluice/plan/condition.h"

#include <gmock/gmock.h>

namespace sluice::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Condition::Kind;

const Columns kColumns = {{.name = "a", .type = {.id = engine::TypeId::kInt32}},
                          {.name = "b", .type = {.id = engine::TypeId::kText}},
                          {.name = "c",
                           .type = {.id = engine::TypeId::kList,
                                    .fields = {{.name = "item", .type = {.id = engine::TypeId::kText}}}}}};

TEST(PlanCondition, OfNoPartIsAlwaysOrNeverTrue) {
  EXPECT_EQ(all_of({}).kind, Kind::kAlways);
  EXPECT_EQ(any_of({}).kind, Kind::kNever);
}

TEST(PlanCondition, OfOnePartIsThatPart) {
  EXPECT_EQ(all_of({is_null(1)}).kind, Kind::kIsNull);
  EXPECT_EQ(any_of({is_not_null(2)}).column, 2U);
}

TEST(PlanCondition, MergesPartsOfItsOwnKindAndKeepsOthers) {
  const Condition both =
      all_of({is_null(0), all_of({is_null(1), is_null(2)}), any_of({is_null(3), is_null(4)})});
  ASSERT_EQ(both.kind, Kind::kAnd);
  ASSERT_EQ(both.parts.size(), 4U);
  EXPECT_EQ(both.parts[3].kind, Kind::kOr);
  const Condition either = any_of({any_of({is_null(0), is_null(1)}), all_of({is_null(2), is_null(3)})});
  ASSERT_EQ(either.kind, Kind::kOr);
  ASSERT_EQ(either.parts.size(), 3U);
  EXPECT_EQ(either.parts[2].kind, Kind::kAnd);
}

TEST(PlanCondition, LeavesOutPartsThatDecideNothing) {
  const Condition always{.kind = Kind::kAlways};
  const Condition never{.kind = Kind::kNever};
  EXPECT_EQ(all_of({always, is_null(3), always}).kind, Kind::kIsNull);
  EXPECT_EQ(any_of({never, never}).kind, Kind::kNever);
}

TEST(PlanCondition, IsThePartThatDecidesAlone) {
  const Condition always{.kind = Kind::kAlways};
  const Condition never{.kind = Kind::kNever};
  EXPECT_EQ(all_of({is_null(3), never}).kind, Kind::kNever);
  EXPECT_EQ(any_of({is_null(3), always}).kind, Kind::kAlways);
}

TEST(PlanCondition, ListsItsColumnsOnceInOrder) {
  EXPECT_THAT(columns_of(any_of({is_null(4), all_of({is_null(1), is_null(4)}), is_null(0)})),
              ElementsAre(0, 1, 4));
  EXPECT_THAT(columns_of({.kind = Kind::kNever, .column = 3}), IsEmpty());
}

TEST(PlanCondition, ThatIsNotTrueIsTheOppositeOfWhatIsDecided) {
  EXPECT_EQ(not_true({.kind = Kind::kAlways}).kind, Kind::kNever);
  EXPECT_EQ(not_true({.kind = Kind::kNever}).kind, Kind::kAlways);
  const Condition other = not_true(any_of({is_null(2), is_null(0)}));
  EXPECT_EQ(other.kind, Kind::kNotTrue);
  EXPECT_THAT(columns_of(other), ElementsAre(0, 2));
  EXPECT_EQ(to_text(other, kColumns), "(c IS NULL OR a IS NULL) IS NOT TRUE");
}

TEST(PlanCondition, IsMovedToOtherColumns) {
  const Condition moved = with_columns(any_of({is_null(0), all_of({is_null(1), is_null(2)})}), {5, 7, 6});
  EXPECT_THAT(columns_of(moved), ElementsAre(5, 6, 7));
  EXPECT_EQ(moved.parts[1].parts[0].column, 7U);
}

TEST(PlanCondition, PlacesAConstantAmongTheValuesOfItsColumn) {
  const Condition made = compare(kColumns, 0, Sign::kLt, json::Value(json::Number{"2147483647.5"})).value();
  EXPECT_EQ(made.constants[0].operand.place, Operand::Place::kAbove);
  EXPECT_EQ(made.constants[0].operand.text, "2147483647");
  EXPECT_EQ(made.constants[0].given.if_number()->text, "2147483647.5");
  EXPECT_EQ(compare(kColumns, 0, Sign::kLt, json::Value(json::Number{"2147483648"}))
                .value()
                .constants[0]
                .operand.place,
            Operand::Place::kAboveAll);
}

TEST(PlanCondition, OfAnEmptyListIsNeverTrue) {
  EXPECT_EQ(in_list(kColumns, 0, {}).value().kind, Kind::kNever);
}

TEST(PlanCondition, RefusesColumnsThatAreNotThereAndValuesThatAreNone) {
  EXPECT_EQ(compare(kColumns, 3, Sign::kEq, json::Value(1)).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(in_list(kColumns, 3, {json::Value(1)}).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(compare(kColumns, 0, Sign::kEq, json::Value("x")).error().code, "invalid_value");
  EXPECT_EQ(compare(kColumns, 0, Sign::kEq, json::Value(true)).error().code, "invalid_filter");
  EXPECT_EQ(compare(kColumns, 2, Sign::kEq, json::Value(1)).error().code, "invalid_filter");
}

}  // namespace
}  // namespace sluice::plan
