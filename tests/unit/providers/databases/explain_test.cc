// What the tool `query` says about a statement before it runs.

#include <algorithm>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder with picks.csv, and the table items of 200 rows in SQLite.
class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() {
    std::ofstream(folder_.at("picks.csv")) << "id,label\n3,one\n7,two\n";
    SqliteWriter(database_.at("shop.db"))
        .run(
            "CREATE TABLE items (id INTEGER PRIMARY KEY, pick INTEGER, name TEXT, secret TEXT); "
            "INSERT INTO items WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
            "SELECT i, i % 50, 'n' || i, 's' FROM n");
  }

  DatabaseServerOptions options(std::uint64_t keys) const {
    return {.folder = folder_.path(),
            .limits = {.usual = {}, .ceiling = {.tokens = 1'000'000}, .push_keys = keys},
            .profile = datasets::ToolProfile::kLean};
  }

  std::vector<DatabaseSpec> specs() const { return {sqlite_spec("shop", database_.at("shop.db"))}; }

  // Once the rows have been counted.
  std::string explained(const std::string& sql, std::uint64_t keys = 20, const std::string& more = "") {
    DatabaseServer server(specs(), options(keys));
    for (const char* name : {"shop/items", "data/picks", "picks"}) {
      const query::DatasetPtr found = server.registry.inventory().find(name);
      EXPECT_TRUE(!found ||
                  server.comes_true([&] { return found->count_state() == query::CountState::kExact; }));
    }
    const std::string text =
        server.text("query", R"({"sql":)" + in_json(sql) + R"(,"explain":true)" + more + "}");
    EXPECT_THAT(server.said(), AllOf(Not(HasSubstr(folder_.path())), Not(HasSubstr(database_.path()))));
    return text;
  }

  TestFolder folder_;
  TestFolder database_;
};

constexpr const char* kJoin =
    "SELECT p.label, count(*) AS n, max(i.name || '!') AS m FROM picks p JOIN items i ON i.pick = p.id WHERE "
    "i.id "
    "> 5 AND length(i.name) > 2 GROUP BY p.label";

TEST_F(ExplainTest, SaysWhatIsReadSentComputedAndMade) {
  EXPECT_EQ(
      explained(kJoin),
      "# nothing was run\n"
      "picks: 2 rows; columns id, label\n"
      "shop/items: 200 rows; columns id, pick, name; its database sends rows with id > 5\n"
      "sent first to the database of shop/items.pick: the values of picks.id, unless they are more than 20\n"
      "joined and grouped by the engine\n"
      "column label: copy of picks.label\n"
      "column m: aggregated of shop/items.name\n"
      "filtered by picks.id, shop/items.id, shop/items.pick, shop/items.name\n");
}

TEST_F(ExplainTest, SaysWhyKeysAreNotSent) {
  EXPECT_THAT(explained(kJoin, 10'000),
              HasSubstr("not sent to the database of shop/items.pick: the values of "
                        "picks.id, because it has 200 rows\n"));
  EXPECT_THAT(explained(kJoin, 0), HasSubstr("because the configuration says so\n"));
}

TEST_F(ExplainTest, SaysThatADatabaseComputesAStatement) {
  const std::string text = explained("SELECT name, count(*) AS n FROM items WHERE id > 5 GROUP BY name");
  EXPECT_THAT(text, AllOf(HasSubstr("computes the whole statement\n"), Not(HasSubstr("by the engine"))));
  EXPECT_THAT(explained("SELECT lower(name) AS n FROM items"), HasSubstr("computed by the engine\n"));
}

TEST_F(ExplainTest, GivesThePlanAndTheSqlOfSourcesAsJson) {
  const Result<json::Value> read = json::read(explained(kJoin, 20, R"(,"format":"json")"));
  ASSERT_TRUE(read.ok());
  const WireMessage told(*read);
  EXPECT_EQ(told.text({"tables", 0, "dataset"}), "picks");
  EXPECT_EQ(told.text({"tables", 0, "rows"}), "2");
  EXPECT_FALSE(told.has({"tables", 0, "sql"}));
  EXPECT_EQ(
      told.text({"tables", 1, "sql"}),
      R"(SELECT "id", "pick", "name" FROM "items" WHERE ("id" > $1 AND typeof("id") IN ('integer', 'real')))"
      R"( ORDER BY rowid)");
  EXPECT_EQ(told.text({"tables", 1, "filter_of_source"}), "id > 5");
  EXPECT_EQ(told.text({"keys", 0, "to", "dataset"}), "shop/items");
  EXPECT_EQ(told.text({"keys", 0, "from", "column"}), "id");
  EXPECT_EQ(told.text({"plan", "node"}), "engine_query");
  EXPECT_EQ(told.text({"lineage", "columns", 0, "from", 0, "how"}), "copy");
  EXPECT_EQ(told.text({"lineage", "columns", 2, "from", 0, "how"}), "aggregated");
  EXPECT_EQ(told.text({"lineage", "filtered_by", 0, "column"}), "id");
}

TEST_F(ExplainTest, IsAtMostFortyLines) {
  std::string list;
  for (int i = 0; i < 60; ++i)
    list += (i == 0 ? "" : ", ") + std::string("id + ") + std::to_string(i) + " AS c" + std::to_string(i);
  const std::string text = explained("SELECT " + list + " FROM items");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_THAT(text, ContainsRegex("… and [0-9]+ lines more"));
}

}  // namespace
}  // namespace sluice::databases::testing
