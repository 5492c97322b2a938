#include <chrono>
#include <filesystem>
#include <iostream>

#include "sluice/base/clock.h"

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTwentyRows = R"({"dataset":"t","limit":20})";

std::string table(std::string_view cell) {
  std::string out = "id,name\n";
  for (int i = 0; i < 5'000; ++i) out += std::to_string(i) + "," + std::string(cell) + "\n";
  return out;
}

double microseconds_of(DataServer& server, const std::vector<std::string>& calls) {
  const Monotonic begin = system_clock().now();
  for (const std::string& arguments : calls) server.text("query_data", arguments);
  return std::chrono::duration<double, std::micro>(system_clock().now() - begin).count() /
         static_cast<double>(calls.size());
}

TEST(AnswerCache, AnswersTheSameQuestionAgainSeveralTimesFaster) {
  TestFolder folder;
  folder.write_settled("t.csv", table("x"), 2);
  DataServer server(folder.path(), plain_collection());
  const std::string first = server.text("query_data", kTwentyRows);
  EXPECT_EQ(server.text("query_data", kTwentyRows), first);
  std::vector<std::string> others;
  for (int i = 1; i <= 100; ++i)
    others.push_back(R"({"dataset":"t","limit":20,"offset":)" + std::to_string(i) + "}");
  const double asked = microseconds_of(server, others);
  const double kept = microseconds_of(server, std::vector<std::string>(100, std::string(kTwentyRows)));
  std::cout << "20 rows: " << asked << " us asked, " << kept << " us kept, ratio " << asked / kept << "\n";
  EXPECT_GT(asked / kept, 2);
}

TEST(AnswerCache, NeverGivesWhatTheFileNoLongerHolds) {
  TestFolder folder;
  folder.write_settled("t.csv", table("old"), 2);
  DataServer server(folder.path(), plain_collection());
  for (int i = 0; i < 2; ++i) EXPECT_THAT(server.text("query_data", kTwentyRows), HasSubstr("old"));
  // The registry has not heard of it yet.
  folder.write_settled("t.csv", table("new"), 1);
  EXPECT_EQ(outcome(server, "query_data", kTwentyRows).code, "dataset_changed");
  server.rescan();
  for (int i = 0; i < 2; ++i) EXPECT_THAT(server.text("query_data", kTwentyRows), HasSubstr("new"));
  std::filesystem::remove(folder.path() + "/t.csv");
  EXPECT_EQ(outcome(server, "query_data", kTwentyRows).code, "dataset_changed");
}

// Within a tick of the file system's clock a file may be written again and look the same.
TEST(AnswerCache, KeepsNothingOfAFileThatWasJustWritten) {
  TestFolder folder;
  folder.write_settled("t.csv", table("old"), -1);  // However slow this test is: ahead of the clock.
  const auto stamp = std::filesystem::last_write_time(folder.path() + "/t.csv");
  DataServer server(folder.path(), plain_collection());
  EXPECT_THAT(server.text("query_data", kTwentyRows), HasSubstr("old"));
  folder.write("t.csv", table("new"));
  std::filesystem::last_write_time(folder.path() + "/t.csv", stamp);
  EXPECT_THAT(server.text("query_data", kTwentyRows), HasSubstr("new"));
}

TEST(AnswerCache, TellsQuestionsApart) {
  TestFolder folder;
  folder.write_settled("t.csv", "id,name\n1,a\n2,b\n", 2);
  DataServer server(folder.path(), plain_collection());
  const auto rows = [&](const char* more) {
    return server.text("query_data", R"({"dataset":"t")" + std::string(more) + "}");
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(rows(R"(,"filters":[{"col":"name","op":"eq","value":"a"}])"),
                HasSubstr(R"([{"id":1,"name":"a"}])"));
    EXPECT_THAT(rows(R"(,"filters":[{"col":"name","op":"eq","value":"b"}])"),
                HasSubstr(R"([{"id":2,"name":"b"}])"));
    EXPECT_THAT(rows(R"(,"limit":1)"), HasSubstr(R"("limited":true)"));
    EXPECT_THAT(rows(R"(,"limit":1,"offset":1)"), HasSubstr(R"([{"id":2,"name":"b"}])"));
    EXPECT_THAT(rows(R"(,"shape":"columns")"), HasSubstr(R"([[1,"a"],[2,"b"]])"));
    EXPECT_THAT(rows(R"(,"max_rows":99999999)"), HasSubstr("lowered from 99999999"));
    EXPECT_THAT(rows(R"(,"max_rows":88888888)"), HasSubstr("lowered from 88888888"));
    EXPECT_THAT(rows(R"(,"max_rows":1)"), HasSubstr(R"("method":"handle")"));
  }
}

}  // namespace
}  // namespace sluice::datasets::testing
