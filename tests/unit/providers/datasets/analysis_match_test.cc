#include <chrono>

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

DataServer analysis_server(DataServerOptions options = {}) {
  options.analysis_tools = true;
  return DataServer::budget(options);
}

TEST(FindProgram, MatchesByCodeAndSaysHowAlikeTheNamesAre) {
  DataServer server = analysis_server();
  const WireMessage answer(server.call(
      "find_program_across_years_robust",
      R"({"reference_year":2024,"reference_program_code":1045,"search_years":[2019,2025,2018]})"));
  EXPECT_EQ(answer.text({"reference_program", "program_code"}), "1045");
  EXPECT_EQ(answer.text({"matches", "2019", "exact_matches", 0, "match_reason"}), "exact_code");
  EXPECT_EQ(answer.text({"matches", "2019", "exact_matches", 0, "name_similarity"}), "1");
  // The code was given another name in 2025: the answer does not hide it.
  EXPECT_LT(std::stod(answer.text({"matches", "2025", "exact_matches", 0, "name_similarity"})), 0.7);
  EXPECT_EQ(answer.text({"matches", "2018", "no_matches", 0}), "no_data");
  EXPECT_EQ(answer.text({"summary", "high_confidence"}), "2");
  EXPECT_EQ(answer.text({"summary", "missing"}), "1");
}

TEST(FindProgram, NamesACodeThatIsNotThere) {
  DataServer server = analysis_server();
  EXPECT_EQ(outcome(server, "find_program_across_years_robust",
                    R"({"reference_year":2024,"reference_program_code":"9999"})")
                .code,
            "program_not_found");
  EXPECT_EQ(outcome(server, "find_program_across_years_robust",
                    R"({"reference_year":1900,"reference_program_code":"1162"})")
                .code,
            "program_not_found");
  EXPECT_EQ(outcome(server, "find_program_across_years_robust", R"({"reference_year":2024})").code,
            "invalid_arguments");
}

TEST(FindProgram, FindsByLikenessWhatHasAnotherCode) {
  TestFolder folder;
  const std::string header = "state_body,program_code,program_name,program_goal,subprogram_total\n";
  folder.write("2024_BUDGET_LAW.csv",
               header + "Health,100,Support of rural clinics,Doctors in every village,50\n");
  folder.write("2025_BUDGET_LAW.csv",
               header +
                   "Health,200,Support of the rural clinics,Doctors in every village,55\n"
                   "Defence,300,Radar stations,Watch the sky,900\n");
  DataServerOptions options;
  options.analysis_tools = true;
  DataServer server(folder.path(), budget_collection(), options);
  const WireMessage answer(server.call("find_program_across_years_robust",
                                       R"({"reference_year":2024,"reference_program_code":"100"})"));
  EXPECT_EQ(answer.size({"matches", "2025", "exact_matches"}), 0U);
  ASSERT_EQ(answer.size({"matches", "2025", "fuzzy_matches"}), 1U);
  EXPECT_EQ(answer.text({"matches", "2025", "fuzzy_matches", 0, "program", "program_code"}), "200");
  const WireMessage line(
      server.call("trace_program_lineage", R"({"starting_program":{"year":2024,"code":"100"}})"));
  EXPECT_EQ(line.text({"timeline", 1, "code"}), "200");
  EXPECT_EQ(line.text({"lineage", "2025", "status"}), "found");
}

TEST(Lineage, FollowsAProgramAndNamesTheGaps) {
  DataServer server = analysis_server();
  const WireMessage answer(server.call(
      "trace_program_lineage",
      R"({"starting_program":{"year":2023,"code":"1162"},"search_years":[2019,2020,2021,2024,2025]})"));
  EXPECT_EQ(answer.size({"timeline"}), 5U);
  EXPECT_EQ(answer.text({"timeline", 0, "year"}), "2019");
  EXPECT_EQ(answer.text({"timeline", 2, "status"}), "reference");
  EXPECT_EQ(answer.size({"gaps"}), 1U);
  EXPECT_EQ(answer.text({"gaps", 0}), "2021");
  EXPECT_EQ(answer.text({"lineage", "2025", "notes"}), "Exact code match");
}

TEST(Lineage, EndsWhenItsTimeIsOver) {
  TestFolder folder;
  std::string law = "state_body,program_code,program_name,program_goal,subprogram_total\n";
  for (int i = 0; i < 4'000; ++i) {
    std::string name;
    for (int j = 0; j < 200; ++j) name += "word" + std::to_string((i * 7 + j) % 900) + " ";
    law += "b," + std::to_string(i) + "," + name + "," + name + ",1\n";
  }
  folder.write("2024_BUDGET_LAW.csv", law);
  folder.write("2025_BUDGET_LAW.csv", law);
  DataServerOptions options;
  options.analysis_tools = true;
  options.request_timeout = std::chrono::milliseconds(1'500);
  DataServer server(folder.path(), budget_collection(), options);
  EXPECT_EQ(
      outcome(
          server, "search_programs_by_similarity",
          R"({"target_name":"word1 word2 word3 word4","target_description":"word5 word6","min_similarity":0})")
          .code.empty(),
      false);
}

}  // namespace
}  // namespace sluice::datasets::testing
