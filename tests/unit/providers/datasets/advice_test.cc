// Summaries of money, and what the arguments of tools say; warnings are in tests/questions.
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/json/reader.h"

#include "data_server.h"

namespace sluice::datasets {
namespace {

using ::testing::AllOf;
using testing::DataServer;
using ::testing::HasSubstr;
using testing::WireMessage;

WireMessage summary_of(DataServer& server, const std::string& uri) {
  const WireMessage read = server.client().call("resources/read", R"({"uri":")" + uri + R"("})");
  return WireMessage(*json::read(read.text({"result", "contents", 0, "text"})));
}

TEST(BudgetSummary, WeighsTheExecutionRate) {
  DataServer server = DataServer::budget();
  const WireMessage summary = summary_of(server, "budget://2023/SPENDING_Q1234/summary");
  const double rate = std::stod(summary.text({"totals", 0, "execution_rate"}));
  const double published = std::stod(summary.text({"overall", "overall_actual_vs_rev_annual_plan"}));
  EXPECT_NEAR(rate, published, 0.001);
  EXPECT_NEAR(rate,
              std::stod(summary.text({"totals", 0, "subprogram_actual_sum"})) /
                  std::stod(summary.text({"totals", 0, "subprogram_rev_annual_plan_sum"})),
              1e-12);
}

TEST(BudgetSummary, HasAllYearsOfAMediumTermPlan) {
  DataServer server = DataServer::budget();
  const WireMessage summary = summary_of(server, "budget://2024/MTEP/summary");
  for (const std::string year : {"y0", "y1", "y2"}) {
    EXPECT_NEAR(std::stod(summary.text({"totals", 0, ("program_total_" + year + "_sum").c_str()})),
                std::stod(summary.text({"overall", ("overall_total_" + year).c_str()})), 0.5)
        << year;
  }
}

TEST(DimensionArguments, SayWhatTheyMeanAndWhichValuesThereAre) {
  DataServer server = DataServer::budget();
  const WireMessage list = server.client().call("tools/list");
  bool is_seen = false;
  for (int i = 0; i < static_cast<int>(list.size({"result", "tools"})); ++i) {
    if (list.text({"result", "tools", i, "name"}) != "query_data") continue;
    is_seen = true;
    const auto words = [&](const char* name) {
      return list.text({"result", "tools", i, "inputSchema", "properties", name, "description"});
    };
    EXPECT_THAT(words("year"), AllOf(HasSubstr("Budget year: 2019, "), HasSubstr("2024")));
    EXPECT_THAT(words("source_type"),
                AllOf(HasSubstr("Kind of report"), HasSubstr("BUDGET_LAW"), HasSubstr("MTEP")));
  }
  EXPECT_TRUE(is_seen);
}

}  // namespace
}  // namespace sluice::datasets
