#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LeanQuery : public ::testing::Test {
 protected:
  LeanQuery() {
    folder.write("people.csv", "id,name,team\n1,Ann,red\n2,Bob,blue\n3,Cid,red\n4,Dan,\n");
    folder.write("teams.csv", "team,city\nred,Rome\nblue,Oslo\n");
  }

  TestFolder folder;
};

TEST_F(LeanQuery, AnswersInCsvWithoutStructuredContent) {
  LeanServer server(folder);
  const WireMessage answer = server.server().client().call_tool(
      "query", R"({"sql":"SELECT name, city FROM people LEFT JOIN teams USING (team) ORDER BY id"})");
  EXPECT_EQ(answer.text({"result", "content", 0, "text"}), "name,city\nAnn,Rome\nBob,Oslo\nCid,Rome\nDan,\n");
  EXPECT_FALSE(answer.has({"result", "structuredContent"}));
}

TEST_F(LeanQuery, SaysWhatToDoAboutRowsThatAreTooLongToShow) {
  std::string csv = "k,t\n";
  for (int i = 0; i < 50; ++i) csv += std::to_string(i) + "," + std::string(5'000, 'z') + "\n";
  folder.write("long_cells.csv", csv);
  LeanServer server(folder);
  const std::string text = server.query("SELECT * FROM long_cells");
  EXPECT_THAT(text, HasSubstr("# 0 of 50 rows shown; all are in table r"));
  EXPECT_THAT(text, HasSubstr("left(column, 100)"));
  const std::size_t begin = text.find("table r") + 6;
  const std::string name = text.substr(begin, text.find(' ', begin) - begin);
  EXPECT_EQ(server.query("SELECT k, left(t, 3) AS t FROM " + name + " LIMIT 1"), "k,t\n0,zzz\n");
}

TEST_F(LeanQuery, BoundsEachStatementOfAList) {
  std::string csv = "n,words\n";
  for (int i = 0; i < 5'000; ++i) csv += std::to_string(i) + ",some words that take room\n";
  folder.write("long.csv", csv);
  LeanServer server(folder);
  std::string list;
  for (int i = 0; i < 16; ++i) list += std::string(i == 0 ? "" : ",") + "\"SELECT * FROM long\"";
  const std::string text = server.text("query", "{\"sql\":[" + list + "],\"max_tokens\":4000}");
  EXPECT_LE(text.size(), 4'000U * 4 + 16 * 100);
  EXPECT_THAT(text, HasSubstr("-- 16\n"));
  EXPECT_EQ(server.code("query", "{\"sql\":[" + list + ",\"SELECT 1\"]}"), "invalid_arguments");
}

}  // namespace
}  // namespace sluice::datasets::testing
