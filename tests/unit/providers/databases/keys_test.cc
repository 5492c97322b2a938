// Joins across sources: a database sends the rows that meet the keys of a small table, and no others.

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/base/log.h"

#include "database_server.h"
#include "owner.h"

namespace sluice::databases::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kFewKeys = 20;

// 200 rows: `pick` has each number from 0 to 49 four times, and NULL in a fifth of the rows.
constexpr const char* kRows =
    " SELECT i, CASE WHEN i % 5 = 4 THEN NULL ELSE i % 50 END, CASE i % 7 WHEN 0 THEN 'one' WHEN 1 THEN "
    "'One' "
    "WHEN 2 THEN 'one ' WHEN 3 THEN '' WHEN 4 THEN NULL WHEN 5 THEN 'it''s' ELSE 'ünë' END FROM n;";

std::string sqlite_table(const std::string& name) {
  return "CREATE TABLE " + name + " (id INTEGER PRIMARY KEY, pick INTEGER, name TEXT); INSERT INTO " + name +
         " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)" + kRows;
}

std::string postgres_table(const std::string& name) {
  return "CREATE TABLE " + name +
         " (id int PRIMARY KEY, pick bigint, name text, day date, cost numeric(9, 2), code uuid); INSERT "
         "INTO " +
         name + " (id, pick, name) SELECT * FROM (WITH n AS (SELECT generate_series(1, 200) AS i)" + kRows +
         "UPDATE " + name +
         " SET day = DATE '2024-01-01' + (id % 30), cost = id / 4.0, code = ('00000000-0000-0000-0000-' || "
         "lpad((id % 40)::text, 12, '0'))::uuid; ANALYZE " +
         name + ";";
}

std::string without_last(std::string sql, const std::string& end, const std::string& with) {
  sql.replace(sql.find(end), end.size(), with);
  return sql;
}

// The keys that were sent, e.g. "picks > shop/items.pick: 3".
std::vector<std::string> sent_keys(const std::string& log) {
  const auto member = [](const std::string& line, const std::string& key) {
    const std::size_t begin = line.find("\"" + key + "\":") + key.size() + 3;
    std::string value = line.substr(begin, line.find_first_of(",}", begin) - begin);
    std::erase(value, '"');
    return value;
  };
  std::vector<std::string> out;
  std::size_t at = 0;
  while ((at = log.find(R"("event":"query.keys_sent")", at)) != std::string::npos) {
    const std::string line = log.substr(at, log.find('\n', at) - at);
    out.push_back(member(line, "from") + " > " + member(line, "to") + "." + member(line, "column") + ": " +
                  member(line, "keys"));
    ++at;
  }
  return out;
}

struct KeyAnswer {
  std::string text;
  std::vector<std::string> sent;
};

KeyAnswer ask(DatabaseServer& server, const std::string& sql) {
  log::set_level(log::Level::kDebug);
  ::testing::internal::CaptureStderr();
  KeyAnswer out;
  out.text = server.text("query", R"({"sql":)" + in_json(sql) + "}");
  out.sent = sent_keys(::testing::internal::GetCapturedStderr());
  log::set_level(log::Level::kWarning);
  return out;
}

DatabaseServerOptions options_for(const std::string& folder, std::uint64_t keys = kFewKeys) {
  return {.folder = folder,
          .limits = {.usual = {}, .ceiling = {.tokens = 1'000'000}, .push_keys = keys},
          .profile = datasets::ToolProfile::kLean};
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

constexpr const char* kPicks =
    "id,label,day,code\n3,one,2024-01-03,00000000-0000-0000-0000-000000000007\n3,One,2024-01-05,\n"
    "7,ünë,2024-01-03,x\n,it's,,\n49,,2024-02-01,\n90,\"\",2024-01-30,\n-1,one ,2023-12-31,\n";

// A folder with picks.csv, and the tables shop.items in SQLite and far.goods in PostgreSQL.
class KeyTest : public ::testing::TestWithParam<int> {
 protected:
  KeyTest() {
    write_file(folder_.at("picks.csv"), kPicks);
    SqliteWriter(database_.at("shop.db")).run(sqlite_table("items"));
    far_ = fresh_postgres("far", postgres(GetParam()));
    postgres(GetParam()).run(without_last(postgres_table("goods"), "FROM n;", "FROM n) AS r;"));
  }

  std::vector<DatabaseSpec> specs(PushDown push_down = PushDown::kOn) const {
    std::vector<DatabaseSpec> out{sqlite_spec("shop", database_.at("shop.db")), far_};
    for (DatabaseSpec& spec : out) spec.push_down = push_down;
    return out;
  }

  TestFolder folder_;
  TestFolder database_;
  DatabaseSpec far_;
};
INSTANTIATE_TEST_SUITE_P(Both, KeyTest, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

TEST_P(KeyTest, TheDatabaseOfTheOtherTableGetsThem) {
  DatabaseServer server(specs(), options_for(folder_.path()));
  const KeyAnswer near = ask(server, "SELECT count(*) AS n FROM picks p JOIN items i ON i.pick = p.id");
  EXPECT_EQ(near.text, "n\n12\n");
  EXPECT_THAT(near.sent, ElementsAre("picks > shop/items.pick: 5"));
  const KeyAnswer far =
      ask(server, "SELECT count(*) AS n FROM goods g JOIN picks p ON g.pick = p.id WHERE p.label > 'o'");
  EXPECT_THAT(far.sent, ElementsAre("picks > far/goods.pick: 3"));
}

// What the statement answers must not depend on what the databases compute.
TEST_P(KeyTest, AnswersAreThoseOfWholeTables) {
  DatabaseServer pushed(specs(), options_for(folder_.path()));
  DatabaseServer whole(specs(PushDown::kOff), options_for(folder_.path(), 0));
  struct Asked {
    std::string sql;
    std::size_t sent = 0;  // How many tables get keys.
  };
  for (const std::string table : {"items", "goods"}) {
    const std::vector<Asked> statements = {
        {"SELECT t.id, p.label FROM picks p JOIN TABLE t ON t.pick = p.id", 1},
        {"SELECT t.id, p.label FROM picks p, TABLE t WHERE t.pick = p.id AND t.id > 20", 1},
        {"SELECT p.id, p.label, t.id AS t FROM picks p LEFT JOIN TABLE t ON t.pick = p.id", 1},
        {"SELECT p.id, p.label, t.id AS t FROM TABLE t RIGHT JOIN picks p ON t.pick = p.id AND t.id < 99", 1},
        {"SELECT p.id, t.id AS t FROM picks p RIGHT JOIN TABLE t ON t.pick = p.id", 0},
        {"SELECT p.id, t.id AS t FROM TABLE t LEFT JOIN picks p ON t.pick = p.id", 0},
        {"SELECT p.id, t.id AS t FROM picks p FULL JOIN TABLE t ON t.pick = p.id", 0},
        {"SELECT p.id, t.id AS t FROM picks p FULL JOIN TABLE t ON t.name = p.label WHERE t.pick = p.id", 1},
        {"SELECT id, p.label, t.name FROM picks p JOIN TABLE t USING (id)", 1},
        {"SELECT t.id, p.id AS p FROM picks p JOIN TABLE t ON t.name = p.label", 1},
        {"SELECT t.id FROM TABLE t WHERE pick IN (SELECT id FROM picks WHERE label LIKE 'o%')", 1},
        {"SELECT t.id FROM TABLE t WHERE pick NOT IN (SELECT id FROM picks)", 0},
        {"SELECT t.id FROM TABLE t WHERE pick NOT IN (SELECT id FROM picks WHERE id IS NOT NULL)", 0},
        {"SELECT t.id FROM TABLE t WHERE NOT EXISTS (SELECT 1 FROM picks p WHERE p.id = t.pick)", 0},
        {"SELECT t.id FROM TABLE t ANTI JOIN picks p ON p.id = t.pick", 0},
        {"SELECT p.id, p.label FROM picks p ANTI JOIN TABLE t ON p.id = t.pick", 1},
        {"SELECT t.id FROM TABLE t SEMI JOIN picks p ON p.id = t.pick", 1},
        {"SELECT p.label FROM picks p WHERE p.id IN (SELECT pick FROM TABLE WHERE id % 2 = 0)", 1},
        {"SELECT t.id FROM picks p, TABLE t WHERE t.pick = p.id OR t.id = 5", 0},
        {"SELECT t.id, p.id AS p FROM picks p, TABLE t WHERE NOT (t.pick = p.id) AND t.id < 9", 0},
        {"SELECT t.id, p.id AS p FROM picks p JOIN TABLE t ON t.pick = p.id WHERE p.id > 1000", 1},
        {"SELECT p.id, t.id AS t FROM picks p LEFT JOIN TABLE t ON t.pick = p.id WHERE t.id IS NULL", 1},
        {"SELECT sum(t.id) AS s, count(*) AS n FROM picks p JOIN TABLE t ON t.pick = p.id", 1},
        {"WITH w AS (SELECT t.id, t.pick FROM TABLE t JOIN picks p ON t.pick = p.id) SELECT a.id FROM w a "
         "JOIN "
         "w b USING (pick)",
         1},
        {"SELECT t.id FROM TABLE t JOIN picks p ON t.pick = p.id UNION ALL SELECT id FROM TABLE", 0},
    };
    for (const Asked& asked : statements) {
      std::string sql = asked.sql;
      for (std::size_t at = sql.find("TABLE"); at != std::string::npos; at = sql.find("TABLE"))
        sql.replace(at, 5, table);
      sql = "SELECT * FROM (" + sql + ") ORDER BY ALL";
      const KeyAnswer told = ask(pushed, sql);
      EXPECT_EQ(told.text, ask(whole, sql).text) << sql;
      EXPECT_THAT(told.sent, ::testing::SizeIs(asked.sent)) << sql;
    }
  }
}

TEST_P(KeyTest, TypesThatCompareExactlyAreKeys) {
  DatabaseServer pushed(specs(), options_for(folder_.path()));
  DatabaseServer whole(specs(PushDown::kOff), options_for(folder_.path(), 0));
  for (const char* sql :
       {"SELECT g.id, p.id AS p FROM picks p JOIN goods g ON g.day = p.day",
        "SELECT g.id, i.id AS p FROM items i JOIN goods g ON g.name = i.name WHERE i.id < 9",
        "SELECT g.id, i.id AS p FROM items i JOIN goods g ON g.pick = i.id WHERE g.id < 9"}) {
    const std::string ordered = std::string(sql) + " ORDER BY ALL";
    const KeyAnswer told = ask(pushed, ordered);
    EXPECT_EQ(told.text, ask(whole, ordered).text) << sql;
    EXPECT_THAT(told.sent, ::testing::SizeIs(1)) << sql;
  }
  for (const char* sql : {"SELECT count(*) AS n FROM picks p JOIN goods g ON g.cost = p.id",
                          "SELECT count(*) AS n FROM picks p JOIN goods g ON g.cost::DOUBLE = p.id"}) {
    const KeyAnswer told = ask(pushed, sql);
    EXPECT_EQ(told.text, ask(whole, sql).text) << sql;
    EXPECT_THAT(told.sent, IsEmpty()) << sql;
  }
}

// The keys of picks restrict items, whose own keys restrict goods.
TEST_P(KeyTest, KeysOfKeysAreSentOn) {
  DatabaseServer pushed(specs(), options_for(folder_.path()));
  DatabaseServer whole(specs(PushDown::kOff), options_for(folder_.path(), 0));
  const std::string sql =
      "SELECT p.id, i.id AS i, g.name FROM picks p JOIN items i ON i.pick = p.id JOIN goods g ON g.pick = "
      "i.id "
      "WHERE p.id = 3 ORDER BY ALL";
  const KeyAnswer told = ask(pushed, sql);
  EXPECT_EQ(told.text, ask(whole, sql).text);
  EXPECT_THAT(told.sent, ElementsAre("picks > shop/items.pick: 1", "shop/items > far/goods.pick: 4"));
}

TEST_P(KeyTest, MoreKeysThanAllowedAreNotCutButLeftOut) {
  std::string many = "id\n";
  for (int i = 1; i <= 21; ++i) many += std::to_string(i) + "\n";
  write_file(folder_.at("many.csv"), many);
  DatabaseServer server(specs(), options_for(folder_.path()));
  const std::string sql = "SELECT count(*) AS n, max(i.id) AS m FROM many JOIN items i ON i.id = many.id";
  const KeyAnswer all = ask(server, sql);
  EXPECT_EQ(all.text, "n,m\n21,21\n");
  EXPECT_THAT(all.sent, IsEmpty());
  const KeyAnswer fewer = ask(server, sql + " WHERE many.id <> 5");
  EXPECT_EQ(fewer.text, "n,m\n20,21\n");
  EXPECT_THAT(fewer.sent, ElementsAre("many > shop/items.id: 20"));
}

// One key of a megabyte is as much as may be sent.
TEST_P(KeyTest, KeysOfManyBytesAreLeftOut) {
  write_file(folder_.at("long.csv"), "label\n" + std::string(1 << 20, 'x') + "y\n");
  write_file(folder_.at("short.csv"), "label\n" + std::string(1 << 10, 'x') + "y\n");
  DatabaseServer server(specs(), options_for(folder_.path()));
  const KeyAnswer told = ask(server, "SELECT count(*) AS n FROM long JOIN items i ON i.name = long.label");
  EXPECT_EQ(told.text, "n\n0\n");
  EXPECT_THAT(told.sent, IsEmpty());
  EXPECT_THAT(ask(server, "SELECT count(*) AS n FROM short JOIN items i ON i.name = short.label").sent,
              ElementsAre("short > shop/items.name: 1"));
}

TEST_P(KeyTest, SmallTablesAreReadAsTheyAre) {
  DatabaseServer server(specs(), options_for(folder_.path(), 10'000));
  ASSERT_TRUE(server.comes_true([&] {
    return server.registry.inventory().find("shop/items")->count_state() == query::CountState::kExact;
  }));
  const KeyAnswer told = ask(server, "SELECT count(*) AS n FROM picks p JOIN items i ON i.pick = p.id");
  EXPECT_EQ(told.text, "n\n12\n");
  EXPECT_THAT(told.sent, IsEmpty());
}

// Two tables of one database are seen at one moment, so that neither is read before the other.
TEST_P(KeyTest, TablesOfOneDatabaseGiveEachOtherNone) {
  postgres(GetParam()).run(without_last(postgres_table("more"), "FROM n;", "FROM n) AS r;"));
  DatabaseServer server(specs(), options_for(folder_.path()));
  EXPECT_THAT(
      ask(server, "SELECT count(*) AS n FROM goods g JOIN more m ON g.id = m.pick WHERE g.id < 3").sent,
      IsEmpty());
  EXPECT_THAT(
      ask(server,
          "SELECT count(*) AS n FROM goods g JOIN more m ON g.id = m.pick JOIN picks p ON p.id = g.id")
          .sent,
      UnorderedElementsAre("picks > far/goods.id: 5", "picks > far/more.pick: 5"));
}

TEST_P(KeyTest, AResultGivesItsKeys) {
  DatabaseServer server(specs(), options_for(folder_.path()));
  server.text("query", R"({"sql":"SELECT id, label FROM picks WHERE id = 3 OR id = 7","name":"kept"})");
  const KeyAnswer told = ask(server, "SELECT count(*) AS n FROM kept JOIN goods g ON g.pick = kept.id");
  EXPECT_EQ(told.text, "n\n12\n");
  EXPECT_THAT(told.sent, ElementsAre("kept > far/goods.pick: 2"));
}

// A value that does not fit the type of its column in a row that no key needs must not fail the statement.
TEST_P(KeyTest, AColumnThatTheStatementDoesNotReadIsNotRead) {
  SqliteWriter(database_.at("odd.db"))
      .run(sqlite_table("odd") +
           "ALTER TABLE odd ADD COLUMN amount INTEGER; UPDATE odd SET amount = id; "
           "UPDATE odd SET amount = 'none' WHERE id = 199");
  std::vector<DatabaseSpec> all = specs();
  all.push_back(sqlite_spec("odd", database_.at("odd.db")));
  DatabaseServer server(all, options_for(folder_.path()));
  const KeyAnswer told = ask(
      server, "SELECT count(*) AS n FROM odd o JOIN goods g ON g.id = o.pick WHERE o.id BETWEEN 190 AND 200");
  EXPECT_THAT(told.text, HasSubstr("n\n8\n"));
  EXPECT_THAT(told.sent, ElementsAre("odd/odd > far/goods.id: 9"));
}

// Rows of a table that PostgreSQL itself has counted.
std::int64_t rows_read(Owner& owner, const std::string& table) {
  return owner.number(
      "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '" + table +
      "'");
}

TEST_P(KeyTest, PostgresReadsAndSendsNoOtherRows) {
  constexpr std::int64_t kRowsThere = 100'000;
  PostgresServer& own = postgres(GetParam());
  own.run(
      "CREATE TABLE large AS SELECT g AS id, 'row ' || g AS name FROM generate_series(1, 100000) g; "
      "ALTER TABLE large ADD PRIMARY KEY (id); ANALYZE large");
  const std::string sql = "SELECT count(*) AS n, max(l.name) AS m FROM picks p JOIN large l ON l.id = p.id";
  Owner owner(own);
  const DatabaseServer patient({});
  const auto read_by = [&](PushDown push_down) {
    const std::int64_t before = rows_read(owner, "large");
    {
      DatabaseServer server(specs(push_down),
                            options_for(folder_.path(), push_down == PushDown::kOn ? 10'000 : 0));
      EXPECT_EQ(ask(server, sql).text, "n,m\n5,row 90\n");
    }  // Its connections tell what they have read when they end.
    std::int64_t after = before;
    EXPECT_TRUE(patient.comes_true([&] { return (after = rows_read(owner, "large")) > before; }));
    return after - before;
  };
  EXPECT_GE(read_by(PushDown::kOff), kRowsThere);
  EXPECT_LE(read_by(PushDown::kOn), 50);
}

}  // namespace
}  // namespace sluice::databases::testing
