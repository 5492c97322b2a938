#include <string>

#include "sluice/json/reader.h"

#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

// The line that is logged for a question, by its keys.
WireMessage logged(DataServer& server, std::string_view arguments, std::string_view name = "query") {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(server.code("query_data", arguments), "");
  const std::string lines = ::testing::internal::GetCapturedStderr();
  const std::size_t event = lines.find(R"("event":")" + std::string(name) + "\"");
  if (event == std::string::npos) return WireMessage{};
  const std::size_t begin = lines.rfind('\n', event) + 1;  // Zero where there is none.
  const Result<json::Value> line = json::read(lines.substr(begin, lines.find('\n', event) - begin));
  EXPECT_TRUE(line.ok()) << lines;
  return line.ok() ? WireMessage(*line) : WireMessage{};
}

TEST(Log, AQuestionIsOneLineWithItsEstimateAndWhatItBecame) {
  DataServer server = DataServer::budget();
  const WireMessage line = logged(server, R"({"dataset":"2024_MTEP","limit":3})");
  for (const char* key : {"request", "principal", "dataset", "plan", "estimated_rows", "estimated_by", "rows",
                          "method", "cap", "preflight_us", "time_us"}) {
    EXPECT_TRUE(line.has({key})) << key;
  }
  EXPECT_EQ(line.text({"dataset"}), "2024_MTEP");
  EXPECT_EQ(line.text({"rows"}), "3");
  EXPECT_EQ(line.text({"method"}), "direct");
}

TEST(Log, ACallThatEndsWithAQuestionIsOneLineToo) {
  DataServer server = DataServer::budget();
  constexpr std::string_view kLossy =
      R"({"dataset":"2024_MTEP","deduplicate":["state_body"],"confirm_lossy":true)";
  const WireMessage asked = logged(server, std::string(kLossy) + "}", "query.asked");
  EXPECT_EQ(asked.text({"dataset"}), "2024_MTEP");
  EXPECT_EQ(asked.text({"plan"}), logged(server, std::string(kLossy) + R"(,"confirm":true})").text({"plan"}));
}

TEST(Log, ThePlanOfAQuestionIsTheSameForTheSameQuestionAlone) {
  DataServer server = DataServer::budget();
  const auto plan = [&](std::string_view arguments) { return logged(server, arguments).text({"plan"}); };
  const std::string three = plan(R"({"dataset":"2024_MTEP","limit":3})");
  EXPECT_EQ(three.size(), 12U);
  EXPECT_EQ(plan(R"({"dataset":"2024_MTEP","limit":3})"), three);
  EXPECT_NE(plan(R"({"dataset":"2024_MTEP","limit":4})"), three);
  EXPECT_NE(plan(R"({"dataset":"2024_MTEP","limit":3,"offset":1})"), three);
  EXPECT_NE(plan(R"({"dataset":"2024_MTEP","limit":3,"columns":["state_body"]})"), three);
}

TEST(Log, WhatWasEstimatedIsNotEstimatedAgain) {
  DataServer server = DataServer::budget();
  constexpr std::string_view kGroups = R"({"dataset":"2024_MTEP","group_by":["program_name"]})";
  EXPECT_EQ(server.code("estimate_query", kGroups), "");
  const WireMessage known = logged(server, kGroups);
  EXPECT_EQ(known.text({"preflight_us"}), "0");
  EXPECT_EQ(known.text({"estimated_rows"}), known.text({"rows"}));
  constexpr std::string_view kOthers = R"({"dataset":"2024_MTEP","group_by":["state_body"],"max_tokens":)";
  EXPECT_NE(logged(server, std::string(kOthers) + "9000}").text({"preflight_us"}), "0");
  EXPECT_EQ(logged(server, std::string(kOthers) + "8000}").text({"preflight_us"}), "0");
}

}  // namespace
}  // namespace sluice::datasets::testing
