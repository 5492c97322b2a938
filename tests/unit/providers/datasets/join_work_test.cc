// What joins make is asked about before they run, also where little of it is left in the answer.

#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class JoinWork : public ::testing::Test {
 protected:
  // `same`: 4,000 rows of one key and of an id each; `few`: 10 rows.
  JoinWork() {
    std::string csv = "k,id\n";
    for (int i = 0; i < 4'000; ++i) csv += "1," + std::to_string(i) + "\n";
    folder.write("same.csv", csv);
    folder.write("few.csv", "k,id\n1,1\n1,2\n2,3\n2,4\n3,5\n3,6\n4,7\n4,8\n5,9\n,10\n");
    options.limits.confirm_pairs = 1'000'000;
  }

  static std::string asked(const std::string& sql, const std::string& more = "") {
    return R"({"sql":)" + in_json(sql) + more + "}";
  }

  TestFolder folder;
  DataServerOptions options;
};

constexpr const char* kManyToMany = "SELECT count(*) AS n FROM same a JOIN same b USING (k)";

TEST_F(JoinWork, IsAskedAboutWhereTheAnswerIsOneRow) {
  LeanServer server(folder, options);
  server.server().registry.inventory().find("same")->set_row_count(4'000);  // As the background count does.
  for (const char* sql :
       {kManyToMany, "SELECT a.k, count(*) AS n FROM same a JOIN same b ON a.k = b.k GROUP BY a.k",
        "SELECT DISTINCT a.k FROM same a, same b WHERE a.k = b.k",
        "WITH j AS (SELECT a.id FROM same a JOIN same b USING (k)) SELECT sum(id) AS s FROM j",
        "SELECT count(*) AS n FROM same a LEFT JOIN same b USING (k)"}) {
    const std::string text = server.query(sql);
    EXPECT_THAT(text, StartsWith("# needs_confirmation: The joins of this statement make about 1.6e+07 rows"))
        << sql;
    EXPECT_THAT(text, HasSubstr("same: 4000 rows")) << sql;
    EXPECT_THAT(text, HasSubstr("confirm: true")) << sql;
    EXPECT_LT(text.size(), 400U) << sql;
  }
}

TEST_F(JoinWork, IsInTheMetadataOfTheQuestion) {
  LeanServer server(folder, options);
  server.server().registry.inventory().find("same")->set_row_count(4'000);
  const WireMessage answer = server.server().client().call_tool("query", asked(kManyToMany));
  const auto meta = [&](const char* key) { return answer.text({"result", "_meta", "sluice/result", key}); };
  EXPECT_EQ(meta("status"), "needs_confirmation");
  EXPECT_EQ(meta("pairs_estimate"), "16000000");
  EXPECT_EQ(meta("pairs_estimate_kind"), "counted");
  EXPECT_THAT(meta("sources"), HasSubstr(R"("dataset":"same","bytes":26895,"rows":4000)"));
}

TEST_F(JoinWork, IsDoneIfItIsConfirmed) {
  LeanServer server(folder, options);
  EXPECT_EQ(server.text("query", asked(kManyToMany, R"(,"confirm":true)")), "n\n16000000\n");
}

TEST_F(JoinWork, OfAProductIsThatOfTheTables) {
  LeanServer server(folder, options);
  for (const char* sql :
       {"SELECT count(*) AS n FROM same a, same b", "SELECT max(a.id) AS n FROM same a CROSS JOIN same b",
        "SELECT count(*) AS n FROM same a JOIN same b ON a.id < b.id",
        "SELECT count(*) AS n FROM same a JOIN same b ON true"}) {
    EXPECT_THAT(server.query(sql), StartsWith("# needs_confirmation: The joins of this statement make"))
        << sql;
  }
}

TEST_F(JoinWork, ThatIsSmallIsDoneAtOnce) {
  LeanServer server(folder, options);
  // Of the product of 16,000,000 rows, 4,000 have equal ids.
  EXPECT_EQ(server.query("SELECT count(*) AS n FROM same a JOIN same b USING (id)"), "n\n4000\n");
  EXPECT_EQ(server.query("SELECT count(*) AS n FROM same a, few b"), "n\n40000\n");
  EXPECT_EQ(
      server.query("SELECT count(*) AS n FROM same a JOIN same b USING (k) WHERE a.id < 100 AND b.id = 7"),
      "n\n100\n");
  EXPECT_EQ(server.query("SELECT count(*) AS n FROM few a JOIN few b USING (k)"), "n\n17\n");
}

// Rows beyond a limit are never made.
TEST_F(JoinWork, BeyondALimitIsNotCounted) {
  LeanServer server(folder, options);
  EXPECT_EQ(server.query("SELECT 7 AS seven FROM same a, same b LIMIT 2"), "seven\n7\n7\n");
  EXPECT_THAT(server.query("SELECT a.id FROM same a, same b ORDER BY a.id LIMIT 2"),
              StartsWith("# needs_confirmation"));
}

TEST_F(JoinWork, IsAskedAboutForEachStatementOfAList) {
  LeanServer server(folder, options);
  const std::string text = server.text(
      "query", R"({"sql":["SELECT 1 AS one",)" + in_json(kManyToMany) + R"(,"SELECT 2 AS two"]})");
  EXPECT_THAT(text, StartsWith("-- 1\none\n1\n-- 2\n# needs_confirmation"));
  EXPECT_THAT(text, HasSubstr("-- 3\ntwo\n2\n"));
}

TEST_F(JoinWork, IsAskedAboutInSqlOverOneDataset) {
  options.profile = ToolProfile::kFull;
  DataServer server(folder.path(), plain_collection(), options);
  const std::string sql =
      R"({"dataset":"same","sql":"SELECT count(*) AS n FROM data a JOIN data b ON a.k = b.k")";
  const WireMessage asked(server.call("advanced_query", sql + "}"));
  EXPECT_EQ(asked.text({"status"}), "needs_confirmation");
  EXPECT_EQ(asked.text({"pairs_estimate"}), "16000000");
  EXPECT_GE(asked.size({"alternatives"}), 1U);
  const WireMessage answer(server.call("advanced_query", sql + R"(,"confirm":true})"));
  EXPECT_EQ(answer.text({"data", 0, "n"}), "16000000");
}

class AsksAboutJoins : public server::testing::DialectTest {};

TEST_P(AsksAboutJoins, ThroughTheClientOnce) {
  TestFolder folder;
  std::string csv = "k\n";
  for (int i = 0; i < 2'000; ++i) csv += "1\n";
  folder.write("same.csv", csv);
  DataServerOptions options;
  options.limits.confirm_pairs = 1'000'000;
  options.profile = ToolProfile::kLean;
  DataServer server(folder.path(), plain_collection(), options);
  const auto client = server.connect(GetParam(), {.capabilities = R"({"elicitation":{"form":{}}})"});
  const std::string arguments = R"({"sql":"SELECT count(*) AS n FROM same a JOIN same b ON a.k = b.k"})";
  const std::string yes = R"({"action":"accept","content":{"proceed":true}})";
  if (!GetParam().modern()) {
    const auto pending = client->start_tool("query", arguments);
    client->answer(pending->next(), yes);
    EXPECT_EQ(pending->reply().text({"result", "content", 0, "text"}), "n\n4000000\n");
    return;
  }
  const WireMessage asked = client->call_tool("query", arguments);
  ASSERT_EQ(asked.text({"result", "resultType"}), "input_required");
  const WireMessage answer =
      client->call("tools/call", R"({"name":"query","arguments":)" + arguments +
                                     R"(,"inputResponses":{"confirm_pairs":)" + yes + R"(},"requestState":)" +
                                     json::to_text(asked.at({"result", "requestState"})) + "}");
  EXPECT_EQ(answer.text({"result", "content", 0, "text"}), "n\n4000000\n");
}

INSTANTIATE_TEST_SUITE_P(Eras, AsksAboutJoins, ::testing::ValuesIn(server::testing::both_eras()),
                         server::testing::dialect_name);

}  // namespace
}  // namespace sluice::datasets::testing
