#include <limits>

#include "database_testing.h"
#include "sqlite_file.h"

namespace sluice::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<TypeId> types_of(Database& database, const std::string& table) {
  std::vector<TypeId> out;
  const Result<TableLayout> layout = database.describe({.schema = {}, .name = table}, {});
  EXPECT_TRUE(layout.ok()) << layout.error().message;
  if (layout.ok()) {
    for (const TableColumn& column : layout->columns) out.push_back(column.type.id);
  }
  return out;
}

TEST(SqliteTypes, FollowTheDeclaredTypeWhereNothingIsStored) {
  SqliteFile file;
  file.run(
      "CREATE TABLE t(a INTEGER, b REAL, c TEXT, d BLOB, e BOOLEAN, f DECIMAL(10,2), g DATE, h, i "
      "VARCHAR(9))");
  EXPECT_THAT(types_of(*file.database(), "t"),
              ElementsAre(TypeId::kInt64, TypeId::kDouble, TypeId::kText, TypeId::kBlob, TypeId::kBool,
                          TypeId::kDouble, TypeId::kText, TypeId::kText, TypeId::kText));
}

TEST(SqliteTypes, FollowWhatIsStoredWhereItDiffers) {
  SqliteFile file;
  file.run(
      "CREATE TABLE t(a INTEGER, b BOOLEAN, c DATE, d, e NUMERIC, f NUMERIC, g DECIMAL(9,2), h BLOB, i "
      "INTEGER)");
  file.run("INSERT INTO t VALUES (1, 0, 20240101, 1, 1, 9007199254740993, 3, 'text', 1)");
  file.run("INSERT INTO t VALUES ('x', 2, 20240102, 2.5, 2, 1.5, 3.25, x'00', 1.5)");
  EXPECT_THAT(types_of(*file.database(), "t"),
              ElementsAre(TypeId::kText, TypeId::kInt64, TypeId::kInt64, TypeId::kDouble, TypeId::kInt64,
                          TypeId::kText, TypeId::kDouble, TypeId::kText, TypeId::kDouble));
}

TEST(SqliteTypes, ReadEveryValueAsItIs) {
  SqliteFile file;
  file.run("CREATE TABLE t(id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, b BLOB, f BOOLEAN)");
  file.run("INSERT INTO t VALUES (1, 9223372036854775807, 0.1, 'short', x'00ff', 1)");
  file.run("INSERT INTO t VALUES (2, -9223372036854775808, 9e999, 'longer than twelve bytes', x'', 0)");
  file.run("INSERT INTO t VALUES (3, NULL, -9e999, 'nul' || char(0) || 'behind', NULL, NULL)");
  file.run("INSERT INTO t VALUES (4, 0, 0.0 * 9e999, '', zeroblob(20), 1)");  // NaN is stored as NULL.
  const Result<Table> rows = read_table(*file.database(), {.schema = {}, .name = "t"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(*rows,
              ElementsAre(ElementsAre("1", "\"9223372036854775807\"", "0.1", "\"short\"", "\"AP8=\"", "true"),
                          ElementsAre("2", "\"-9223372036854775808\"", "\"Infinity\"",
                                      "\"longer than twelve bytes\"", "\"\"", "false"),
                          ElementsAre("3", "null", "\"-Infinity\"", "\"nul\\u0000behind\"", "null", "null"),
                          ElementsAre("4", "0", "null", "\"\"", "\"AAAAAAAAAAAAAAAAAAAAAAAAAAA=\"", "true")));
}

TEST(SqliteTypes, TextTakesEveryClassExactly) {
  SqliteFile file;
  file.run("CREATE TABLE t(v)");
  file.run(
      "INSERT INTO t VALUES (9007199254740993), (0.1), (1e300), (3.0), (9e999), (x'00ff'), ('x'), (NULL)");
  const Result<Table> rows = read_table(*file.database(), {.schema = {}, .name = "t"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(*rows,
              ElementsAre(ElementsAre("\"9007199254740993\""), ElementsAre("\"0.1\""),
                          ElementsAre("\"1e+300\""), ElementsAre("\"3.0\""), ElementsAre("\"Infinity\""),
                          ElementsAre("\"x'00ff'\""), ElementsAre("\"x\""), ElementsAre("null")));
}

TEST(SqliteTypes, TextThatIsNotUtf8HasReplacementCharacters) {
  SqliteFile file;
  file.run("CREATE TABLE t(v TEXT)");
  file.run("INSERT INTO t VALUES (CAST(x'61ff62c3' AS TEXT)), (CAST(x'eda08061' AS TEXT)), ('é')");
  const Result<Table> rows = read_table(*file.database(), {.schema = {}, .name = "t"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(*rows, ElementsAre(ElementsAre("\"a\uFFFDb\uFFFD\""), ElementsAre("\"\uFFFD\uFFFD\uFFFDa\""),
                                 ElementsAre("\"é\"")));
}

TEST(SqliteTypes, AValueThatDoesNotFitIsToldAndLearned) {
  SqliteFile file;
  file.run("CREATE TABLE t(id INTEGER PRIMARY KEY, \"odd \"\" name\" INTEGER)");
  file.run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 3000) "
      "INSERT INTO t SELECT i, i FROM n");
  const auto database = file.database();
  const TableName name{.schema = {}, .name = "t"};
  EXPECT_THAT(types_of(*database, "t"), ElementsAre(TypeId::kInt64, TypeId::kInt64));
  file.run("UPDATE t SET \"odd \"\" name\" = 2.5 WHERE id = 2500");
  Result<Table> rows = read_table(*database, name);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(rows.error().code, "column_type_changed");
  EXPECT_THAT(rows.error().message, HasSubstr("odd \" name"));

  EXPECT_THAT(types_of(*database, "t"), ElementsAre(TypeId::kInt64, TypeId::kDouble));
  rows = read_table(*database, name);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ((*rows)[2499][1], "2.5");

  file.run("UPDATE t SET \"odd \"\" name\" = 'n/a' WHERE id = 2600");
  EXPECT_EQ(code_of(read_table(*database, name)), "column_type_changed");
  rows = read_table(*database, name);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ((*rows)[2499][1], "\"2.5\"");
  EXPECT_EQ((*rows)[2598][1], "\"2599\"");
  EXPECT_EQ((*rows)[2599][1], "\"n/a\"");
}

TEST(SqliteTypes, AnIntegerThatADoubleDoesNotHoldIsNotRounded) {
  SqliteFile file;
  file.run("CREATE TABLE t(v)");
  file.run("INSERT INTO t VALUES (9007199254740993)");
  const auto database = file.database();
  const Result<Table> rows = one_column(*database, "SELECT v FROM t", TypeId::kDouble);
  EXPECT_EQ(code_of(rows), "column_type_changed");
}

TEST(SqliteTypes, ReadsUtf16Databases) {
  SqliteFile file;
  file.run("PRAGMA encoding='UTF-16le'");
  file.run("CREATE TABLE t(v TEXT)");
  file.run("INSERT INTO t VALUES ('naïve ☃ and longer')");
  EXPECT_THAT(rows_of(read_table(*file.database(), {.schema = {}, .name = "t"})),
              ElementsAre(ElementsAre("\"naïve ☃ and longer\"")));
}

}  // namespace
}  // namespace sluice::engine
