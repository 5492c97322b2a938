#include <filesystem>
#include <fstream>

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kAnswerBytes = 32'000;

DataServer analysis_server() {
  DataServerOptions options;
  options.analysis_tools = true;
  return DataServer::budget(options);
}

std::vector<std::string> tools_of(DataServer& server) {
  const WireMessage list = server.client().call("tools/list");
  std::vector<std::string> out;
  for (std::size_t i = 0; i < list.size({"result", "tools"}); ++i)
    out.push_back(list.text({"result", "tools", static_cast<int>(i), "name"}));
  return out;
}

TEST(Analysis, IsOfferedOnlyWhereTheConfigurationSaysSo) {
  DataServer off = DataServer::budget();
  EXPECT_EQ(tools_of(off).size(), 13U);
  EXPECT_FALSE(off.client().call_tool("get_ministry_comparison", R"({"ministry_pattern":"a"})").is_result());
  EXPECT_EQ(WireMessage(off.call("get_server_info", "{}")).text({"capabilities", "analysis_tools"}), "false");
  DataServer on = analysis_server();
  EXPECT_EQ(tools_of(on).size(), 22U);
  EXPECT_EQ(WireMessage(on.call("get_server_info", "{}")).text({"capabilities", "analysis_tools"}), "true");
}

TEST(Analysis, TellsHostsWhichToolWrites) {
  DataServer server = analysis_server();
  const WireMessage list = server.client().call("tools/list");
  for (std::size_t i = 0; i < list.size({"result", "tools"}); ++i) {
    const int at = static_cast<int>(i);
    const bool writes = list.text({"result", "tools", at, "name"}) == "register_program_equivalency";
    EXPECT_EQ(list.text({"result", "tools", at, "annotations", "readOnlyHint"}), writes ? "false" : "true");
    EXPECT_EQ(list.text({"result", "tools", at, "annotations", "destructiveHint"}),
              writes ? "true" : "false");
  }
}

TEST(MinistryComparison, FindsAMinistryByAWordInAnyFormAndSumsLeaves) {
  DataServer server = analysis_server();
  const WireMessage answer(server.call("get_ministry_comparison",
                                       R"({"years":[2019,2023,2018],"ministry_pattern":"կրթություն"})"));
  EXPECT_NEAR(std::stod(answer.text({"yearly_data", "2019", "allocated"})), 141325438.5, 1);
  EXPECT_NEAR(std::stod(answer.text({"yearly_data", "2023", "allocated"})), 250268554.5, 1);
  EXPECT_NEAR(std::stod(answer.text({"yearly_data", "2023", "actual"})), 218780250.2, 1);
  EXPECT_EQ(answer.text({"yearly_data", "2023", "execution_rate"}), "0.939");
  EXPECT_EQ(answer.text({"yearly_data", "2023", "datasets", "actual"}), "2023_SPENDING_Q1234");
  EXPECT_TRUE(answer.at({"yearly_data", "2018"}).is_null());
  EXPECT_EQ(answer.text({"unit"}), "thousand AMD");
  // 2018 has no data: no change is known, and none is made up.
  EXPECT_TRUE(answer.at({"trend_analysis", "deltas", 0, "allocated_delta"}).is_null());
  EXPECT_NEAR(std::stod(answer.text({"trend_analysis", "deltas", 1, "allocated_delta"})),
              250268554.5 - 141325438.5, 1);
}

TEST(Distribution, SharesAddUpToTheWhole) {
  DataServer server = analysis_server();
  const WireMessage answer(server.call("get_budget_distribution", R"({"year":2023,"top_n":3})"));
  EXPECT_NEAR(std::stod(answer.text({"total_budget"})), 2590973151.1, 1);
  EXPECT_EQ(answer.size({"pie_chart_data"}), 3U);
  EXPECT_NEAR(std::stod(answer.text({"pie_chart_data", 0, "value"})), 653778050.4, 1);
  EXPECT_EQ(answer.text({"pie_chart_data", 0, "percentage"}), "25.2");
  double sum = std::stod(answer.text({"other", "value"}));
  for (int i = 0; i < 3; ++i) sum += std::stod(answer.text({"pie_chart_data", i, "value"}));
  EXPECT_NEAR(sum, 2590973151.1, 1);
  EXPECT_EQ(outcome(server, "get_budget_distribution", R"({"year":2018})").code, "dataset_not_found");
  EXPECT_EQ(outcome(server, "get_budget_distribution", R"({"year":2023,"groupby":"nothing"})").code,
            "invalid_column");
}

TEST(Visualization, KeepsWhatDoesNotFitBehindAHandle) {
  DataServer server = analysis_server();
  const std::string text =
      server.text("get_budget_visualization_data", R"({"year":2023,"view_type":"programs"})");
  EXPECT_LE(text.size(), kAnswerBytes);
  const WireMessage answer(
      server.call("get_budget_visualization_data", R"({"year":2023,"view_type":"programs"})"));
  EXPECT_EQ(answer.text({"row_count"}), "172");
  const WireMessage page(
      server.call("query_next_page", R"({"result_handle":)" + in_json(answer.text({"result_handle"})) + "}"));
  EXPECT_EQ(page.text({"page_info", "total"}), "172");
}

TEST(Search, ListsWhatFitsAndKeepsTheRest) {
  DataServer server = analysis_server();
  const std::string arguments = R"({"target_name":"ծրագիր","min_similarity":0,"max_per_year":500})";
  EXPECT_LE(server.text("search_programs_by_similarity", arguments).size(), kAnswerBytes);
  const WireMessage answer(server.call("search_programs_by_similarity", arguments));
  EXPECT_EQ(answer.text({"summary", "total_matches"}), "880");
  EXPECT_EQ(answer.text({"row_count"}), "880");
  EXPECT_GT(answer.size({"results", "2025"}), 0U);
  const WireMessage page(
      server.call("query_next_page", R"({"result_handle":)" + in_json(answer.text({"result_handle"})) + "}"));
  EXPECT_EQ(page.text({"page_info", "total"}), "880");
  EXPECT_EQ(page.text({"data", 0, "year"}), "2019");
  const WireMessage tight(server.call("search_programs_by_similarity",
                                      R"({"target_name":"ծրագիր","min_similarity":0,"max_inline_bytes":0})"));
  EXPECT_EQ(tight.size({"results", "2025"}), 0U);
}

TEST(Topics, FindInflectedWordsAndNotPartsOfOthers) {
  DataServer server = analysis_server();
  const WireMessage research(server.call(
      "detect_program_patterns",
      R"({"pattern_type":"custom","custom_keywords":["գիտական"],"years":[2023],"confidence_threshold":0.5})"));
  const std::size_t found = research.size({"results", "2023"});
  ASSERT_GT(found, 0U);
  EXPECT_THAT(research.text({"results", "2023", 0, "program", "program_name"}), HasSubstr("իտական"));
  const std::string text = server.text(
      "detect_program_patterns",
      R"({"pattern_type":"custom","custom_keywords":["գիտական"],"years":[2023],"confidence_threshold":0.5})");
  EXPECT_THAT(text, Not(HasSubstr(R"("program_name":"Մասնագիտական)")));
  const WireMessage education(
      server.call("detect_program_patterns", R"({"pattern_type":"education","years":[2023]})"));
  // By default every programme of the year that has the required word is found.
  EXPECT_GE(std::stoi(education.text({"summary", "total_programs"})), 6);
  EXPECT_EQ(outcome(server, "detect_program_patterns", R"({"pattern_type":"sport"})").code,
            "invalid_pattern");
  EXPECT_EQ(outcome(server, "detect_program_patterns", R"({"pattern_type":"custom"})").code,
            "invalid_pattern");
}

// `unbounded_answer` and `verbose_error`: whatever the data is like, answers are bounded, and errors are
// nobody's bug.
TEST(Analysis, StaysBoundedOverHostileData) {
  TestFolder folder;
  std::string law =
      "state_body,program_code,program_name,program_goal,program_result_desc,subprogram_total\n";
  for (int i = 0; i < 300; ++i) {
    law += std::string(3'000, 'b') + "," + std::to_string(i) + "," + std::string(20'000, 'n') + ",g,r," +
           (i % 2 == 0 ? "-1" : "1e308") + "\n";
  }
  folder.write("2024_BUDGET_LAW.csv", law);
  folder.write("2025_BUDGET_LAW.csv", "other\n1\n");
  DataServerOptions options;
  options.analysis_tools = true;
  DataServer server(folder.path(), budget_collection(), options);
  for (
      const char* call :
      {R"(search_programs_by_similarity {"target_name":"nnnn","min_similarity":0,"years":[2024]})",
       R"(search_programs_by_similarity {"target_name":"","min_similarity":1,"years":[2024]})",
       R"(detect_program_patterns {"pattern_type":"custom","custom_keywords":["nnn"],"years":[2024]})",
       R"(get_ministry_comparison {"ministry_pattern":"bb"})", R"(get_budget_distribution {"year":2024})",
       R"(get_budget_visualization_data {"year":2024,"view_type":"programs"})",
       R"(find_program_across_years_robust {"reference_year":2024,"reference_program_code":"7","search_years":[2024,2023]})",
       R"(trace_program_lineage {"starting_program":{"year":2024,"code":7},"search_years":[1,2,3]})"}) {
    const std::string line(call);
    const std::size_t space = line.find(' ');
    const Outcome result = outcome(server, line.substr(0, space), line.substr(space + 1));
    EXPECT_TRUE(result.ok()) << call << result.text.substr(0, 300);
    EXPECT_LE(result.text.size(), kAnswerBytes) << call;
  }
  EXPECT_EQ(outcome(server, "search_programs_by_similarity", R"({"target_name":"a","years":[2025]})").code,
            "invalid_column");
}

}  // namespace
}  // namespace sluice::datasets::testing
