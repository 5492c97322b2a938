// Joins give the same rows in the database and in the engine: plans drawn at random, and every pair of
// columns of one type.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "join_generator.h"

namespace sluice::plan::testing {
namespace {

constexpr int kPlans = 1'600;
constexpr std::uint32_t kSeed = 40'962;
constexpr int kFailuresShown = 5;
constexpr int kRunsMin = 50;
constexpr std::size_t kRows = 30;

struct Features {
  std::map<std::string, int> counts;

  // NOLINTNEXTLINE(misc-no-recursion): as deep as a plan has joins.
  void add(const Node& plan) {
    const Node* at = &plan;
    while (const Node* input = input_of(*at)) {
      if (const auto* found = std::get_if<Filter>(&at->op)) {
        const bool is_having = std::holds_alternative<Aggregate>(found->input->op);
        if (is_having) ++counts["having"];
        if (std::holds_alternative<Join>(found->input->op)) ++counts["filter above a join"];
      }
      if (std::holds_alternative<Aggregate>(at->op)) ++counts["groups"];
      if (std::holds_alternative<Distinct>(at->op)) ++counts["distinct"];
      if (std::holds_alternative<Sort>(at->op)) ++counts["sort"];
      if (std::holds_alternative<Limit>(at->op)) ++counts["limit"];
      at = input;
    }
    const auto* join = std::get_if<Join>(&at->op);
    if (join == nullptr) return;
    const bool is_inner = join->kind == JoinKind::kInner;
    ++counts[is_inner ? "inner" : "left"];
    if (join->keys.size() > 1) ++counts["two keys"];
    for (const JoinKey& key : join->keys)
      ++counts["key " + engine::sql_name(join->right->columns[key.right].type)];
    if (std::holds_alternative<Filter>(join->right->op))
      ++counts[is_inner ? "filter in an inner join" : "filter in a left join"];
    if (std::holds_alternative<Join>(join->left->op)) ++counts["three tables"];
    add(*join->left);
  }
};

std::vector<std::string> supported(engine::Dialect dialect) {
  std::vector<std::string> out = {"inner",
                                  "left",
                                  "two keys",
                                  "three tables",
                                  "filter in an inner join",
                                  "filter in a left join",
                                  "filter above a join",
                                  "having",
                                  "groups",
                                  "distinct",
                                  "sort",
                                  "limit",
                                  "key VARCHAR",
                                  "key BIGINT"};
  if (dialect == engine::Dialect::kPostgres) {
    for (const char* key : {"key INTEGER", "key SMALLINT", "key BOOLEAN", "key DATE", "key TIMESTAMP",
                            "key TIMESTAMPTZ", "key UUID", "key DECIMAL(10,2)"})
      out.emplace_back(key);
  }
  return out;
}

bool has_sort(const Node& plan) {
  for (const Node* at = &plan; at != nullptr; at = input_of(*at)) {
    if (std::holds_alternative<Sort>(at->op)) return true;
  }
  return false;
}

class JoinPlans : public ::testing::TestWithParam<Server> {
 protected:
  void SetUp() override {
    samples_ = bench_.samples();
    // PostgreSQL fails if a sum of doubles overflows, or one of a wide decimal has more than 38 digits.
    // Beside numbers that add up to zero, the order decides whether the least double is lost.
    for (SampleColumn& sample : samples_) {
      std::erase_if(sample.cells, [this](const std::string& cell) {
        return cell == "1.7976931348623157e308" || cell.ends_with(std::string(38, '3')) || cell == "0.3" ||
               (cell == "5e-324" && bench_.dialect() == engine::Dialect::kPostgres);
      });
    }
    std::string sql;
    std::vector<std::string> names;
    for (const std::size_t rows : std::vector<std::size_t>{kRows, kRows, kRows, kRows - 7, 1, 0}) {
      names.push_back(fmt::format("joined{}", names.size()));
      sql += table_sql({.name = names.back(),
                        .columns = samples_,
                        .rows = rows,
                        .has_key = names.size() % 2 == 0,
                        .seed = static_cast<unsigned>(names.size())});
    }
    bench_.run("BEGIN;" + sql + "COMMIT;");
    for (const std::string& name : names) tables_.push_back(bench_.load(name));
  }

  void check(const std::string& label, const Node& plan, const NamedTables& tables) {
    const std::optional<engine::Select> select =
        fragment(runnable(plan), targets_of(tables, bench_.dialect()));
    if (!select) return;
    Result<Answer> database = bench_.in_database(*select);
    Result<Answer> engine = bench_.in_engine(plan, tables);
    if (!database.ok() || !engine.ok()) {
      fail(label,
           fmt::format("database: {}\n engine: {}\n{}\n{}\n{}", database.ok() ? "" : database.error().message,
                       engine.ok() ? "" : engine.error().message, to_json(plan), to_text(select->statement),
                       to_text(limited_sql(plan))));
      return;
    }
    features_.add(plan);
    ++features_.counts[engine->rows.empty() ? "empty" : "with rows"];
    forget_signs_of_zeros(*database);
    forget_signs_of_zeros(*engine);
    if (!has_sort(plan)) {
      std::sort(database->rows.begin(), database->rows.end());
      std::sort(engine->rows.begin(), engine->rows.end());
    }
    if (database->columns == engine->columns &&
        are_equal(database->rows, engine->rows, inexact_columns(plan)))
      return;
    fail(label, difference(plan, select->statement, limited_sql(plan), *database, *engine));
  }

  void fail(const std::string& label, const std::string& text) {
    if (++failures_ <= kFailuresShown) ADD_FAILURE() << label << "\n" << text;
  }

  void print_counts() const {
    std::string text;
    for (const auto& [name, number] : features_.counts) text += fmt::format(" {}: {},", name, number);
    std::printf("%s\n", text.c_str());
  }

  PlanBench bench_{GetParam()};
  std::vector<SampleColumn> samples_;
  std::vector<LoadedTable> tables_;
  Features features_;
  int failures_ = 0;
};

TEST_P(JoinPlans, GiveTheSameAnswerInTheDatabaseAndInTheEngine) {
  for (int i = 0; i < kPlans && failures_ < kFailuresShown; ++i) {
    const std::uint32_t seed = kSeed + static_cast<std::uint32_t>(i);
    JoinGenerator generator(tables_, samples_, bench_.dialect(), seed);
    const NodePtr plan = generator.next();
    if (has_join(*plan)) check(fmt::format("seed {}", seed), *plan, generator.tables());
  }
  print_counts();
  ASSERT_EQ(failures_, 0);
  for (const std::string& name : supported(bench_.dialect()))
    EXPECT_GE(features_.counts[name], kRunsMin) << name << " was hardly ever run";
  EXPECT_GT(features_.counts["with rows"], features_.counts["empty"]);
}

// The number of the row on each side, for all that meet, and those of the left side that meet none.
TEST_P(JoinPlans, MeetByEveryPairOfColumnsOfOneType) {
  const LoadedTable& left = tables_[0];
  const LoadedTable& right = tables_[1];
  const NamedTables tables = {{"one", &left}, {"other", &right}};
  int pairs = 0;
  for (std::size_t i = 0; i < left.columns.size(); ++i) {
    for (std::size_t k = 0; k < right.columns.size(); ++k) {
      for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft}) {
        const Result<NodePtr> made =
            join(kind, scan("one", left.columns), scan("other", right.columns), {{.left = i, .right = k}});
        if (!made.ok()) continue;
        const NodePtr plan = project(*made, {0, left.columns.size()}).value();
        const int before = features_.counts["with rows"];
        check(fmt::format("{} = {}", left.columns[i].name, right.columns[k].name), *plan, tables);
        pairs += features_.counts["with rows"] - before;
      }
    }
  }
  EXPECT_EQ(failures_, 0);
  EXPECT_GE(pairs, bench_.dialect() == engine::Dialect::kSqlite ? 15 : 80);
}

INSTANTIATE_TEST_SUITE_P(Sqlite, JoinPlans, ::testing::Values(Server::kSqlite));
INSTANTIATE_TEST_SUITE_P(Postgres15, JoinPlans, ::testing::Values(Server::kPostgres15));
INSTANTIATE_TEST_SUITE_P(Postgres18, JoinPlans, ::testing::Values(Server::kPostgres18));

}  // namespace
}  // namespace sluice::plan::testing
