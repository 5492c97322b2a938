// How many rows a join has, counted by keys, against the number of rows that the engine gives.

#include "sluice/expression/join_count.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

// Tables a, b and c: integers, texts and floating point with many equal values and nulls.
class JoinTables final : public SqlTables {
 public:
  JoinTables() {
    for (const char* name : {"a", "b", "c"})
      tables_.emplace(name, Table{.name = std::string(kTablePrefix) + name, .columns = columns(name)});
  }

  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters&) override {
    const auto found = tables_.find(parts.back());
    if (found == tables_.end()) return not_found("no table " + parts.back());
    return &found->second;
  }

  // `k` and `m` in all of them, one column of its own in each.
  static Columns columns(const std::string& name) {
    return {{"k", {.id = engine::TypeId::kInt64}},
            {"m", {.id = engine::TypeId::kText}},
            {"x" + name, {.id = engine::TypeId::kDouble}},
            {"n" + name, {.id = engine::TypeId::kInt64}}};
  }

 private:
  std::map<std::string, Table> tables_;
};

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

std::string pick(Random& random, const std::vector<std::string>& items) {
  return items[below(random, items.size())];
}

// WITH the three tables, of up to 40 rows each and sometimes none.
std::string with_tables(Random& random) {
  std::string out;
  for (const char* name : {"a", "b", "c"}) {
    const std::size_t rows = below(random, 8) == 0 ? 0 : below(random, 40);
    std::string values;
    for (std::size_t i = 0; i < rows; ++i) {
      values += values.empty() ? "(" : ", (";
      values += pick(random, {"NULL", "1", "2", "2", "3", "4"}) + "::BIGINT, ";
      values += pick(random, {"NULL", "''", "'1'", "'2'", "'A'", "'a'"}) + ", ";
      values += pick(random, {"NULL", "0.0", "-0.0", "1.0", "2.0", "2.5", "'nan'"}) + "::DOUBLE, ";
      values += std::to_string(i) + "::BIGINT)";
    }
    const std::string of_no_row = "(NULL::BIGINT, NULL::VARCHAR, NULL::DOUBLE, NULL::BIGINT)";
    out += out.empty() ? "WITH " : ", ";
    out += std::string(kTablePrefix) + name + "(k, m, x" + name + ", n" + name +
           ") AS (SELECT * FROM (VALUES " + (values.empty() ? of_no_row : values) + ") v" +
           (values.empty() ? " WHERE false)" : ")");
  }
  return out + " ";
}

// An equality between two tables, or a condition over one or more of them.
std::string equality(Random& random, const std::string& left, const std::string& right) {
  const std::string sign = below(random, 8) == 0 ? " IS NOT DISTINCT FROM " : " = ";
  switch (below(random, 6)) {
    case 0:
      return left + ".m" + sign + right + ".m";
    case 1:
      return left + ".x" + left + sign + right + ".x" + right;
    case 2:
      return left + ".k + 1" + sign + right + ".k";
    case 3:
      return right + ".k" + sign + left + ".x" + left;
    case 4:
      return "coalesce(" + left + ".k, 2)" + sign + right + ".k AND " + left + ".m = " + right + ".m";
    default:
      return left + ".k" + sign + right + ".k";
  }
}

std::string filter(Random& random, const std::string& table) {
  return pick(random,
              {table + ".k > 1", table + ".k IS NULL", "n" + table + " < 20", table + ".m IN ('1', 'A')",
               table + ".k BETWEEN 2 AND 3", table + ".m IS NOT NULL", "NOT " + table + ".k = 2",
               "coalesce(" + table + ".k, 1) = 1", "x" + table + " >= 1", "length(" + table + ".m) = 1"});
}

std::string other_condition(Random& random, const std::string& left, const std::string& right) {
  return pick(random, {left + ".k < " + right + ".k", left + ".k = " + right + ".k OR " + left + ".m IS NULL",
                       left + ".k + " + right + ".k = 4", left + ".k IN (SELECT k FROM " + right + ")"});
}

std::string on_clause(Random& random, const std::string& left, const std::string& right) {
  switch (below(random, 10)) {
    case 0:
      return " USING (k)";
    case 1:
      return " USING (k, m)";
    case 2:
      return " ON true";
    case 3:
      return " ON " + other_condition(random, left, right);
    case 4:
      return " ON " + equality(random, left, right) + " AND " + filter(random, left);
    case 5:
      return " ON " + equality(random, left, right) + " AND " + filter(random, right);
    case 6:
      return " ON " + equality(random, left, right) + " AND " + other_condition(random, left, right);
    default:
      return " ON " + equality(random, left, right);
  }
}

std::string joined(Random& random, const std::string& left, const std::string& right) {
  const std::string kind = pick(
      random, {" JOIN ", " JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " CROSS JOIN "});
  if (kind == " CROSS JOIN ") return below(random, 2) == 0 ? ", " + right : kind + right;
  return kind + right + on_clause(random, left, right);
}

std::string statement(Random& random) {
  std::string out = pick(random, {"SELECT *", "SELECT na, nb + 1 AS nb", "SELECT row_number() OVER () AS r"});
  const bool has_third = below(random, 2) == 0;
  out += " FROM a" + joined(random, "a", "b");
  if (has_third) out += joined(random, pick(random, {"a", "b"}), "c");
  std::string where;
  const auto add = [&](const std::string& condition) {
    where += (where.empty() ? " WHERE " : " AND ") + condition;
  };
  if (below(random, 3) == 0) add(filter(random, pick(random, {"a", "b"})));
  if (below(random, 3) == 0) add(equality(random, "a", "b"));
  if (has_third && below(random, 3) == 0) add(equality(random, "b", "c"));
  if (has_third && below(random, 4) == 0) add(filter(random, "c"));
  if (below(random, 12) == 0) add(other_condition(random, "a", "b"));
  out += where;
  if (below(random, 6) == 0) out += " LIMIT " + std::to_string(below(random, 50));
  if (below(random, 12) == 0) out += " OFFSET " + std::to_string(below(random, 10));
  return out;
}

class CountsOfJoins : public ::testing::Test {
 protected:
  std::int64_t number(const std::string& sql) {
    const Result<std::vector<std::string>> rows = rows_of(*engine_, {.sql = sql, .parameters = {}});
    EXPECT_TRUE(rows.ok()) << sql << "\n" << (rows.ok() ? "" : rows.error().message);
    return rows.ok() ? static_cast<std::int64_t>(std::stod(rows->front())) : -1;
  }

  Result<Question> check(const std::string& sql) { return check_sql(*engine_, sql, tables_, {}, {}); }

  std::int64_t counted(const std::string& with, const JoinCount& count,
                       CountType type = CountType::kInteger) {
    const Result<std::string> sql = count_sql(*engine_, count, type, {});
    EXPECT_TRUE(sql.ok()) << sql.error().message;
    return sql.ok() ? number(with + *sql) : -1;
  }

  // The one join of a statement.
  JoinCount join_of(const std::string& sql) {
    const Result<Question> question = check(sql);
    EXPECT_TRUE(question.ok()) << sql << ": " << question.error().message;
    if (!question.ok() || question->joins->size() != 1) return {};
    return question->joins->front();
  }

  JoinTables tables_;
  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

// The rows that a statement gives, by the count of its join.
std::int64_t answer_of(std::int64_t rows, const JoinCount& count) {
  const std::int64_t behind = std::max<std::int64_t>(0, rows - static_cast<std::int64_t>(count.offset));
  return count.limit ? std::min(behind, static_cast<std::int64_t>(*count.limit)) : behind;
}

TEST_F(CountsOfJoins, AreTheRowsOfRandomStatements) {
  Random random(20'260'101);
  std::size_t exact = 0;
  std::size_t bounds = 0;
  std::size_t with_many = 0;
  for (int i = 0; i < 600; ++i) {
    const std::string sql = statement(random);
    const std::string with = with_tables(random);
    const Result<Question> question = check(sql);
    if (!question.ok()) continue;  // The engine takes a column for ambiguous.
    const Result<std::vector<std::string>> rows =
        rows_of(*engine_, {.sql = with + "SELECT count(*) FROM (" + question->sql + ")", .parameters = {}});
    if (!rows.ok()) continue;  // A text that is compared with a number is none.
    for (const JoinCount& count : *question->joins) {
      if (!count.is_answer) continue;
      const std::int64_t brute = std::stoll(rows->front());
      const std::int64_t found = counted(with, count);
      if (count.is_exact) {
        ASSERT_EQ(answer_of(found, count), brute) << sql << "\n" << with;
        ASSERT_EQ(counted(with, count, CountType::kDouble), found) << sql;
      } else {
        ASSERT_GE(answer_of(found, count), brute) << sql << "\n" << with;
      }
      ++(count.is_exact ? exact : bounds);
      with_many += brute > 100 ? 1 : 0;
    }
  }
  EXPECT_GE(exact, 200U);
  EXPECT_GE(bounds, 30U);
  EXPECT_GE(with_many, 35U);
}

constexpr const char* kThreeRowsEach =
    "WITH sluice_table_a(k, m, xa, na) AS (SELECT * FROM (VALUES (1, '1', 1.0, 1), (1, '2', 2.0, 2), (2, "
    "NULL, 3.0, "
    "3)) v), sluice_table_b(k, m, xb, nb) AS (SELECT * FROM (VALUES (1, '1', 1.0, 1), (1, '2', 2.0, 2), "
    "(NULL, '3', "
    "3.0, 3)) v), sluice_table_c(k, m, xc, nc) AS (SELECT * FROM (VALUES (1, '1', 1.0, 1), (1, '1', 2.0, 2), "
    "(7, "
    "'7', 3.0, 3)) v) ";

TEST_F(CountsOfJoins, MultiplyTablesThatNoEqualityJoins) {
  for (const char* from : {"a, b", "a CROSS JOIN b", "a JOIN b ON true", "a JOIN b ON a.k < b.k",
                           "a JOIN b ON a.k + b.k = 3", "a LEFT JOIN b ON a.k < b.k"}) {
    const JoinCount count = join_of(std::string("SELECT * FROM ") + from);
    EXPECT_EQ(counted(kThreeRowsEach, count), 9) << from;
  }
  EXPECT_TRUE(join_of("SELECT * FROM a, b").is_exact);
  EXPECT_FALSE(join_of("SELECT * FROM a JOIN b ON a.k < b.k").is_exact);
  // Filters of one table leave out rows before they are multiplied.
  EXPECT_EQ(counted(kThreeRowsEach, join_of("SELECT * FROM a JOIN b ON a.k < b.k WHERE a.na > 1 AND nb = 1")),
            2);
}

// The work is that of the equality, whatever else the condition asks for.
TEST_F(CountsOfJoins, LeaveOutConditionsThatAreNoEqualities) {
  const JoinCount count = join_of("SELECT * FROM a JOIN b ON a.k = b.k AND a.na < b.nb");
  EXPECT_EQ(counted(kThreeRowsEach, count), 4);
  EXPECT_FALSE(count.is_exact);
}

// a and b by m, c to a, and an equality of b and c that closes the circle.
TEST_F(CountsOfJoins, OfACircleAreAnUpperBound) {
  const JoinCount count = join_of("SELECT * FROM a JOIN b ON a.m = b.m JOIN c ON c.k = a.k AND c.m = b.m");
  EXPECT_FALSE(count.is_exact);
  EXPECT_EQ(counted(kThreeRowsEach, count), 4);
}

TEST_F(CountsOfJoins, AreNotTheAnswerOfGroupsAndTotals) {
  for (const char* sql :
       {"SELECT count(*) AS n FROM a JOIN b USING (k)", "SELECT k FROM a JOIN b USING (k) GROUP BY k",
        "SELECT k FROM a JOIN b USING (k) GROUP BY ALL",
        "SELECT k, sum(na) AS s FROM a JOIN b USING (k) GROUP BY k",
        "SELECT DISTINCT k FROM a JOIN b USING (k)", "SELECT unnest([na, nb]) AS n FROM a JOIN b USING (k)",
        "SELECT k FROM a JOIN b USING (k) QUALIFY row_number() OVER (ORDER BY na) = 1",
        "SELECT k FROM a JOIN b USING (k) LIMIT 50%", "SELECT * FROM (SELECT na FROM a JOIN b USING (k))",
        "SELECT max(na) AS s FROM a JOIN b USING (k) HAVING max(na) > 7",
        "SELECT na FROM a JOIN b USING (k) UNION ALL SELECT 1"}) {
    const JoinCount count = join_of(sql);
    EXPECT_FALSE(count.is_answer) << sql;
    EXPECT_EQ(counted(kThreeRowsEach, count), 4) << sql;
  }
}

TEST_F(CountsOfJoins, StopAtALimitOfPlainRowsOnly) {
  EXPECT_TRUE(join_of("SELECT na FROM a JOIN b USING (k) LIMIT 3").stops_at_limit);
  for (const char* sql :
       {"SELECT na FROM a JOIN b USING (k) ORDER BY na LIMIT 3",
        "SELECT sum(na) OVER () AS s FROM a JOIN b USING (k) LIMIT 3",
        "SELECT DISTINCT na FROM a JOIN b USING (k) LIMIT 3",
        "SELECT count(*) AS n FROM a JOIN b USING (k) LIMIT 3", "SELECT na FROM a JOIN b USING (k)"})
    EXPECT_FALSE(join_of(sql).stops_at_limit) << sql;
}

TEST_F(CountsOfJoins, ReadWithTablesAndSubqueries) {
  const JoinCount with =
      join_of("WITH t AS (SELECT k AS key, na FROM a WHERE na < 3) SELECT * FROM t JOIN b ON key = b.k");
  EXPECT_TRUE(with.is_exact);
  EXPECT_EQ(counted(kThreeRowsEach, with), 4);
  const JoinCount grouped = join_of(
      "SELECT * FROM (SELECT k, count(*) AS n FROM a GROUP BY k) AS g JOIN b USING (k) WHERE g.n > 1");
  EXPECT_TRUE(grouped.is_exact);
  EXPECT_EQ(counted(kThreeRowsEach, grouped), 2);
  // A join inside a WITH table is counted with the tables that stand before it.
  const Result<Question> two = check(
      "WITH s AS (SELECT k FROM a WHERE na < 3), t AS (SELECT s.k FROM s JOIN b USING (k)) SELECT * FROM t, "
      "c");
  ASSERT_TRUE(two.ok()) << two.error().message;
  ASSERT_EQ(two->joins->size(), 2U);
  EXPECT_EQ(counted(kThreeRowsEach, two->joins->front()), 4);
  EXPECT_EQ(counted(kThreeRowsEach, two->joins->back()), 12);
}

TEST_F(CountsOfJoins, AreNotKnownOfOtherKindsOfJoins) {
  for (const char* sql :
       {"SELECT * FROM a FULL JOIN b USING (k)", "SELECT * FROM a SEMI JOIN b USING (k)",
        "SELECT * FROM a ANTI JOIN b USING (k)", "SELECT * FROM a ASOF JOIN b ON a.k >= b.k"}) {
    const Result<Question> question = check(sql);
    ASSERT_TRUE(question.ok()) << sql << ": " << question.error().message;
    EXPECT_TRUE(question->joins->empty()) << sql;
  }
  EXPECT_EQ(check("SELECT k FROM a").value().joins, nullptr);
}

}  // namespace
}  // namespace sluice::expression
