// Records that are not in the file yet are read like all others.

#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;

class Pending : public ::testing::Test {
 protected:
  Pending() { folder_.make_tasks(); }
  RecordFolder folder_;
};

constexpr std::string_view kNewTask =
    R"({"data_type":"tasks","record":{"task_id":"t7","title":"Book a dentist","status":"open","priority":"high","tags":["health"]}})";

TEST_F(Pending, RecordsAreInEveryAnswer) {
  RecordServer server(folder_, {}, Access::kWritable);
  server.answer("add_record", kNewTask);
  server.answer("delete_records", R"({"data_type":"tasks","filters":{"task_id":"t1"}})");
  server.answer("update_records",
                R"({"data_type":"tasks","filters":{"task_id":"t3"},"updates":{"title":"Call the dentist"}})");
  const WireMessage all = server.answer("read_parquet", R"({"data_type":"tasks"})");
  EXPECT_EQ(each(all.at({"data"}), "task_id"), "t2 t3 t4 t5 t6 t7");
  EXPECT_EQ(all.text({"total_rows"}), "6");
  EXPECT_EQ(all.text({"version"}), "3");
  EXPECT_EQ(each(server.answer("read_parquet", R"({"data_type":"tasks","offset":4,"limit":1})").at({"data"}),
                 "task_id"),
            "t6");
  EXPECT_EQ(each(server.answer("search_parquet", R"({"data_type":"tasks","query":"dentist"})").at({"data"}),
                 "task_id"),
            "t3 t7");
  EXPECT_EQ(
      each(server.answer("sort_parquet", R"({"data_type":"tasks","limit":2,"sort_by":[{"column":"title"}]})")
               .at({"data"}),
           "task_id"),
      "t7 t3");
  EXPECT_EQ(server
                .answer("aggregate_parquet",
                        R"({"data_type":"tasks","aggregations":{"title":["first","last","count"]}})")
                .text({"data", 0}),
            R"({"title_first":"Pay for therapy session","title_last":"Book a dentist","title_count":6})");
  EXPECT_EQ(server.answer("get_statistics", R"({"data_type":"tasks"})").text({"row_count"}), "6");
  EXPECT_EQ(each(server.read("parquet://data_types/tasks").at({"data"}), "task_id"), "t2 t3 t4 t5 t6 t7");
  EXPECT_EQ(each(server.read("parquet://files/tasks/tasks.parquet").at({"data"}), "task_id"),
            "t2 t3 t4 t5 t6 t7");
  EXPECT_EQ(server.read("parquet://data_types").text({"details", 0, "row_count"}), "6");
}

TEST_F(Pending, ANewColumnIsSeenAtOnce) {
  RecordServer server(folder_, {}, Access::kWritable);
  server.answer("add_record", R"({"data_type":"tasks","record":{"task_id":"t7","estimate":2.5}})");
  EXPECT_EQ(
      server
          .answer(
              "read_parquet",
              R"({"data_type":"tasks","filters":{"estimate":{"$gt":2}},"columns":["task_id","estimate"]})")
          .text({"data"}),
      R"([{"task_id":"t7","estimate":2.5}])");
  EXPECT_THAT(each(server.answer("get_schema", R"({"data_type":"tasks"})").at({"columns"}), "name"),
              HasSubstr("estimate"));
}

TEST_F(Pending, AMutationIsTold) {
  RecordServer server(folder_, {}, Access::kWritable);
  const std::unique_ptr<TestClient> client = server.connect(server::testing::kLegacyPipe);
  EXPECT_TRUE(client->call("resources/subscribe", R"({"uri":"parquet://schemas/tasks"})").is_result());
  server.answer("add_record", kNewTask);
  const WireMessage told = client->next();
  EXPECT_EQ(told.method(), "notifications/resources/updated");
  EXPECT_EQ(told.text({"params", "uri"}), "parquet://schemas/tasks");
}

}  // namespace
}  // namespace sluice::records_provider::testing
