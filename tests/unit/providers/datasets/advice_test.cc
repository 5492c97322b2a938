// Warnings about totals that repeat and about ratios, hints about datasets, and summaries of money.
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
using ::testing::Not;
using testing::WireMessage;

std::string warnings(DataServer& server, std::string_view tool, const std::string& arguments) {
  const WireMessage answer(server.call(tool, arguments));
  EXPECT_TRUE(answer.has({"data"}) || answer.has({"preview"})) << arguments;
  return answer.has({"warnings"}) ? answer.text({"warnings"}) : std::string();
}

std::string of(std::string_view dataset, std::string_view rest) {
  return "{\"dataset\":\"" + std::string(dataset) + "\"," + std::string(rest) + "}";
}

WireMessage summary_of(DataServer& server, const std::string& uri) {
  const WireMessage read = server.client().call("resources/read", R"({"uri":")" + uri + R"("})");
  return WireMessage(*json::read(read.text({"result", "contents", 0, "text"})));
}

TEST(Advice, NamesThePartsOfTheTotalThatWasSummed) {
  DataServer server = DataServer::budget();
  const auto sum = [&](std::string_view column) {
    return warnings(
        server, "aggregate",
        of("2023_SPENDING_Q1234", "\"aggs\":[{\"col\":\"" + std::string(column) + "\",\"fn\":\"sum\"}]"));
  };
  EXPECT_THAT(sum("state_body_actual"), HasSubstr("sum subprogram_actual instead"));
  EXPECT_THAT(sum("program_rev_annual_plan"), HasSubstr("sum subprogram_rev_annual_plan instead"));
  EXPECT_EQ(sum("subprogram_actual"), "");
}

TEST(Advice, NeverRecommendsTheLargestValueOfABody) {
  DataServer server = DataServer::budget();
  // A state body that was split within the year has several totals, so its largest is not its total.
  const std::string text = warnings(
      server, "aggregate", of("2023_SPENDING_Q1234", R"("aggs":[{"col":"state_body_actual","fn":"sum"}])"));
  EXPECT_THAT(text, Not(HasSubstr("max(")));
}

TEST(Advice, LeavesMediumTermPlansAlone) {
  DataServer server = DataServer::budget();
  for (const std::string column : {"program_total_y0", "program_total_y1", "program_total_y2"}) {
    EXPECT_EQ(warnings(server, "aggregate",
                       of("2024_MTEP", "\"aggs\":[{\"col\":\"" + column + "\",\"fn\":\"sum\"}]")),
              "")
        << column;
  }
  EXPECT_THAT(
      warnings(server, "aggregate", of("2024_MTEP", R"("aggs":[{"col":"state_body_total_y1","fn":"sum"}])")),
      HasSubstr("sum program_total_y1 instead"));
}

TEST(Advice, CoversAveragesAndMediansOfRepeatedTotals) {
  DataServer server = DataServer::budget();
  for (const std::string fn : {"avg", "median"}) {
    EXPECT_THAT(
        warnings(server, "aggregate",
                 of("2023_BUDGET_LAW", "\"aggs\":[{\"col\":\"state_body_total\",\"fn\":\"" + fn + "\"}]")),
        HasSubstr("sum subprogram_total for each state_body first"))
        << fn;
  }
  EXPECT_EQ(warnings(server, "aggregate",
                     of("2023_BUDGET_LAW",
                        R"("group_by":["state_body"],"aggs":[{"col":"state_body_total","fn":"max"}])")),
            "");
}

TEST(Advice, SaysHowARatioIsComputed) {
  DataServer server = DataServer::budget();
  const auto expected = HasSubstr("divide sum(subprogram_actual) by sum(subprogram_rev_annual_plan)");
  for (const std::string column :
       {"subprogram_actual_vs_rev_annual_plan", "state_body_actual_vs_rev_annual_plan"}) {
    for (const std::string fn : {"sum", "avg"}) {
      EXPECT_THAT(warnings(server, "aggregate",
                           of("2023_SPENDING_Q1234",
                              "\"aggs\":[{\"col\":\"" + column + "\",\"fn\":\"" + fn + "\"}]")),
                  expected);
    }
  }
}

TEST(Advice, IsTheSameForSqlAndPolars) {
  DataServer server = DataServer::budget();
  const auto sql = [&](std::string_view text) {
    return warnings(server, "advanced_query", of("2023_BUDGET_LAW", "\"sql\":\"" + std::string(text) + "\""));
  };
  const auto polars = [&](std::string_view text) {
    return warnings(server, "advanced_query",
                    of("2023_BUDGET_LAW", "\"polars_expr\":\"" + std::string(text) + "\""));
  };
  const auto expected =
      HasSubstr("state_body_total repeats on every row of its state_body, so this sum counts");
  EXPECT_THAT(sql("SELECT sum(state_body_total) FROM data"), expected);
  EXPECT_THAT(sql("SELECT state_body, SUM(CAST(d.state_body_total AS DOUBLE)) / 1000 FROM data d GROUP BY 1 "
                  "ORDER BY 1"),
              expected);
  EXPECT_THAT(sql("WITH t AS (SELECT sum(state_body_total) s FROM data) SELECT s FROM t"), expected);
  EXPECT_THAT(polars(R"(select(pl.col(\"state_body_total\").sum()))"), expected);
  EXPECT_THAT(
      polars(
          R"(filter(pl.col(\"program_code\") != \"1\").group_by(\"state_body\").agg(pl.sum(\"state_body_total\")))"),
      expected);
}

TEST(Advice, IsSilentWhenSqlOrPolarsCountEachTotalOnce) {
  DataServer server = DataServer::budget();
  const auto is_silent = [&](std::string_view key, std::string_view text) {
    EXPECT_THAT(warnings(server, "advanced_query",
                         of("2023_BUDGET_LAW", "\"" + std::string(key) + "\":\"" + std::string(text) + "\"")),
                Not(HasSubstr("repeats")))
        << text;
  };
  is_silent("sql", "SELECT sum(t) FROM (SELECT max(state_body_total) t FROM data GROUP BY state_body)");
  is_silent("sql",
            "SELECT sum(state_body_total) FROM (SELECT DISTINCT state_body, state_body_total FROM data)");
  is_silent("sql", "SELECT sum(DISTINCT state_body_total) FROM data");
  is_silent("sql", "SELECT sum(subprogram_total), max(state_body_total) FROM data");
  is_silent("sql", "SELECT count(*) FROM data WHERE state_body = 'sum(state_body_total)'");
  is_silent(
      "polars_expr",
      R"(unique(subset=[\"state_body\",\"state_body_total\"]).select(pl.col(\"state_body_total\").sum()))");
  is_silent(
      "polars_expr",
      R"(with_columns(state_body_total=pl.col(\"subprogram_total\")).select(pl.col(\"state_body_total\").sum()))");
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

TEST(DatasetNotFound, NamesTheNearestAndWhatTheYearHas) {
  DataServer server = DataServer::budget();
  const WireMessage other_case(server.call("get_schema", R"({"year":2023,"source_type":"budget_law"})"));
  EXPECT_EQ(other_case.text({"code"}), "dataset_not_found");
  EXPECT_THAT(other_case.text({"hint"}), HasSubstr("Did you mean 2023_BUDGET_LAW?"));
  const WireMessage other_kind(server.call("get_schema", R"({"year":2023,"source_type":"SPENDING_Q124"})"));
  EXPECT_THAT(other_kind.text({"hint"}), AllOf(HasSubstr("Did you mean 2023_SPENDING_Q1234?"),
                                               HasSubstr("2023_BUDGET_LAW"), Not(HasSubstr("2019_"))));
}

TEST(DatasetNotFound, SaysWhichDimensionIsMissing) {
  DataServer server = DataServer::budget();
  const WireMessage answer(server.call("get_schema", R"({"year":2023})"));
  EXPECT_EQ(answer.text({"code"}), "missing_dataset");
  EXPECT_THAT(answer.text({"error"}), HasSubstr("source_type is missing"));
  EXPECT_THAT(answer.text({"hint"}), AllOf(HasSubstr("2023_BUDGET_LAW"), Not(HasSubstr("2019_"))));
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
