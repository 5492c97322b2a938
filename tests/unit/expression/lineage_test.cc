#include "sluice/expression/lineage.h"

#include <deque>

#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using engine::TypeId;

// Tables t (id, v, name) and u (id, w, tags).
class TwoTables final : public SqlTables {
 public:
  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& /*filters*/) override {
    for (const Table& table : tables_) {
      if (table.name.back() == parts.back().back()) return &table;
    }
    return not_found("no table is called " + parts.back());
  }

  const std::deque<Table>& tables() const { return tables_; }

 private:
  const std::deque<Table> tables_ = {
      {.name = "sluice_table_t",
       .columns = {{"id", {.id = TypeId::kInt64}},
                   {"v", {.id = TypeId::kInt64}},
                   {"name", {.id = TypeId::kText}}}},
      {.name = "sluice_table_u",
       .columns = {{"id", {.id = TypeId::kInt64}},
                   {"w", {.id = TypeId::kInt64}},
                   {"tags", {.id = TypeId::kList, .fields = {{"element", {.id = TypeId::kText}}}}}}}};
};

class LineageTest : public ::testing::Test {
 protected:
  // "n=aggregated t.v; x=copy t.id,computed u.w | t.id" with the filters behind the line.
  std::string lineage(std::string_view sql) {
    TwoTables tables;
    const Result<Question> question = check_sql(*engine_, sql, tables, {}, {});
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    if (!question.ok()) return {};
    const auto spelling = [&](const TableColumn& column) {
      for (const SqlTables::Table& table : tables.tables()) {
        if (table.name == column.table)
          return table.name.substr(table.name.size() - 1) + "." + table.columns[column.column].name;
      }
      return std::string("?");
    };
    std::string out;
    for (const ColumnLineage& column : question->lineage.columns) {
      out += (out.empty() ? "" : "; ") + column.name + "=";
      for (const Origin& one : column.origins) {
        if (&one != &column.origins.front()) out += ",";
        out += std::string(to_string(one.how)) + " " + spelling(one.column);
      }
    }
    for (const TableColumn& column : question->lineage.filters)
      out += (&column == &question->lineage.filters.front() ? " | " : ",") + spelling(column);
    return out;
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(LineageTest, ColumnsAreCopiedComputedOrAggregated) {
  EXPECT_EQ(lineage("SELECT id, v AS x FROM t"), "id=copy t.id; x=copy t.v");
  EXPECT_EQ(lineage("SELECT id + v AS x, upper(name) AS y, 1 AS z FROM t"),
            "x=computed t.id,computed t.v; y=computed t.name; z=");
  EXPECT_EQ(lineage("SELECT name, sum(v) AS s, max(v + id) + 1 AS m, count(*) AS n FROM t GROUP BY name"),
            "name=copy t.name; s=aggregated t.v; m=aggregated t.id,aggregated t.v; n=");
  EXPECT_EQ(lineage("SELECT v * sum(v) OVER (ORDER BY id) AS x FROM t"), "x=computed t.id,computed t.v");
  EXPECT_EQ(lineage("SELECT CAST(v AS VARCHAR) AS x, CASE WHEN id > 1 THEN name END AS y FROM t"),
            "x=computed t.v; y=computed t.id,computed t.name");
}

TEST_F(LineageTest, FiltersAreColumnsOfConditions) {
  EXPECT_EQ(lineage("SELECT id FROM t WHERE v > 1"), "id=copy t.id | t.v");
  EXPECT_EQ(lineage("SELECT name FROM t GROUP BY name HAVING count(v) > 1"), "name=copy t.name | t.v");
  EXPECT_EQ(lineage("SELECT a.v FROM t a JOIN u b ON a.id = b.id"), "v=copy t.v | t.id,u.id");
  EXPECT_EQ(lineage("SELECT v FROM t WHERE id IN (SELECT id FROM u WHERE w = 2)"),
            "v=copy t.v | t.id,u.id,u.w");
  EXPECT_EQ(lineage("SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)"),
            "v=copy t.v | t.id,u.id");
  EXPECT_EQ(lineage("SELECT id FROM t EXCEPT SELECT w FROM u"), "id=copy t.id | u.w");
}

TEST_F(LineageTest, QueriesInsideAreFollowed) {
  EXPECT_EQ(lineage("SELECT y FROM (SELECT v AS y FROM t WHERE id = 1) s"), "y=copy t.v | t.id");
  EXPECT_EQ(lineage("WITH s(n) AS (SELECT sum(v) FROM t) SELECT n, n + 1 AS m FROM s"),
            "n=aggregated t.v; m=aggregated t.v");
  EXPECT_EQ(lineage("WITH s AS (SELECT * FROM t) SELECT a.id, b.v FROM s a JOIN s b USING (id)"),
            "id=copy t.id; v=copy t.v | t.id");
  EXPECT_EQ(lineage("SELECT id FROM t UNION ALL SELECT w FROM u"), "id=copy t.id,copy u.w");
  EXPECT_EQ(lineage("SELECT id AS a, v AS b FROM t UNION ALL BY NAME SELECT w AS b FROM u"),
            "a=copy t.id; b=copy t.v,copy u.w");
  EXPECT_EQ(lineage("SELECT (SELECT max(w) FROM u WHERE u.id = t.id) AS m FROM t"),
            "m=aggregated u.w | t.id,u.id");
}

TEST_F(LineageTest, StarsAreTheColumnsOfTheirTables) {
  EXPECT_EQ(lineage("SELECT * FROM t"), "id=copy t.id; v=copy t.v; name=copy t.name");
  EXPECT_EQ(lineage("SELECT b.*, a.v FROM t a, u b"),
            "id=copy u.id; w=copy u.w; tags=copy u.tags; v=copy t.v");
  EXPECT_EQ(lineage("SELECT * FROM t JOIN u USING (id)"),
            "id=copy t.id,copy u.id; v=copy t.v; name=copy t.name; w=copy u.w; tags=copy u.tags | t.id,u.id");
  EXPECT_EQ(lineage("SELECT * FROM t SEMI JOIN u USING (id)"),
            "id=copy t.id,copy u.id; v=copy t.v; name=copy t.name | t.id,u.id");
  EXPECT_EQ(lineage("SELECT * FROM t AS x(a, b)"), "a=copy t.id; b=copy t.v; name=copy t.name");
}

TEST_F(LineageTest, NamesAreThoseOfColumnsBeforeAliases) {
  EXPECT_EQ(lineage("SELECT v AS id, id AS x FROM t"), "id=copy t.v; x=copy t.id");
  EXPECT_EQ(lineage("SELECT v + 1 AS y, y * 2 AS z FROM t"), "y=computed t.v; z=computed t.v");
  EXPECT_EQ(lineage("SELECT t.v FROM t AS t"), "v=copy t.v");
}

TEST_F(LineageTest, ElementsOfListsComeFromTheirColumn) {
  EXPECT_EQ(lineage("SELECT tag FROM u, unnest(tags) AS x(tag)"), "tag=computed u.tags");
  EXPECT_EQ(lineage("SELECT list_transform(tags, lambda x: upper(x)) AS y FROM u"), "y=computed u.tags");
  EXPECT_EQ(lineage("SELECT list_filter(tags, lambda x: len(x) > w) AS y FROM u"),
            "y=computed u.w,computed u.tags");
}

// Too much is said rather than too little.
TEST_F(LineageTest, OfClausesThatAreNotFollowedEveryColumnCounts) {
  EXPECT_EQ(lineage("SELECT * EXCLUDE (name, v) FROM t"), "id=computed t.id,computed t.v,computed t.name");
  EXPECT_EQ(lineage("SELECT v FROM t NATURAL JOIN u"),
            "v=computed t.id,computed t.v,computed t.name,computed u.id,computed u.w,computed u.tags");
}

}  // namespace
}  // namespace sluice::expression
