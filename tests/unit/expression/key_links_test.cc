#include <algorithm>
#include <deque>
#include <map>

#include "sluice/expression/key_link.h"
#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using engine::TypeId;

// Tables a, b and c with the same columns, each found once, however often it is read.
class ThreeTables final : public SqlTables {
 public:
  ThreeTables() {
    for (const char* name : {"a", "b", "c"}) {
      tables_.push_back({.name = std::string(kTablePrefix) + name,
                         .columns = {{"id", {.id = TypeId::kInt64}},
                                     {"other", {.id = TypeId::kInt32}},
                                     {"name", {.id = TypeId::kText}},
                                     {"day", {.id = TypeId::kDate}},
                                     {"price", {.id = TypeId::kDouble}},
                                     {"cost", {.id = TypeId::kDecimal, .width = 9, .scale = 2}},
                                     {std::string("only_") + name, {.id = TypeId::kInt64}}}});
    }
  }

  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& /*filters*/) override {
    for (const Table& table : tables_) {
      if (table.name.back() == parts.back().back()) return &table;
    }
    return not_found("no table is called " + parts.back());
  }

  std::string spelling(const TableColumn& column) const {
    for (const Table& table : tables_) {
      if (table.name == column.table)
        return table.name.substr(table.name.size() - 1) + "." + table.columns[column.column].name;
    }
    return "?";
  }

 private:
  std::deque<Table> tables_;
};

class KeyLinkTest : public ::testing::Test {
 protected:
  // "b.id<a.id" where rows of b are restricted by the values of a.id, in alphabetical order.
  std::string links(std::string_view sql) {
    ThreeTables tables;
    const Result<Question> question = check_sql(*engine_, sql, tables, {}, {});
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    if (!question.ok()) return {};
    std::vector<std::string> found;
    for (const KeyLink& link : question->key_links)
      found.push_back(tables.spelling(link.restricted) + "<" + tables.spelling(link.keys));
    std::sort(found.begin(), found.end());
    std::string out;
    for (const std::string& one : found) out += (out.empty() ? "" : " ") + one;
    return out;
  }

  // The columns that a statement may read of `a`, by their names.
  std::string read(std::string_view sql) {
    ThreeTables tables;
    const Result<Question> question = check_sql(*engine_, sql, tables, {}, {});
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    if (!question.ok()) return {};
    const std::string table = std::string(kTablePrefix) + "a";
    const auto found = question->columns_read.find(table);
    if (found == question->columns_read.end()) return "nothing";
    std::string out;
    for (const std::size_t column : found->second)
      out += (out.empty() ? "" : " ") + tables.spelling({.table = table, .column = column}).substr(2);
    return out;
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

constexpr const char* kBoth = "a.id<b.id b.id<a.id";

TEST_F(KeyLinkTest, AnInnerJoinRestrictsBothTables) {
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.id"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON b.id = a.id AND a.name > b.name"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE a.id = b.id"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a CROSS JOIN b WHERE A.ID = B.Id AND a.name = 'x'"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b USING (id)"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON only_a = only_b"), "a.only_a<b.only_b b.only_b<a.only_a");
}

TEST_F(KeyLinkTest, AliasesAreTheNamesOfTables) {
  EXPECT_EQ(links("SELECT 1 FROM a AS x JOIN b AS y ON x.id = y.id"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a AS b JOIN b AS a ON a.id = b.other"), "a.other<b.id b.id<a.other");
  EXPECT_EQ(links("SELECT 1 FROM a AS x(n) JOIN b ON x.n = b.id"), "");
}

TEST_F(KeyLinkTest, AnOuterJoinRestrictsTheSideWhoseRowsItDoesNotKeep) {
  EXPECT_EQ(links("SELECT 1 FROM a LEFT JOIN b ON a.id = b.id"), "b.id<a.id");
  EXPECT_EQ(links("SELECT 1 FROM a RIGHT JOIN b ON a.id = b.id"), "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a LEFT JOIN b USING (id)"), "b.id<a.id");
  EXPECT_EQ(links("SELECT 1 FROM a RIGHT JOIN b USING (id)"), "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a FULL JOIN b ON a.id = b.id"), "");
  EXPECT_EQ(links("SELECT 1 FROM a FULL JOIN b USING (id)"), "");
  EXPECT_EQ(links("SELECT 1 FROM a SEMI JOIN b ON a.id = b.id"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a ANTI JOIN b ON a.id = b.id"), "b.id<a.id");
}

// A row that an outer join has made has NULL there, which is equal to nothing.
TEST_F(KeyLinkTest, WhereRestrictsTablesBelowOuterJoins) {
  EXPECT_EQ(links("SELECT 1 FROM a LEFT JOIN b ON a.name < b.name WHERE a.id = b.id"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a FULL JOIN b ON a.name < b.name WHERE a.id = b.id"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a LEFT JOIN b ON a.name < b.name, c WHERE c.id = b.id"),
            "b.id<c.id c.id<b.id");
}

TEST_F(KeyLinkTest, LinksFollowEachOther) {
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.id JOIN c ON b.id = c.id"),
            "a.id<b.id a.id<c.id b.id<a.id b.id<c.id c.id<a.id c.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.id JOIN c ON b.only_b = c.id"),
            "a.id<b.id b.id<a.id b.only_b<c.id c.id<b.only_b");
  EXPECT_EQ(links("SELECT 1 FROM a LEFT JOIN b ON a.id = b.id LEFT JOIN c ON b.id = c.id"),
            "b.id<a.id c.id<a.id c.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b USING (id) JOIN c USING (id)"),
            "a.id<b.id a.id<c.id b.id<a.id b.id<c.id c.id<a.id c.id<b.id");
}

// The merged column is that of b where a has no row.
TEST_F(KeyLinkTest, UsingAfterARightJoinIsLeftOut) {
  EXPECT_EQ(links("SELECT 1 FROM a RIGHT JOIN b USING (id) JOIN c USING (id)"), "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM (SELECT 1 AS id) s JOIN a ON true JOIN b USING (other)"), "");
  EXPECT_EQ(links("SELECT 1 FROM a NATURAL JOIN b"), "");
}

TEST_F(KeyLinkTest, OnlyWhatMustHoldRestricts) {
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE a.id = b.id OR a.name = 'x'"), "");
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE NOT (a.id = b.id)"), "");
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE a.id <> b.id"), "");
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE a.id >= b.id"), "");
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE a.id IS NOT DISTINCT FROM b.id"), "");
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE a.id + 0 = b.id"), "");
  EXPECT_EQ(links("SELECT 1 FROM a, b WHERE CAST(a.id AS INTEGER) = b.other"), "");
  EXPECT_EQ(links("SELECT a.id = b.id FROM a, b"), "");
  EXPECT_EQ(links("SELECT count(*) FROM a, b GROUP BY a.id, b.id HAVING a.id = b.id"), "");
}

TEST_F(KeyLinkTest, TypesHaveOneForm) {
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.other"), "a.id<b.other b.other<a.id");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.name = b.name"), "a.name<b.name b.name<a.name");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.day = b.day"), "a.day<b.day b.day<a.day");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.cost = b.cost"), "a.cost<b.cost b.cost<a.cost");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.price = b.price"), "");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.cost"), "");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.price"), "");
}

TEST_F(KeyLinkTest, InWithASubqueryIsASemiJoin) {
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT id FROM b)"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a WHERE a.id IN (SELECT DISTINCT id FROM b WHERE name = 'x')"), kBoth);
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT b.id FROM b LEFT JOIN c ON b.name < c.name)"),
            "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT id FROM b LIMIT 3)"), "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT id FROM b GROUP BY id HAVING count(*) > 1)"),
            "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id NOT IN (SELECT id FROM b)"), "");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE NOT (id IN (SELECT id FROM b))"), "");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT id FROM b) OR name = 'x'"), "");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT id + 1 FROM b)"), "");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id IN (SELECT id FROM b UNION ALL SELECT id FROM c)"), "");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE id > ANY (SELECT id FROM b)"), "");
  EXPECT_EQ(links("SELECT id IN (SELECT id FROM b) FROM a"), "");
  EXPECT_EQ(links("SELECT 1 FROM a LEFT JOIN c ON c.id IN (SELECT id FROM b)"), "b.id<c.id c.id<b.id");
}

// A name in a subquery is that of a table in it before it is one of the tables around it.
TEST_F(KeyLinkTest, NamesOfOuterTablesMeanNothingInside) {
  EXPECT_EQ(links("SELECT (SELECT count(*) FROM b WHERE b.id = a.id) FROM a"), "");
  EXPECT_EQ(links("SELECT (SELECT count(*) FROM b JOIN c ON b.id = c.id WHERE b.other = a.id) FROM a"),
            "b.id<c.id c.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a WHERE EXISTS (SELECT 1 FROM b WHERE only_a = only_b)"), "");
  EXPECT_EQ(links("WITH w AS (SELECT * FROM a JOIN b USING (id)) SELECT * FROM w JOIN c ON w.id = c.id"),
            kBoth);
  EXPECT_EQ(links("SELECT 1 FROM (SELECT id FROM a) s JOIN b ON s.id = b.id"), "");
  EXPECT_EQ(links("WITH b AS (SELECT 1 AS id) SELECT 1 FROM a JOIN b ON a.id = b.id"), "");
}

TEST_F(KeyLinkTest, ATableThatIsReadTwiceIsNotRestricted) {
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.id WHERE a.other = (SELECT max(other) FROM b)"),
            "a.id<b.id");
  EXPECT_EQ(links("SELECT 1 FROM a x JOIN a y ON x.id = y.other"), "");
  EXPECT_EQ(links("SELECT 1 FROM a JOIN b ON a.id = b.id UNION ALL SELECT 1 FROM a"), "b.id<a.id");
}

TEST_F(KeyLinkTest, AsofJoinsRestrictOnlyByConditionsAboveThem) {
  EXPECT_EQ(links("SELECT 1 FROM a ASOF JOIN b ON a.id = b.id AND a.other >= b.other"), "");
}

TEST_F(KeyLinkTest, ColumnsThatAreNamedAreRead) {
  EXPECT_EQ(read("SELECT a.id FROM a WHERE name = 'x'"), "id name");
  EXPECT_EQ(read("SELECT count(*) FROM a"), "");
  EXPECT_EQ(read("SELECT b.id FROM a JOIN b USING (day) ORDER BY A.COST"), "id day cost");
  EXPECT_EQ(read("SELECT x.id FROM a AS x, LATERAL (SELECT x.price) p"), "id price");
  EXPECT_EQ(read("SELECT 1 FROM b"), "nothing");
}

TEST_F(KeyLinkTest, WhateverStandsForColumnsReadsAll) {
  const std::string all = "id other name day price cost only_a";
  EXPECT_EQ(read("SELECT * FROM a"), all);
  EXPECT_EQ(read("FROM a"), all);
  EXPECT_EQ(read("SELECT x.* FROM a AS x"), all);
  EXPECT_EQ(read("SELECT n FROM a AS x(n)"), all);
  EXPECT_EQ(read("SELECT b.id FROM a NATURAL JOIN b"), all);
  EXPECT_EQ(read("SELECT 1 FROM b WHERE EXISTS (SELECT a.* FROM a)"), all);
  EXPECT_EQ(read("SELECT * FROM (SELECT id FROM a) s"), "id");
  EXPECT_EQ(read("SELECT b.* FROM a JOIN b USING (id)"), "id");
  EXPECT_EQ(read("PIVOT a ON name IN ('x', 'y') USING sum(id)"), all);
}

}  // namespace
}  // namespace sluice::expression
