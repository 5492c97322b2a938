// UNION, EXCEPT and INTERSECT give the same rows in the database and in the engine: plans drawn at random,
// and the values of every column.

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plan_generator.h"

namespace sluice::plan::testing {
namespace {

constexpr int kPlans = 1'200;
constexpr std::uint32_t kSeed = 61'803;
constexpr int kFailuresShown = 5;
constexpr int kRunsMin = 50;
constexpr std::size_t kRows = 60;

using NamedTables = std::map<std::string, const LoadedTable*>;

// None is wanted above the others.
const Overload& any_row() { return *find_overload(Function::kIsNull, TypeClass::kText); }

const char* text_of(SetKind kind) {
  return kind == SetKind::kUnion ? "union" : kind == SetKind::kExcept ? "except" : "intersect";
}

class SetPlans : public ::testing::TestWithParam<Server> {
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
    for (const char* name : {"one", "other"})
      sql += table_sql({.name = name,
                        .columns = samples_,
                        .rows = kRows,
                        .has_key = name == std::string("one"),
                        .seed = name == std::string("one") ? 3U : 4U});
    bench_.run("BEGIN;" + sql + "COMMIT;");
    one_ = bench_.load("one");
    other_ = bench_.load("other");
    tables_ = {{"one", &one_}, {"other", &other_}};
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return random_() % 100 < percent; }

  NodePtr side(const std::string& name, const std::vector<std::size_t>& columns) {
    const LoadedTable& table = *tables_.at(name);
    NodePtr out = scan(name, table.columns);
    PlanGenerator conditions(table, samples_, bench_.dialect(), any_row(),
                             static_cast<std::uint32_t>(random_()));
    if (chance(60)) out = filter(std::move(out), conditions.condition(1)).value();
    out = project(std::move(out), columns).value();
    return chance(25) ? distinct(std::move(out)) : out;
  }

  // Two sides, or three, and what is asked of their rows.
  NodePtr next() {
    // Integers come first: the generator has constants of its own for the first column.
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < one_.columns.size(); ++i) {
      if (engine::is_integer(one_.columns[i].type.id)) columns.push_back(i);
    }
    columns = {columns[below(columns.size())]};
    const std::size_t count = 1 + below(3);
    while (columns.size() < count) {
      const std::size_t column = below(one_.columns.size());
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
    NodePtr out = side("one", columns);
    const std::size_t sides = chance(80) ? 2 : 3;
    for (std::size_t i = 1; i < sides; ++i) {
      const auto kind = static_cast<SetKind>(below(3));
      const bool is_all = kind == SetKind::kUnion ? chance(50) : chance(20);
      NodePtr right = side(chance(70) ? "other" : "one", columns);
      out = chance(80) ? set_operation(kind, is_all, std::move(out), std::move(right)).value()
                       : set_operation(kind, is_all, std::move(right), std::move(out)).value();
    }
    if (chance(20)) return out;
    LoadedTable rows;
    std::vector<SampleColumn> samples;
    std::vector<std::size_t> all;
    rows.columns = out->columns;
    for (const std::size_t column : columns) {
      engine::TableColumn described{.name = "c", .type = one_.columns[column].type};
      described.declared = described.type.id == engine::TypeId::kText ? "TEXT" : "NUMERIC";
      described.select = "c";
      rows.layout.columns.push_back(std::move(described));
      all.push_back(all.size());
      samples.push_back(column == 0 ? samples_[0] : samples_[column - 1]);
    }
    samples.erase(samples.begin());
    return PlanGenerator(rows, samples, bench_.dialect(), any_row(), static_cast<std::uint32_t>(random_()))
        .next_over(std::move(out), std::move(all));
  }

  Targets targets() const {
    Targets out;
    for (const auto& [name, table] : tables_) out.emplace(name, table->target(bench_.dialect()));
    return out;
  }

  static bool has_sort(const Node& plan) {
    for (const Node* at = &plan; at != nullptr; at = input_of(*at)) {
      if (std::holds_alternative<Sort>(at->op)) return true;
    }
    return false;
  }

  void count(const Node& plan) {
    const Node* at = &plan;
    for (; input_of(*at) != nullptr; at = input_of(*at)) {
      if (std::holds_alternative<Filter>(at->op)) ++counts_["filter above"];
      if (std::holds_alternative<Aggregate>(at->op)) ++counts_["groups above"];
      if (std::holds_alternative<Sort>(at->op)) ++counts_["sort above"];
      if (std::holds_alternative<Limit>(at->op)) ++counts_["limit above"];
    }
    const auto* set = std::get_if<SetOperation>(&at->op);
    if (set == nullptr) return;
    ++counts_[fmt::format("{}{}", text_of(set->kind), set->all ? " all" : "")];
    const bool is_nested = std::holds_alternative<SetOperation>(set->left->op) ||
                           std::holds_alternative<SetOperation>(set->right->op);
    if (is_nested) ++counts_["nested"];
  }

  // Whether the database computed it.
  bool check(const std::string& label, const Node& plan) {
    const std::optional<engine::Select> select = fragment(runnable(plan), targets());
    if (!select) return false;
    Result<Answer> database = bench_.in_database(*select);
    Result<Answer> engine = bench_.in_engine(plan, tables_);
    if (!database.ok() || !engine.ok()) {
      fail(label,
           fmt::format("database: {}\n engine: {}\n{}\n{}\n{}", database.ok() ? "" : database.error().message,
                       engine.ok() ? "" : engine.error().message, to_json(plan), to_text(select->statement),
                       to_text(limited_sql(plan))));
      return true;
    }
    count(plan);
    ++counts_[engine->rows.empty() ? "empty" : "with rows"];
    forget_signs_of_zeros(*database);
    forget_signs_of_zeros(*engine);
    if (!has_sort(plan)) {
      std::sort(database->rows.begin(), database->rows.end());
      std::sort(engine->rows.begin(), engine->rows.end());
    }
    if (database->columns != engine->columns ||
        !are_equal(database->rows, engine->rows, inexact_columns(plan)))
      fail(label, difference(plan, select->statement, limited_sql(plan), *database, *engine));
    return true;
  }

  void fail(const std::string& label, const std::string& text) {
    if (++failures_ <= kFailuresShown) ADD_FAILURE() << label << "\n" << text;
  }

  PlanBench bench_{GetParam()};
  std::vector<SampleColumn> samples_;
  LoadedTable one_;
  LoadedTable other_;
  NamedTables tables_;
  std::mt19937 random_{kSeed};
  std::map<std::string, int> counts_;
  int failures_ = 0;
};

TEST_P(SetPlans, GiveTheSameAnswerInTheDatabaseAndInTheEngine) {
  for (int i = 0; i < kPlans && failures_ < kFailuresShown; ++i) (void)check(std::to_string(i), *next());
  std::string text;
  for (const auto& [name, number] : counts_) text += fmt::format(" {}: {},", name, number);
  std::printf("%s\n", text.c_str());
  ASSERT_EQ(failures_, 0);
  std::vector<std::string> wanted = {"union",        "union all",    "except",     "intersect",  "nested",
                                     "filter above", "groups above", "sort above", "limit above"};
  if (bench_.dialect() == engine::Dialect::kPostgres) wanted.insert(wanted.end(), {"except all"});
  for (const std::string& name : wanted) EXPECT_GE(counts_[name], kRunsMin) << name << " was hardly ever run";
  EXPECT_GT(counts_["with rows"], counts_["empty"]);
}

// Which of these a database compares as the engine does is decided by the rows of the table of overloads for
// keys of groups: each is met here.
TEST_P(SetPlans, CompareTheValuesOfEveryColumn) {
  std::set<TypeClass> compared;
  int pushed = 0;
  for (std::size_t column = 1; column < one_.columns.size(); ++column) {
    for (const SetKind kind : {SetKind::kUnion, SetKind::kExcept, SetKind::kIntersect}) {
      for (const bool all : {false, true}) {
        const Result<NodePtr> plan =
            set_operation(kind, all, project(scan("one", one_.columns), {column}).value(),
                          project(scan("other", other_.columns), {column}).value());
        ASSERT_TRUE(plan.ok());
        if (!check(one_.columns[column].name, **plan)) continue;
        ++pushed;
        if (!all) compared.insert(class_of(one_.columns[column].type));
      }
    }
  }
  EXPECT_EQ(failures_, 0);
  EXPECT_GE(pushed, bench_.dialect() == engine::Dialect::kSqlite ? 50 : 130);
  for (const Overload& overload : overloads()) {
    const bool is_key = overload.function == Function::kGroupKey &&
                        overload.argument != TypeClass::kUntyped &&
                        overload.in(bench_.dialect()) == Support::kExact;
    if (is_key) {
      EXPECT_TRUE(compared.contains(overload.argument)) << name_of(overload);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sqlite, SetPlans, ::testing::Values(Server::kSqlite));
INSTANTIATE_TEST_SUITE_P(Postgres15, SetPlans, ::testing::Values(Server::kPostgres15));
INSTANTIATE_TEST_SUITE_P(Postgres18, SetPlans, ::testing::Values(Server::kPostgres18));

}  // namespace
}  // namespace sluice::plan::testing
