#include "sluice/plan/overload.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "plan_overloads.h"

namespace sluice::plan::testing {
namespace {

TEST(OverloadTable, HasOneRowForAFunctionAndAType) {
  std::set<std::pair<Function, TypeClass>> seen;
  std::set<Function> functions;
  for (const Overload& overload : overloads()) {
    EXPECT_TRUE(seen.insert({overload.function, overload.argument}).second) << name_of(overload);
    EXPECT_EQ(find_overload(overload.function, overload.argument), &overload);
    functions.insert(overload.function);
  }
  EXPECT_EQ(functions.size(), kFunctions);
}

TEST(OverloadTable, NamesFunctionsAndTypesDifferently) {
  std::set<std::string> names;
  for (const Overload& overload : overloads()) EXPECT_TRUE(names.insert(name_of(overload)).second);
  EXPECT_TRUE(names.contains("starts_with(text)"));
  EXPECT_FALSE(names.contains("sort_key(other)"));
}

// Nothing but a filter is computed again by the engine.
TEST(OverloadTable, HasSupersetsOfConditionsOnly) {
  for (const Overload& overload : overloads()) {
    if (is_condition(overload.function)) continue;
    EXPECT_NE(overload.sqlite, Support::kSuperset) << name_of(overload);
    EXPECT_NE(overload.postgres, Support::kSuperset) << name_of(overload);
  }
}

TEST(OverloadTable, IsNotSupportedWhereThereIsNoRow) {
  EXPECT_EQ(find_overload(Function::kSum, TypeClass::kText), nullptr);
  EXPECT_EQ(support(Function::kSum, TypeClass::kText, engine::Dialect::kPostgres), Support::kNone);
  EXPECT_EQ(result_type(Function::kSum, {.id = engine::TypeId::kText}).id, engine::TypeId::kOther);
}

// Of SQLite, a number in a column that keeps texts beside it is compared by its kind first.
TEST(OverloadTable, TakesNumbersOfColumnsWithoutNumericAffinityForUntyped) {
  const engine::TableColumn plain{.name = "x", .type = {.id = engine::TypeId::kInt64}, .declared = "INTEGER"};
  engine::TableColumn loose = plain;
  loose.declared = "";
  EXPECT_EQ(class_of(plain, engine::Dialect::kSqlite), TypeClass::kBigint);
  EXPECT_EQ(class_of(loose, engine::Dialect::kSqlite), TypeClass::kUntyped);
  EXPECT_EQ(class_of(loose, engine::Dialect::kPostgres), TypeClass::kBigint);
}

}  // namespace
}  // namespace sluice::plan::testing
