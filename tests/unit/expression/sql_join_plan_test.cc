// Statements over several tables: which have a plan, and that it gives the rows of the statement.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sluice/expression/sql.h"
#include "sluice/plan/engine_sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using engine::TypeId;
using ::testing::HasSubstr;

// "region" is in all tables, "id" in two.
const std::map<std::string, std::string>& contents() {
  static const std::map<std::string, std::string> kContents = {
      {"orders",
       "SELECT * FROM (VALUES (1::BIGINT, 10::BIGINT, 'north', 5.50::DECIMAL(10,2)), (2, 10, 'south', 7),"
       " (3, 20, 'north', NULL), (4, NULL, NULL, 1), (5, 99, 'East', 2)) t(id, customer, region, amount)"},
      {"customers",
       "SELECT * FROM (VALUES (10::BIGINT, 'north', 'Ann', 1::INTEGER), (20, 'west', 'Bob', 2),"
       " (30, NULL, 'Cid', 3), (10, 'south', 'Ann', NULL)) t(id, region, name, size)"},
      {"items",
       "SELECT * FROM (VALUES (1::BIGINT, 'x', 'north'), (1, 'y', 'north'), (3, 'x', 'west'), (9, NULL, "
       "NULL))"
       " t(order_id, sku, region)"},
  };
  return kContents;
}

class Tables final : public SqlTables {
 public:
  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& /*filters*/) override {
    for (const Table& table : tables_) {
      if (table.name == "sluice_table_" + parts.back()) return &table;
    }
    return not_found("no table " + parts.back());
  }

 private:
  const engine::Type long_{.id = TypeId::kInt64};
  const engine::Type text_{.id = TypeId::kText};
  const std::vector<Table> tables_ = {
      {.name = "sluice_table_orders",
       .columns = {{"id", long_},
                   {"customer", long_},
                   {"region", text_},
                   {"amount", {.id = TypeId::kDecimal, .width = 10, .scale = 2}}}},
      {.name = "sluice_table_customers",
       .columns = {{"id", long_}, {"region", text_}, {"name", text_}, {"size", {.id = TypeId::kInt32}}}},
      {.name = "sluice_table_items", .columns = {{"order_id", long_}, {"sku", text_}, {"region", text_}}},
  };
};

class SqlJoinPlan : public ::testing::Test {
 protected:
  Question check(const std::string& sql) {
    Result<Question> question = check_sql(*engine_, sql, tables_, {}, {});
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    return question.ok() ? *std::move(question) : Question();
  }

  Result<std::vector<std::string>> rows(const engine::Statement& statement) {
    std::string with;
    for (const auto& [name, sql] : contents())
      with += fmt::format("{}sluice_table_{} AS ({})", with.empty() ? "WITH " : ", ", name, sql);
    return rows_of(*engine_, {.sql = with + " " + statement.sql, .parameters = statement.parameters});
  }

  Tables tables_;
  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(SqlJoinPlan, SaysWhichTablesAreJoinedAndHow) {
  const Question question =
      check("SELECT c.name FROM orders o LEFT JOIN customers c ON c.id = o.customer AND c.size > 1");
  ASSERT_TRUE(question.plan);
  EXPECT_THAT(
      plan::to_json(*question.plan),
      ::testing::StartsWith(
          R"({"node":"project","columns":[6],"names":["name"],"input":{"node":"join","kind":"left","keys":)"
          R"([{"left":1,"right":0}],"left":{"node":"scan","table":"sluice_table_orders")"));
  EXPECT_THAT(plan::to_json(*question.plan),
              HasSubstr(R"("right":{"node":"filter","condition":{"is":"compare","column":3,"sign":">",)"
                        R"("values":[1]},"input":{"node":"scan","table":"sluice_table_customers")"));
  EXPECT_FALSE(never_grows(question));
}

// Each of these has a plan, which gives the same rows, names and types as the statement.
TEST_F(SqlJoinPlan, GivesTheRowsOfTheStatement) {
  for (const std::string& sql : std::vector<std::string>{
           "SELECT o.id, name FROM orders o JOIN customers c ON o.customer = c.id",
           "SELECT o.id, name FROM orders o JOIN customers c ON c.id = o.customer WHERE amount > 5",
           "SELECT o.id, name FROM orders AS o, customers c WHERE o.customer = c.id AND name <> 'Bob'",
           "SELECT orders.id, customers.region FROM orders, customers, items WHERE orders.customer = "
           "customers.id AND order_id = orders.id",
           "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id",
           "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id AND c.size > 1",
           "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id WHERE c.size > 1",
           "SELECT o.id FROM orders o LEFT JOIN customers c ON o.customer = c.id WHERE c.id IS NULL",
           "SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON o.customer = c.id WHERE o.id > 1 OR "
           "c.name = 'Ann'",
           "SELECT o.id FROM orders o INNER JOIN customers c ON o.customer = c.id AND o.amount >= 7 AND "
           "c.name "
           "LIKE 'A%'",
           "SELECT o.id, region FROM orders o LEFT JOIN customers c USING (region)",
           "SELECT o.id, REGION AS place, c.region AS theirs FROM orders o LEFT JOIN customers c USING "
           "(Region)",
           "SELECT * FROM items LEFT JOIN customers USING (region)",
           "SELECT a.*, b.amount AS other FROM orders a JOIN orders b USING (id, region)",
           "SELECT c.region, sku FROM customers c JOIN items USING (region)",
           "SELECT region, name, sku FROM orders LEFT JOIN customers USING (region) LEFT JOIN items USING "
           "(region)",
           "SELECT a.id, b.amount FROM orders a JOIN orders b ON a.customer = b.customer AND a.region = "
           "b.region",
           "SELECT c.region, count(*) AS n, sum(amount) AS total FROM orders o JOIN customers c ON "
           "o.customer = "
           "c.id GROUP BY c.region",
           "SELECT name, count(sku), max(items.region) FROM customers c LEFT JOIN orders o ON o.customer = "
           "c.id "
           "LEFT JOIN items ON order_id = o.id GROUP BY name HAVING count(*) > 1",
           "SELECT DISTINCT name, sku FROM customers c JOIN orders o ON o.customer = c.id JOIN items i ON "
           "i.order_id = o.id",
           "SELECT count(*) FROM orders o CROSS JOIN items i WHERE i.order_id = o.id",
           "SELECT o.id, name FROM orders o LEFT JOIN customers c ON o.customer = c.id ORDER BY name DESC, "
           "o.id, "
           "c.region LIMIT 3 OFFSET 1",
           "SELECT o.id AS c1, i.order_id AS c0 FROM orders o LEFT JOIN items i ON i.order_id = o.id",
           "SELECT o.id FROM orders o LEFT JOIN items i ON i.order_id = o.id JOIN customers c ON c.id = "
           "o.customer AND i.sku = 'x'",
           "SELECT o.id FROM orders o LEFT JOIN items i ON i.order_id = o.id CROSS JOIN customers c WHERE "
           "i.region = c.region",
       }) {
    const Question question = check(sql);
    ASSERT_TRUE(question.plan) << sql;
    engine::Statement statement = plan::engine_sql(question.plan);
    if (const auto* limit = std::get_if<plan::Limit>(&question.plan->op))
      statement.sql += fmt::format(" LIMIT {} OFFSET {}", *limit->rows, limit->offset);
    auto expected = rows({.sql = question.sql, .parameters = {}});
    auto found = rows(statement);
    ASSERT_TRUE(expected.ok()) << sql << expected.error().message;
    ASSERT_TRUE(found.ok()) << statement.sql << found.error().message;
    if (!sql.ends_with("OFFSET 1")) {
      std::sort(expected->begin(), expected->end());
      std::sort(found->begin(), found->end());
    }
    EXPECT_FALSE(expected->empty()) << sql;
    EXPECT_EQ(*found, *expected) << sql << "\n" << statement.sql;
  }
}

TEST_F(SqlJoinPlan, IsNullForOtherJoins) {
  for (const std::string& sql : std::vector<std::string>{
           "SELECT o.id FROM orders o, customers c",
           "SELECT o.id FROM orders o JOIN customers c ON o.id > c.id",
           "SELECT o.id FROM orders o JOIN customers c ON o.customer = c.size",
           "SELECT o.id FROM orders o JOIN customers c ON o.customer = c.id + 1",
           "SELECT o.id FROM orders o JOIN customers c ON o.customer = c.id OR o.id = c.id",
           "SELECT o.id FROM orders o RIGHT JOIN customers c ON o.customer = c.id",
           "SELECT o.id FROM orders o FULL JOIN customers c ON o.customer = c.id",
           "SELECT o.id FROM orders o SEMI JOIN customers c ON o.customer = c.id",
           "SELECT o.id FROM orders o ANTI JOIN customers c ON o.customer = c.id",
           "SELECT o.id FROM orders o NATURAL JOIN customers c",
           "SELECT o.id FROM orders o ASOF JOIN customers c ON o.customer = c.id AND o.id >= c.size",
           "SELECT o.id FROM orders o LEFT JOIN customers c ON o.customer = c.id AND o.id > 1",
           "SELECT o.id FROM orders o LEFT JOIN customers c ON o.customer = c.id AND (c.size > 1 OR o.id > "
           "1)",
           "SELECT o.id FROM orders o LEFT JOIN customers c ON o.customer = c.id WHERE o.region = c.region",
           "SELECT o.id FROM orders o JOIN (customers c JOIN items i USING (region)) ON o.customer = c.id",
           "SELECT o.id FROM orders o JOIN (SELECT id FROM customers) c ON o.customer = c.id",
           "SELECT o.id FROM orders o JOIN customers c(a, b, d, e) ON o.customer = a",
           "SELECT o.id FROM orders o JOIN customers c ON o.customer = c.id WHERE o.id = o.customer",
           "SELECT o.id, c.id FROM orders o JOIN customers c ON o.customer = c.id",
           "SELECT * FROM orders o JOIN customers c ON o.customer = c.id",
           "SELECT o.id + c.size FROM orders o JOIN customers c ON o.customer = c.id",
       }) {
    const Result<Question> question = check_sql(*engine_, sql, tables_, {}, {});
    ASSERT_TRUE(question.ok()) << sql << question.error().message;
    EXPECT_EQ(question->plan, nullptr) << sql;
  }
}

}  // namespace
}  // namespace sluice::expression
