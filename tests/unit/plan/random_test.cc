// Plans drawn at random give the same answer in the database and in the engine.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/base/clock.h"
#include "sluice/plan/engine_sql.h"

#include "plan_generator.h"

namespace sluice::plan::testing {
namespace {

using Counts = std::map<std::string, int>;

constexpr int kPlans = 7'000;
constexpr std::uint32_t kSeed = 20'261;
constexpr int kFailuresShown = 10;
constexpr int kRunsMin = 50;

const char* const kNodes[] = {"scan", "filter", "project",      "aggregate", "distinct", "first_of_each",
                              "sort", "limit",  "engine_query", "join",      "compute"};

// NOLINTNEXTLINE(misc-no-recursion): as deep as a condition.
void count_connectives(const Condition& condition, Counts& counts) {
  if (condition.kind == Condition::Kind::kNever) ++counts["never"];
  if (condition.kind == Condition::Kind::kAnd) ++counts["and"];
  if (condition.kind == Condition::Kind::kOr) ++counts["or"];
  for (const Condition& part : condition.parts) count_connectives(part, counts);
}

void count(const Node& plan, const Target& target, Counts& counts) {
  for (const Node* at = &plan; at != nullptr; at = input_of(*at)) {
    ++counts[kNodes[at->op.index()]];
    if (const auto* found = std::get_if<Filter>(&at->op)) {
      count_connectives(found->condition, counts);
      if (std::holds_alternative<Aggregate>(found->input->op)) ++counts["having"];
      if (std::holds_alternative<Compute>(found->input->op)) ++counts["filter above compute"];
    }
    if (const auto* found = std::get_if<Compute>(&at->op);
        found != nullptr && std::holds_alternative<Filter>(found->input->op))
      ++counts["filter below compute"];
    if (const auto* found = std::get_if<Limit>(&at->op); found != nullptr && found->offset > 0)
      ++counts["offset"];
    if (const auto* found = std::get_if<Sort>(&at->op);
        found != nullptr && std::any_of(found->keys.begin(), found->keys.end(),
                                        [](const SortKey& key) { return key.nulls_first; }))
      ++counts["nulls_first"];
  }
  for (const Overload* overload : overloads_of(plan, target)) ++counts[name_of(*overload)];
}

const std::vector<std::string>& always_supported() {
  static const std::vector<std::string> kNames = {"scan",
                                                  "filter",
                                                  "project",
                                                  "aggregate",
                                                  "distinct",
                                                  "sort",
                                                  "limit",
                                                  "offset",
                                                  "never",
                                                  "and",
                                                  "or",
                                                  "having",
                                                  "nulls_first",
                                                  "compute",
                                                  "filter below compute",
                                                  "filter above compute"};
  return kNames;
}

// What the database computes at least in part, by the table of overloads.
std::vector<const Overload*> supported(engine::Dialect dialect) {
  std::vector<const Overload*> out;
  for (const Overload& overload : overloads()) {
    if (overload.in(dialect) != Support::kNone) out.push_back(&overload);
  }
  return out;
}

const Filter* filter_of(const Node& plan) {
  for (const Node* at = &plan; at != nullptr; at = input_of(*at)) {
    const auto* found = std::get_if<Filter>(&at->op);
    if (found != nullptr && std::holds_alternative<Scan>(found->input->op)) return found;
  }
  return nullptr;
}

bool has_sort(const Node& plan) {
  for (const Node* at = &plan; at != nullptr; at = input_of(*at)) {
    if (std::holds_alternative<Sort>(at->op)) return true;
  }
  return false;
}

// Whether the rows of an answer have an order: a sort, or that of the table.
bool is_ordered(const Node& plan) { return has_sort(plan) || is_plain(plan); }

class RandomPlans : public ::testing::TestWithParam<Server> {
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
    for (const std::size_t rows : {0U, 1U, 1'000U}) {
      for (const bool has_key : {true, false}) {
        const SampleTable table{.name = fmt::format("sample{}{}", rows, has_key ? "_key" : ""),
                                .columns = samples_,
                                .rows = rows,
                                .has_key = has_key,
                                .seed = static_cast<unsigned>(rows) + 7U};
        sql += table_sql(table);
        names_.push_back(table.name);
      }
    }
    bench_.run("BEGIN;" + sql + "COMMIT;");
    for (const std::string& name : names_) tables_.push_back(bench_.load(name));
  }

  // Mostly of the largest tables.
  const LoadedTable& table_for(int number) const {
    const auto last = static_cast<std::size_t>(number % 10);
    return tables_[last < 4 ? last : 4 + last % 2];
  }

  // The whole plan in the database.
  void check_fragment(std::uint32_t seed, const Node& plan, const LoadedTable& table) {
    const std::optional<engine::Select> select = fragment(runnable(plan), table.target(bench_.dialect()));
    if (!select) return;
    Result<Answer> database = bench_.in_database(*select);
    Result<Answer> engine = bench_.in_engine(plan, table);
    if (!database.ok() || !engine.ok()) {
      fail(seed,
           fmt::format("database: {}\n engine: {}\n{}\n{}", database.ok() ? "" : database.error().message,
                       engine.ok() ? "" : engine.error().message, to_json(plan), to_text(select->statement)));
      return;
    }
    count(plan, table.target(bench_.dialect()), counts_);
    ++counts_["fragments"];
    if (!engine->rows.empty()) ++counts_["fragments with rows"];
    if (!is_plain(plan) || has_sort(plan)) {
      forget_signs_of_zeros(*database);
      forget_signs_of_zeros(*engine);
    }
    Answer left = *database;
    Answer right = *engine;
    if (!is_ordered(plan)) {
      std::sort(left.rows.begin(), left.rows.end());
      std::sort(right.rows.begin(), right.rows.end());
    }
    if (left.columns == right.columns && are_equal(left.rows, right.rows, inexact_columns(plan))) return;
    fail(seed, difference(plan, select->statement, limited_sql(plan), left, right));
  }

  // The filter in the database, then again in the engine: the rows that the engine alone keeps.
  void check_scan(std::uint32_t seed, const Node& plan, const LoadedTable& table) {
    const Filter* filter = filter_of(plan);
    if (filter == nullptr || !pushable(filter->condition, table.target(bench_.dialect()))) return;
    std::vector<std::size_t> wanted = columns_of(filter->condition);
    if (wanted.empty() || wanted.front() != 0) wanted.insert(wanted.begin(), 0);
    engine::Select select = scan_select({.filter = &filter->condition, .is_ordered = true},
                                        table.target(bench_.dialect()), wanted);
    std::string names;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      select.columns[i].name = table.columns[wanted[i]].name;
      names += (names.empty() ? "" : ", ") + engine::quote_name(select.columns[i].name);
    }
    engine::Statement statement;
    const std::string where = engine_condition(filter->condition, table.columns, statement.parameters);
    statement.sql = fmt::format("SELECT {} FROM data WHERE {}", names, where);
    const Result<Answer> with = bench_.in_engine(statement, select);
    const Result<Answer> without = bench_.in_engine(statement, table);
    if (!with.ok() || !without.ok()) {
      fail(seed, fmt::format("database: {}\n engine: {}\n{}\n{}", with.ok() ? "" : with.error().message,
                             without.ok() ? "" : without.error().message, to_json(plan),
                             to_text(select.statement)));
      return;
    }
    ++counts_["scans"];
    for (const Overload* overload : overloads_of(plan, table.target(bench_.dialect()))) {
      if (overload->in(bench_.dialect()) == Support::kSuperset) ++counts_[name_of(*overload)];
    }
    if (with->rows != without->rows)
      fail(seed, difference(plan, select.statement, statement, *with, *without));
  }

  void fail(std::uint32_t seed, const std::string& text) {
    if (++failures_ <= kFailuresShown) ADD_FAILURE() << "seed " << seed << "\n" << text;
  }

  void print_counts() const {
    std::string text;
    for (const auto& [name, number] : counts_) text += fmt::format(" {} {},", name, number);
    std::printf("%s\n", text.c_str());
  }

  const std::vector<SampleColumn>& samples() const { return samples_; }
  const Counts& counts() const { return counts_; }
  int failures() const { return failures_; }
  PlanBench& bench() { return bench_; }

 private:
  PlanBench bench_{GetParam()};
  std::vector<SampleColumn> samples_;
  std::vector<std::string> names_;
  std::vector<LoadedTable> tables_;
  Counts counts_;
  int failures_ = 0;
};

TEST_P(RandomPlans, GiveTheSameAnswerInTheDatabaseAndInTheEngine) {
  const std::vector<const Overload*> wanted = supported(bench().dialect());
  const Monotonic begin = system_clock().now();
  for (int i = 0; i < kPlans && failures() < kFailuresShown; ++i) {
    const std::uint32_t seed = kSeed + static_cast<std::uint32_t>(i);
    const LoadedTable& table = table_for(i);
    PlanGenerator generator(table, samples(), bench().dialect(), *wanted[seed % wanted.size()], seed);
    const NodePtr plan = generator.next();
    check_fragment(seed, *plan, table);
    check_scan(seed, *plan, table);
  }
  print_counts();
  const std::chrono::duration<double> seconds = system_clock().now() - begin;
  std::printf("%d plans in %.1f s, %.0f a second\n", kPlans, seconds.count(), kPlans / seconds.count());
  ASSERT_EQ(failures(), 0);
  std::vector<std::string> names = always_supported();
  for (const Overload* overload : wanted) names.push_back(name_of(*overload));
  for (const std::string& name : names) {
    const auto found = counts().find(name);
    EXPECT_GE(found == counts().end() ? 0 : found->second, kRunsMin) << name << " was hardly ever run";
  }
}

INSTANTIATE_TEST_SUITE_P(Sqlite, RandomPlans, ::testing::Values(Server::kSqlite));
INSTANTIATE_TEST_SUITE_P(Postgres15, RandomPlans, ::testing::Values(Server::kPostgres15));
INSTANTIATE_TEST_SUITE_P(Postgres18, RandomPlans, ::testing::Values(Server::kPostgres18));

}  // namespace
}  // namespace sluice::plan::testing
