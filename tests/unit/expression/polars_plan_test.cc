// Chains that sources can compute themselves: which have a plan, and what it says.

#include <algorithm>
#include <random>
#include <string_view>

#include "sluice/expression/polars.h"

#include "typed_rows.h"

namespace sluice::expression {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PolarsPlans : public ::testing::Test {
 protected:
  static Question compile(const std::string& chain) {
    Result<Question> question = compile_polars(chain, type_columns(), {});
    EXPECT_TRUE(question.ok()) << chain << ": " << (question.ok() ? "" : question.error().message);
    return question.ok() ? *std::move(question) : Question();
  }

  static std::string json(const std::string& chain) {
    const Question question = compile(chain);
    return question.plan ? plan::to_json(*question.plan) : "";
  }

  static bool has_whole_plan(const Question& question) {
    return question.plan && !plan::is_engine_query(*question.plan);
  }

  // The plan gives the rows, the names and the types of the chain's own SQL.
  void expect_equal(const std::string& chain, const Question& question) {
    const auto expected = typed_rows(*engine_, {.sql = question.sql, .parameters = question.parameters});
    const auto rows = rows_of_plan(*engine_, *question.plan);
    ASSERT_TRUE(expected.ok()) << chain << expected.error().message;
    ASSERT_TRUE(rows.ok()) << chain << rows.error().message;
    ASSERT_EQ(*rows, *expected) << chain << "\n" << plan::engine_sql(question.plan).sql;
    const auto described = engine_->describe(
        {.sql = "WITH data AS (" + kTypes + ") " + question.sql, .parameters = question.parameters}, {});
    ASSERT_TRUE(described.ok()) << chain;
    ASSERT_EQ(question.plan->columns.size(), described->columns.size()) << chain;
    for (std::size_t i = 0; i < described->columns.size(); ++i) {
      const engine::Field& column = question.plan->columns[i];
      ASSERT_EQ(column.name, described->columns[i].name) << chain;
      if (column.type.id != engine::TypeId::kOther) {
        ASSERT_EQ(engine::sql_name(column.type), engine::sql_name(described->columns[i].type)) << chain;
      }
    }
  }

  // The chain's own SQL needs no row but those that the filter of its plan keeps.
  void expect_filter_keeps_rows(const std::string& chain, const Question& question) {
    const auto* query = std::get_if<plan::EngineQuery>(&question.plan->op);
    ASSERT_NE(query, nullptr) << chain;
    const auto* filter = std::get_if<plan::Filter>(&query->inputs.front()->op);
    ASSERT_NE(filter, nullptr) << chain;
    engine::Statement restricted{.sql = {}, .parameters = question.parameters};
    const std::string where =
        plan::engine_condition(filter->condition, type_columns(), restricted.parameters);
    restricted.sql =
        fmt::format("WITH data AS (SELECT * FROM ({}) WHERE {}) {}", kTypes, where, question.sql);
    const auto expected = typed_rows(*engine_, {.sql = question.sql, .parameters = question.parameters});
    const auto rows = rows_of(*engine_, restricted);
    ASSERT_EQ(rows.ok(), expected.ok()) << chain;
    if (rows.ok()) {
      ASSERT_EQ(*rows, *expected) << chain << "\n" << restricted.sql;
    }
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(PolarsPlans, SayWhatAGroupedChainAsksFor) {
  const std::string plan = json(
      "df.filter(pl.col('big') > 5).group_by('Name').agg(pl.len().alias('n'), pl.col('small').sum())"
      ".sort('n', descending=True).head(10)");
  EXPECT_THAT(plan,
              StartsWith(R"({"node":"limit","rows":10,"offset":0,"input":{"node":"project","columns":)"
                         R"([0,1,2],"names":["Name","n","small"],"input":{"node":"sort","keys":)"
                         R"([{"column":1,"descending":true,"nulls_first":true},)"
                         R"({"column":0,"descending":false}],"then_by_row":false,"input":{"node":)"
                         R"("aggregate","keys":[5],"calls":[{"function":"count_rows","name":"value_1"},)"
                         R"({"function":"sum_or_zero","column":1,"name":"value_2"}],"input":{"node":)"
                         R"("filter","condition":{"is":"compare","column":0,"sign":">","values":[5]},)"
                         R"("input":{"node":"scan","table":"data")"));
}

TEST_F(PolarsPlans, KeepTheOrderBeforeASortWhereItsKeysAreEqual) {
  EXPECT_THAT(
      json("df.sort('big', nulls_last=True).filter(pl.col('small') < 3).sort('small', descending=True)"),
      StartsWith(R"({"node":"sort","keys":[{"column":1,"descending":true,"nulls_first":true},)"
                 R"({"column":0,"descending":false}],"then_by_row":true,"input":{"node":"filter",)"));
}

TEST_F(PolarsPlans, FollowColumnsUnderOtherNames) {
  EXPECT_THAT(json("df.select(a=pl.col('small'), b='big').filter(pl.col('a') == 7).drop('a')"),
              AllOf(StartsWith(R"({"node":"project","columns":[0],"names":["b"])"),
                    HasSubstr(R"({"is":"compare","column":1,"sign":"=","values":[7]})")));
}

TEST_F(PolarsPlans, PushNegationsDownToTheComparisons) {
  EXPECT_THAT(json("df.filter(~((pl.col('big') > 5) | pl.col('code').is_null()))"),
              HasSubstr(R"({"is":"and","parts":[{"is":"compare","column":0,"sign":"<=","values":[5]},{"is":)"
                        R"("is_not_null","column":10}]})"));
  EXPECT_THAT(json("df.filter(~pl.col('big').is_between(1, 3, closed='left'))"),
              HasSubstr(R"({"is":"or","parts":[{"is":"compare","column":0,"sign":"<","values":[1]},{"is":)"
                        R"("compare","column":0,"sign":">=","values":[3]}]})"));
}

TEST_F(PolarsPlans, GiveTheRowsOfTheChain) {
  for (const std::string& chain : std::vector<std::string>{
           "df.select('big', 'code')",
           "df.head(2)",
           "df.filter(pl.col('big') == 9007199254740993)",
           "df.filter(pl.col('big').is_in([1, None, 9007199254740992]) | (3000000000 > pl.col('small')))",
           "df.filter(~pl.col('big').is_in([1, 2]))",
           "df.filter((pl.col('real') <= 0.1) & (pl.col('real') > -1))",
           "df.filter(pl.col('amount') >= 13)",
           "df.filter(pl.col('flag'))",
           "df.filter('flag')",
           "df.filter(~pl.col('flag'))",
           "df.filter(pl.col('flag') != True, pl.col('small') < pl.lit(0))",
           "df.filter(pl.col('Name').str.starts_with('no') | pl.col('Name').str.ends_with('uth'))",
           "df.filter(pl.col('Name').str.contains('no%', literal=True))",
           "df.filter(pl.col('Name').str.contains('or'))",
           "df.filter(pl.col('Name').str.contains('', literal=True))",
           "df.filter(pl.col('day') >= '2024-01-05')",
           "df.filter(pl.col('day').is_between('2023-12-31', '2024-01-05', closed='right'))",
           "df.filter(pl.col('moment').is_in(['2024-01-05', '2024-01-05 10:30:00.123456']))",
           "df.filter(pl.col('instant') > '2024-01-05T10:30:00Z')",
           "df.sort('real')",
           "df.sort('real', descending=True, nulls_last=True).head(3)",
           "df.sort('big', 'small', descending=[True, False]).select('code').head(4).head(2)",
           "df.select(pl.len(), a=pl.col('big').sum(), b=pl.mean('small'), c=pl.col('code').n_unique())",
           "df.select(pl.col('amount').sum(), pl.col('real').min(), pl.col('Name').max(), pl.count('day'))",
           "df.filter(pl.col('big') > 100).filter(pl.col('big') < 0).select(pl.col('big').sum(), n=pl.len())",
           "df.group_by('flag').agg(pl.col('big').sum(), n=pl.col('big').n_unique(), "
           "m=pl.col('small').median())",
           "df.group_by(k='flag', j='day').agg(pl.col('Name').count()).sort('Name', 'j')",
           "df.group_by('big').len().sort('len', descending=True).drop('big')",
           "df.group_by('big').agg(pl.col('real').median()).head(2).select(r='real')",
           "df.group_by('flag').agg(pl.sum('amount'), pl.col('amount').mean().alias('m'))",
       }) {
    const Question question = compile(chain);
    ASSERT_TRUE(has_whole_plan(question)) << chain;
    expect_equal(chain, question);
  }
}

// What the engine computes is given the rows that the filters before it keep.
TEST_F(PolarsPlans, RestrictTheRowsOfChainsThatOnlyTheEngineComputes) {
  for (const std::string& rest :
       std::vector<std::string>{"with_columns(x=pl.col('big') + 1)",
                                "unique('big')",
                                "group_by('big', maintain_order=True).len()",
                                "filter(pl.col('big') > pl.col('small'))",
                                "filter(pl.col('big') > pl.col('big').mean())",
                                "filter(pl.col('big') + 1 > 2)",
                                "filter(pl.col('Name').str.contains('n.'))",
                                "filter(~pl.col('Name').str.contains('n'))",
                                "filter(pl.col('big').is_in([]))",
                                "filter(pl.col('big') == None)",
                                "filter(pl.col('single') == 1.5)",
                                "filter(pl.col('big') > 2.5)",
                                "filter(pl.col('real') > 9007199254740993)",
                                "filter(pl.col('day') > '2024-1-5')",
                                "filter(pl.col('moment') > '2024-01-05 10:30')",
                                "filter(pl.col('instant') > '2024-01-05')",
                                "filter(pl.col('small').is_between('big', 'big'))",
                                "sort(pl.col('big') * 2)",
                                "select(pl.col('big') * 2)",
                                "select(pl.lit(1))",
                                "select('big', s=pl.col('small').sum())",
                                "select(pl.col('flag').sum())",
                                "select(pl.col('big').median())",
                                "select(pl.col('big').std())",
                                "select(pl.col('amount').median())",
                                "select(pl.col('single').median())",
                                "select(pl.col('big').sum() + 1)",
                                "select(pl.col('big').first())",
                                "group_by('flag').agg((pl.col('big') + 1).sum())",
                                "group_by(pl.col('big') % 2).len()",
                                "group_by('big').len().filter(pl.col('len') > 1)",
                                "group_by('big').len().group_by(n='len').len()",
                                "head(3).filter(pl.col('big') > 3)",
                                "head(3).sort('big')",
                                "head(3).select(pl.len())",
                                "select(pl.col('big').alias('" + std::string(64, 'x') + "'))"}) {
    EXPECT_THAT(json("df.filter(pl.col('small') >= 7)." + rest),
                AllOf(StartsWith(R"({"node":"engine_query","sql":"SELECT)"),
                      HasSubstr(R"("condition":{"is":"compare","column":1,"sign":">=","values":[7]})")))
        << rest;
    EXPECT_EQ(compile("df." + rest).plan, nullptr) << rest;
  }
}

constexpr std::string_view kSteps[] = {
    "filter(pl.col('big') > 1)",
    "filter(pl.col('big').is_not_null(), pl.col('small') != 7)",
    "filter((pl.col('code') == '7') | pl.col('flag'))",
    "filter(~((pl.col('amount') < 13) & (pl.col('day') > '2024-01-01')))",
    "filter(pl.col('real').is_in([0.1, 3, 0]))",
    "filter(pl.col('s') > 0)",
    "select('big', 'small', 'code', 'flag')",
    "select(big='small', s='big', code='Name', day='day')",
    "drop('code')",
    "drop('real', 'day')",
    "sort('big')",
    "sort('code', descending=True)",
    "sort('small', 'flag', descending=[False, True], nulls_last=[True, False])",
    "sort('s', nulls_last=True)",
    "head(4)",
    "limit(2)",
    "head(0)",
    "group_by('big').agg(pl.len(), s=pl.col('small').sum())",
    "group_by('flag', b='big').agg(pl.col('code').n_unique(), s=pl.col('amount').sum(), m=pl.min('real'))",
    "select(pl.col('big').sum(), pl.col('small').mean(), pl.len(), d=pl.col('flag').n_unique())",
    "group_by('day').len()",
    "with_columns(s=pl.col('big') * 2)",
    "unique('flag')",
    "filter(pl.col('big') >= pl.col('small'))",
};

TEST_F(PolarsPlans, GiveTheRowsOfRandomChains) {
  constexpr int kChains = 600;
  constexpr int kPlansMin = 80;
  constexpr int kFiltersMin = 15;
  std::mt19937 random(7);
  int plans = 0;
  int filters = 0;
  for (int i = 0; i < kChains && !HasFatalFailure(); ++i) {
    std::string chain = "df";
    const std::size_t count = 1 + random() % 5;
    for (std::size_t step = 0; step < count; ++step)
      chain += "." + std::string(kSteps[random() % std::size(kSteps)]);
    const Result<Question> question = compile_polars(chain, type_columns(), {});
    if (!question.ok()) continue;
    if (has_whole_plan(*question)) {
      expect_equal(chain, *question);
      ++plans;
    } else if (question->plan) {
      expect_filter_keeps_rows(chain, *question);
      ++filters;
    }
  }
  EXPECT_GE(plans, kPlansMin);
  EXPECT_GE(filters, kFiltersMin);
}

}  // namespace
}  // namespace sluice::expression
