#include <chrono>

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

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
