// Statistics, aggregations and dates.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;

class Numbers : public ::testing::Test {
 protected:
  Numbers() { folder_.make_tasks(); }
  RecordFolder folder_;
};

TEST_F(Numbers, StatisticsHaveTheKnownMembersAndNoPath) {
  RecordServer server(folder_);
  const WireMessage all =
      server.answer("get_statistics", R"({"data_type":"tasks","include_distribution":true})");
  EXPECT_EQ(all.text({"data_type"}), "tasks");
  EXPECT_EQ(all.text({"file_path"}), "tasks/tasks.parquet");
  EXPECT_EQ(all.text({"row_count"}), "6");
  EXPECT_EQ(all.text({"column_count"}), "9");
  EXPECT_EQ(all.text({"dtypes", "title"}), "object");
  EXPECT_EQ(all.text({"dtypes", "rank"}), "int64");
  EXPECT_GT(std::stod(all.text({"memory_usage_mb"})), 0);
  EXPECT_EQ(all.text({"file_size_bytes"}),
            std::to_string(std::filesystem::file_size(folder_.folder().at("tasks/tasks.parquet"))));
  EXPECT_EQ(all.text({"numeric_statistics", "cost", "count"}), "5");
  EXPECT_EQ(all.text({"numeric_statistics", "cost", "sum"}), "260.75");
  EXPECT_EQ(all.text({"numeric_statistics", "cost", "min"}), "0.00");
  EXPECT_EQ(all.text({"numeric_statistics", "cost", "percentiles", "50"}), "60");
  EXPECT_EQ(all.text({"numeric_statistics", "rank", "min"}), "1");  // Integers have all of it.
  EXPECT_EQ(all.text({"date_statistics", "due_date"}),
            R"({"min":"2025-01-15","max":"2026-01-01","range_days":351,"unique_count":5,"null_count":1})");
  EXPECT_EQ(all.text({"categorical_statistics", "status"}),
            R"({"unique_count":2,"null_count":1,"most_common":{"open":3,"done":2}})");
}

TEST_F(Numbers, StatisticsObeyFiltersAndColumns) {
  RecordServer server(folder_);
  const WireMessage some = server.answer(
      "get_statistics", R"({"data_type":"tasks","filters":{"status":"open"},"columns":["rank","title"]})");
  EXPECT_EQ(some.text({"row_count"}), "3");
  EXPECT_EQ(some.text({"columns"}), R"(["rank","title"])");
  EXPECT_EQ(some.text({"numeric_statistics", "rank", "mean"}), "2.6666666666666665");
  EXPECT_FALSE(some.has({"numeric_statistics", "cost"}));
  EXPECT_EQ(server.code("get_statistics", R"({"data_type":"tasks","columns":["x"]})"), "unknown_column");
}

TEST_F(Numbers, StatisticsTakeNumbersThatAreNone) {
  folder_.make("floats", "SELECT unnest([1.5, 'NaN'::DOUBLE, 'inf'::DOUBLE, NULL]) AS x");
  RecordServer server(folder_);
  const WireMessage all =
      server.answer("get_statistics", R"({"data_type":"floats","include_distribution":true})");
  EXPECT_EQ(all.text({"numeric_statistics", "x", "count"}), "3");
}

TEST_F(Numbers, DatesInTextAreMeasuredWhereTheyCanBeRead) {
  folder_.make("notes",
               "SELECT * FROM (VALUES ('2024-05-15T15:00:00Z', 'me'), ('2024-05-16T01:00:00+02:00', 'you')) "
               "t(created_date, updated_by)");
  RecordServer server(folder_);
  const WireMessage all = server.answer("get_statistics", R"({"data_type":"notes"})");
  EXPECT_EQ(
      all.text({"date_statistics"}),
      R"({"created_date":{"min":"2024-05-15T15:00:00","max":"2024-05-15T23:00:00","range_days":0,"unique_count":2,)"
      R"("null_count":0}})");
}

TEST_F(Numbers, AggregatesByGroup) {
  RecordServer server(folder_);
  EXPECT_EQ(
      server
          .call(
              "aggregate_parquet",
              R"({"data_type":"tasks","group_by":["status"],"aggregations":{"cost":["sum","avg"],"task_id":"count"}})")
          .text,
      R"({"count":2,"total_groups":2,"rows_without_key":1,"has_more":false,"version":0,"data":[)"
      R"({"status":"done","cost_sum":80.00,"cost_mean":40,"task_id_count":2},)"
      R"({"status":"open","cost_sum":120.75,"cost_mean":60.375,"task_id_count":3}]})");
}

TEST_F(Numbers, AggregatesWithoutGroups) {
  RecordServer server(folder_);
  const WireMessage all = server.answer(
      "aggregate_parquet",
      R"({"data_type":"tasks","filters":{"status":"open"},"aggregations":{"title":["first","last","min"],"rank":["std","max"]}})");
  EXPECT_EQ(
      all.text({"data"}),
      R"([{"title_first":"Pay rent","title_last":"Write report","title_min":"Call Jane Doe","rank_std":1.5275252316519468,)"
      R"("rank_max":4}])");
}

// Known defect 3: totals were counted after the limit.
TEST_F(Numbers, TotalGroupsCountsAllGroups) {
  RecordServer server(folder_);
  const WireMessage page =
      server.answer("aggregate_parquet",
                    R"({"data_type":"tasks","group_by":["task_id"],"limit":2,)"
                    R"("aggregations":{"rank":"sum"},"sort_by":[{"column":"rank_sum","ascending":false}]})");
  EXPECT_EQ(page.text({"count"}), "2");
  EXPECT_EQ(page.text({"total_groups"}), "6");
  EXPECT_EQ(each(page.at({"data"}), "task_id"), "t6 t5");
}

TEST_F(Numbers, AggregationsNameWhatIsWrong) {
  RecordServer server(folder_);
  EXPECT_EQ(server.code("aggregate_parquet", R"({"data_type":"tasks","aggregations":{"cost":"median"}})"),
            "invalid_aggregate");
  EXPECT_EQ(server.code("aggregate_parquet", R"({"data_type":"tasks","aggregations":{"title":"sum"}})"),
            "invalid_aggregate");
  const Outcome column =
      server.call("aggregate_parquet", R"({"data_type":"tasks","aggregations":{"costs":"sum"}})");
  EXPECT_EQ(column.answer().text({"error"}), "Aggregation columns not found: ['costs']");
  EXPECT_THAT(column.answer().text({"hint"}), HasSubstr("cost"));
  const Outcome group = server.call(
      "aggregate_parquet", R"({"data_type":"tasks","group_by":["x"],"aggregations":{"cost":"sum"}})");
  EXPECT_EQ(group.answer().text({"error"}), "Group by columns not found: ['x']");
}

TEST_F(Numbers, DateRangesIncludeBothEnds) {
  RecordServer server(folder_);
  const WireMessage rows = server.answer(
      "query_with_date_range",
      R"({"data_type":"tasks","date_column":"due_date","date_start":"2025-01-15","date_end":"2025-02-03"})");
  EXPECT_EQ(each(rows.at({"data"}), "task_id"), "t1 t2 t3");
  // The end is midnight: a time of that day is after it.
  const WireMessage times = server.answer(
      "query_with_date_range", R"({"data_type":"tasks","date_column":"created_at","date_end":"2025-01-20"})");
  EXPECT_EQ(each(times.at({"data"}), "task_id"), "t1");
  const WireMessage page = server.answer(
      "query_with_date_range",
      R"({"data_type":"tasks","date_column":"due_date","filters":{"title":{"$contains":"a"}},"limit":1})");
  EXPECT_EQ(page.text({"count"}), "1");
  EXPECT_EQ(page.text({"total_rows"}), "5");
}

TEST_F(Numbers, ADayThatEndsARangeAtItsMidnightIsNotLeftOutInSilence) {
  RecordServer server(folder_);
  const std::string range =
      R"({"data_type":"tasks","date_column":"created_at","date_start":"2025-01-01","date_end":")";
  const WireMessage cut = server.answer("query_with_date_range", range + "2025-01-20\"}");
  EXPECT_EQ(each(cut.at({"data"}), "task_id"), "t1");
  EXPECT_EQ(cut.text({"left_out_on_date_end"}), "1");
  EXPECT_THAT(cut.text({"hint"}), HasSubstr("2025-01-20T23:59:59.999999"));
  const WireMessage whole = server.answer("query_with_date_range", range + "2025-01-20T23:59:59.999999\"}");
  EXPECT_EQ(each(whole.at({"data"}), "task_id"), "t1 t2");
  EXPECT_FALSE(whole.has({"left_out_on_date_end"}));
  EXPECT_FALSE(server
                   .answer("query_with_date_range",
                           R"({"data_type":"tasks","date_column":"due_date","date_end":"2025-01-20"})")
                   .has({"left_out_on_date_end"}));
}

TEST_F(Numbers, PeriodsHaveTheirNames) {
  RecordServer server(folder_);
  const auto periods = [&](const std::string& period) {
    return server
        .answer(
            "query_with_date_range",
            R"({"data_type":"tasks","date_column":"due_date","date_end":"2025-12-31","group_by_period":")" +
                period + "\"}")
        .text({"data"});
  };
  EXPECT_EQ(
      periods("month"),
      R"([{"period":"2025-01","count":2},{"period":"2025-02","count":1},{"period":"2025-04","count":1}])");
  EXPECT_EQ(periods("quarter"), R"([{"period":"2025Q1","count":3},{"period":"2025Q2","count":1}])");
  EXPECT_EQ(periods("year"), R"([{"period":"2025","count":4}])");
  EXPECT_THAT(periods("week"), HasSubstr(R"({"period":"2025-01-13/2025-01-19","count":1})"));
  EXPECT_THAT(periods("day"), HasSubstr(R"({"period":"2025-01-15","count":1})"));
}

TEST_F(Numbers, PeriodsAreAggregated) {
  RecordServer server(folder_);
  const WireMessage rows = server.answer(
      "query_with_date_range",
      R"({"data_type":"tasks","date_column":"due_date","group_by_period":"quarter",)"
      R"("aggregations":{"cost":"sum"},"sort_by":[{"column":"cost_sum","ascending":false}],"limit":2})");
  EXPECT_EQ(rows.text({"data"}),
            R"([{"cost_sum":180.50,"period":"2025Q1"},{"cost_sum":60.00,"period":"2025Q2"}])");
  EXPECT_EQ(rows.text({"total_rows"}), "3");
}

TEST_F(Numbers, DateRangesNameWhatIsWrong) {
  RecordServer server(folder_);
  const Outcome missing =
      server.call("query_with_date_range", R"({"data_type":"tasks","date_column":"due"})");
  EXPECT_EQ(missing.answer().text({"error"}), "Date column not found: ['due']");
  EXPECT_TRUE(missing.answer().has({"diagnostics", "available_columns"}));
  EXPECT_EQ(server.code("query_with_date_range", R"({"data_type":"tasks","date_column":"rank"})"),
            "wrong_type");
  EXPECT_EQ(server.code("query_with_date_range",
                        R"({"data_type":"tasks","date_column":"due_date","date_start":"soon"})"),
            "wrong_type");
}

TEST_F(Numbers, DatesInTextHaveRangesToo) {
  folder_.make("comments", "SELECT * FROM read_json('" + test_data("parquet-records/task_comment.json") +
                               "', columns = {text: 'VARCHAR', created_at: 'VARCHAR'})");
  RecordServer server(folder_);
  const WireMessage rows = server.answer(
      "query_with_date_range",
      R"({"data_type":"comments","date_column":"created_at","date_end":"2024-05-15T15:00:00Z"})");
  EXPECT_THAT(rows.text({"data", 0, "text"}), HasSubstr("looks good"));
}

}  // namespace
}  // namespace sluice::records_provider::testing
