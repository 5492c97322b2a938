#include "sluice/json/reader.h"

#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

constexpr std::size_t kAnswerBytes = 32'000;  // 8,000 tokens.
constexpr int kColumns = 3'000;

std::string column_name(int i) { return "a_rather_long_column_name_" + std::to_string(i); }

// `unbounded_answer`: whatever the data is like, no tool answers with more than the budget.
class Bounded : public ::testing::Test {
 protected:
  Bounded() {
    std::string header;
    std::string row;
    for (int i = 0; i < kColumns; ++i) {
      header += (i > 0 ? "," : "") + column_name(i);
      row += i > 0 ? ",1" : "1";
    }
    folder.write("wide.csv", header + "\n" + row + "\n");
    std::string words = "text\n";
    for (int i = 0; i < 2'000; ++i) words += "word " + std::string(300, 'x') + std::to_string(i) + "\n";
    folder.write("words.csv", words);
    server = std::make_unique<DataServer>(folder.path(), plain_collection());
  }

  TestFolder folder;
  std::unique_ptr<DataServer> server;
};

TEST_F(Bounded, ATableOfManyColumnsIsListedInParts) {
  std::uint64_t offset = 0;
  int seen = 0;
  while (true) {
    const std::string arguments = R"({"dataset":"wide","offset":)" + std::to_string(offset) + "}";
    EXPECT_LE(server->text("get_schema", arguments).size(), kAnswerBytes);
    const WireMessage part(server->call("get_schema", arguments));
    for (std::size_t i = 0; i < part.size({"columns"}); ++i) {
      ASSERT_EQ(part.text({"columns", static_cast<int>(i)}), column_name(seen++));
    }
    if (!part.has({"next_offset"})) break;
    ASSERT_GT(part.size({"columns"}), 0U);
    offset = static_cast<std::uint64_t>(seen);
  }
  EXPECT_EQ(seen, kColumns);
}

TEST_F(Bounded, RowsOfManyColumnsAreBoundedWithTheirNames) {
  for (const char* more : {"", R"(,"shape":"columns")", R"(,"output_format":"csv")"}) {
    const std::string answer = server->text("query_data", R"({"dataset":"wide")" + std::string(more) + "}");
    EXPECT_LE(answer.size(), kAnswerBytes) << more;
    EXPECT_THAT(answer, ::testing::HasSubstr("name the columns")) << more;
  }
  EXPECT_LE(server->text("estimate_query", R"({"dataset":"wide"})").size(), kAnswerBytes);
  EXPECT_LE(server->text("describe_dataset", R"({"dataset":"wide"})").size(), kAnswerBytes);
}

TEST_F(Bounded, PatternsAnswerWithWhatFits) {
  const std::string base = R"({"dataset":"words","field":"text","patterns":["word"],"mode":)";
  const std::string asked = server->text("pattern_filter", base + R"("permissive"})");
  EXPECT_LE(asked.size(), kAnswerBytes);
  EXPECT_EQ(WireMessage(*json::read(asked)).text({"status"}), "needs_confirmation");
  EXPECT_EQ(server->code("pattern_filter", base + R"("balanced"})"), "too_many_values");
}

TEST(BoundedTotals, AreJsonAndFit) {
  TestFolder folder;
  std::string large = R"({"note":")" + std::string(200'000, 'x') + R"("})";
  for (int year = 2000; year < 2020; ++year) {
    folder.write(std::to_string(year) + "_BUDGET_LAW.csv", "state_body,subprogram_total\nx,1\n");
    folder.write(std::to_string(year) + "_BUDGET_LAW_overall.json",
                 year == 2000   ? large
                 : year == 2001 ? "not { json"
                                : R"({"n":")" + std::string(3'000, 'y') + R"("})");
  }
  DataServer server(folder.path(), budget_collection());
  const std::string all = server.text("get_dataset_overall", "{}");
  EXPECT_LE(all.size(), kAnswerBytes);
  EXPECT_THAT(all, ::testing::HasSubstr("Not all totals fit"));
  EXPECT_THAT(server.text("get_dataset_overall", R"({"year":2001})"), ::testing::HasSubstr("not JSON"));
  for (const char* year : {"2000", "2001", "2002"}) {
    const std::string text =
        server.client()
            .call("resources/read", R"({"uri":"budget://)" + std::string(year) + R"(/BUDGET_LAW/summary"})")
            .text({"result", "contents", 0, "text"});
    EXPECT_LE(text.size(), kAnswerBytes);
    EXPECT_TRUE(json::read(text).ok()) << year;
  }
}

// A row of 3,000 columns is a page of its own, with as many of them as fit.
TEST_F(Bounded, APageOfAWideRowHasTheColumnsThatFit) {
  const WireMessage kept(server->call("query_data", R"({"dataset":"wide"})"));
  const std::string handle = R"({"result_handle":")" + kept.text({"result_handle"}) + "\"";
  for (const char* more : {"", R"(,"shape":"columns")", R"(,"format":"csv")"}) {
    const std::string text = server->text("query_next_page", handle + more + "}");
    EXPECT_LE(text.size(), kAnswerBytes) << more;
    EXPECT_THAT(text, ::testing::HasSubstr("of 3000 columns")) << more;
    const WireMessage page(server->call("query_next_page", handle + more + "}"));
    EXPECT_EQ(page.text({"page_info", "size"}), "1") << more;
    EXPECT_EQ(page.text({"page_info", "has_more"}), "false") << more;
  }
  const WireMessage page(server->call("query_next_page", handle + R"(,"shape":"columns"})"));
  EXPECT_GT(page.size({"columns"}), 500U);
  EXPECT_EQ(page.size({"columns"}), page.size({"rows", 0}));
}

TEST_F(Bounded, ACellThatIsLargerThanAPageIsCutOrRefused) {
  folder.write("cell.csv", "a,b\n1," + std::string(200'000, 'x') + "\n2,y\n");
  server->rescan();
  const WireMessage kept(server->call("query_data", R"({"dataset":"cell"})"));
  const std::string handle = R"({"result_handle":")" + kept.text({"result_handle"}) + "\"";
  EXPECT_LE(server->text("query_next_page", handle + "}").size(), kAnswerBytes);
  const std::string csv = server->text("query_next_page", handle + R"(,"format":"csv"})");
  EXPECT_LE(csv.size(), kAnswerBytes);
  EXPECT_THAT(csv, ::testing::HasSubstr("1 of 2 columns"));
  const WireMessage only(server->call("query_data", R"({"dataset":"cell","columns":["b"]})"));
  EXPECT_EQ(server->code("query_next_page",
                         R"({"result_handle":")" + only.text({"result_handle"}) + R"(","format":"csv"})"),
            "oversize_result");
}

}  // namespace
}  // namespace sluice::datasets::testing
