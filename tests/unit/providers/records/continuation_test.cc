// What does not fit an answer can be read on, and every row is met exactly once.

#include <set>
#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;

class Continuation : public ::testing::Test {
 protected:
  // The ids of all rows from a URI on, by `sluice/next`; the body must name the same URI where it names one.
  static std::vector<std::string> walk(RecordServer& server, std::string uri) {
    std::vector<std::string> ids;
    for (int page = 0; page < 1'000 && !uri.empty(); ++page) {
      const WireMessage reply = server.read_reply(uri);
      EXPECT_TRUE(reply.is_result()) << uri << ": " << reply.error();
      const WireMessage body = server.read(uri);
      for (const json::Value& row : *body.at({"data"}).if_array())
        ids.push_back(json::to_text(*row.find("id")));
      const bool goes_on = reply.has({"result", "contents", 0, "_meta", "sluice/next"});
      uri = goes_on ? reply.text({"result", "contents", 0, "_meta", "sluice/next"}) : "";
      if (body.has({"next"})) {
        EXPECT_EQ(body.text({"next"}), uri);
      }
      if (body.has({"has_more"})) {
        EXPECT_EQ(body.text({"has_more"}), goes_on ? "true" : "false");
      }
    }
    return ids;
  }
  static std::vector<std::string> numbers(int count) {
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back(std::to_string(i));
    return out;
  }

  RecordFolder folder_;
};

TEST_F(Continuation, CollectionsAndFilesAreReadToTheEnd) {
  folder_.make("many", "SELECT i AS id, 'x' AS text FROM range(1234) t(i)");
  folder_.make_file("imports/loose file.parquet", "SELECT i AS id FROM range(333) t(i)");
  RecordServer server(folder_);
  EXPECT_EQ(walk(server, "parquet://data_types/many"), numbers(1'234));
  EXPECT_EQ(walk(server, "parquet://data_types/many?limit=7"), numbers(1'234));
  EXPECT_EQ(walk(server, "parquet://data_types/many?limit=5000"), numbers(1'234));
  EXPECT_EQ(walk(server, "parquet://files/many/many.parquet?limit=400"), numbers(1'234));
  EXPECT_EQ(walk(server, "parquet://files/imports/loose%20file.parquet"), numbers(333));
}

TEST_F(Continuation, APageThatACapCutSaysSoAndGoesOnBehindWhatWasShown) {
  folder_.make("wide", "SELECT i AS id, repeat('x', 1000 * (1 + i % 9)) AS text FROM range(150) t(i)");
  Budget budget;
  budget.bytes = 30'000;
  RecordServer server(folder_, budget);
  const WireMessage first = server.read("parquet://data_types/wide");
  const int returned = std::stoi(first.text({"returned"}));
  EXPECT_LT(returned, 20);
  EXPECT_EQ(first.text({"has_more"}), "true");
  EXPECT_THAT(first.text({"note"}), HasSubstr("Limited to " + std::to_string(returned) + " rows"));
  EXPECT_EQ(first.text({"next"}),
            "parquet://data_types/wide?offset=" + std::to_string(returned) + "&limit=100");
  EXPECT_EQ(walk(server, "parquet://data_types/wide"), numbers(150));
}

TEST_F(Continuation, ARowWithCutTextSaysSo) {
  folder_.make("huge", "SELECT i AS id, repeat('x', 100000) AS text FROM range(3) t(i)");
  Budget budget;
  budget.bytes = 30'000;
  RecordServer server(folder_, budget);
  EXPECT_THAT(server.read("parquet://data_types/huge").text({"warning"}), HasSubstr("cut"));
  EXPECT_EQ(walk(server, "parquet://data_types/huge"), numbers(3));
}

TEST_F(Continuation, TheNoteOfACompleteAnswerDoesNotClaimALimit) {
  folder_.make_tasks();
  RecordServer server(folder_);
  EXPECT_EQ(server.read("parquet://data_types/tasks").text({"note"}), "All 6 rows.");
  EXPECT_EQ(server.read("parquet://data_types/tasks?offset=4").text({"note"}), "The last 2 rows.");
  EXPECT_EQ(server.read("parquet://data_types/tasks?offset=40").text({"returned"}), "0");
}

TEST_F(Continuation, QueriesThatMeanNothingAreNotFound) {
  folder_.make_tasks();
  RecordServer server(folder_);
  for (const std::string query : {"?limit=0", "?limit=-1", "?limit=x", "?page=2", "?offset=1&offset=2",
                                  "?limit", "?offset=99999999999999999999"}) {
    const WireMessage reply = server.read_reply("parquet://data_types/tasks" + query);
    EXPECT_EQ(reply.code(), -32602) << query;
    EXPECT_THAT(reply.error(), HasSubstr("Resource not found: parquet://data_types/tasks")) << query;
  }
}

TEST_F(Continuation, DetailsOfDataTypesAreReadToTheEnd) {
  for (int i = 0; i < 40; ++i) folder_.make("type" + std::to_string(100 + i), "SELECT 1 AS id");
  Budget budget;
  budget.bytes = 1'000;
  RecordServer server(folder_, budget);
  std::set<std::string> seen;
  std::string uri = "parquet://data_types";
  int pages = 0;
  for (; pages < 50 && !uri.empty(); ++pages) {
    const WireMessage list = server.read(uri);
    EXPECT_EQ(list.text({"count"}), "40");
    for (const json::Value& one : *list.at({"details"}).if_array())
      EXPECT_TRUE(seen.insert(*one.find("data_type")->if_string()).second);
    uri = list.has({"next"}) ? list.text({"next"}) : "";
    if (!uri.empty()) {
      EXPECT_EQ(list.text({"details_omitted"}), std::to_string(40 - seen.size()));
    }
  }
  EXPECT_EQ(seen.size(), 40U);
  EXPECT_GT(pages, 2);
}

TEST_F(Continuation, WideSchemasAreReadToTheEnd) {
  std::string select = "SELECT 1 AS a_column_with_a_rather_long_name_0";
  for (int i = 1; i < 900; ++i) select += ", 1 AS a_column_with_a_rather_long_name_" + std::to_string(i);
  folder_.make("wide", select);
  RecordServer server(folder_);
  std::size_t columns = 0;
  std::string uri = "parquet://schemas/wide";
  int pages = 0;
  for (; pages < 50 && !uri.empty(); ++pages) {
    const WireMessage schema = server.read(uri);
    columns += schema.size({"schema", "columns"});
    uri = schema.has({"next"}) ? schema.text({"next"}) : "";
  }
  EXPECT_EQ(columns, 900U);
  EXPECT_GT(pages, 1);
}

// Every tool that answers rows, with limits and caps that cut in different places.
TEST_F(Continuation, ToolsNameTheRowBehindTheLastThatTheyShowed) {
  folder_.make("many",
               "SELECT i AS id, i % 7 AS kind, repeat('x', CAST(10 + i % 300 AS INTEGER)) AS text FROM "
               "range(900) t(i)");
  Budget budget;
  budget.bytes = 12'000;
  budget.tokens = 2'000;
  RecordServer server(folder_, budget);
  const auto rows = [&](const std::string& tool, const std::string& arguments, const char* key) {
    std::vector<std::string> out;
    std::string offset = "0";
    for (int page = 0; page < 1'000; ++page) {
      const WireMessage answer =
          server.answer(tool, R"({"data_type":"many","offset":)" + offset + arguments + "}");
      for (const json::Value& row : *answer.at({"data"}).if_array())
        out.push_back(json::to_text(*row.find(key)));
      EXPECT_EQ(answer.has({"next_offset"}), answer.text({"has_more"}) == "true");
      if (!answer.has({"next_offset"})) break;
      EXPECT_EQ(answer.text({"next_offset"}), std::to_string(out.size()));
      offset = answer.text({"next_offset"});
    }
    return out;
  };
  EXPECT_EQ(rows("read_parquet", "", "id"), numbers(900));
  EXPECT_EQ(rows("read_parquet", R"(,"limit":400)", "id"), numbers(900));
  EXPECT_EQ(rows("read_parquet", R"(,"limit":3,"filters":{"id":{"$lt":50}})", "id"), numbers(50));
  EXPECT_EQ(rows("sort_parquet", R"(,"sort_by":[{"column":"id"}],"limit":150)", "id"), numbers(900));
  EXPECT_EQ(
      rows("aggregate_parquet", R"(,"group_by":["id"],"aggregations":{"text":"count"},"limit":100)", "id"),
      numbers(900));
  EXPECT_EQ(rows("search_parquet", R"(,"query":"x","min_similarity":0,"limit":100)", "id").size(), 900U);
}

TEST_F(Continuation, OneChangeIsToldOnce) {
  folder_.make_tasks();
  RecordServer server(folder_, {}, Access::kWritable);
  const std::unique_ptr<TestClient> client = server.connect(server::testing::kLegacyPipe);
  EXPECT_TRUE(client->call("resources/subscribe", R"({"uri":"parquet://data_types/tasks"})").is_result());
  server.answer("add_record", R"({"data_type":"tasks","record":{"title":"one"}})");
  EXPECT_EQ(client->next().method(), "notifications/resources/updated");
  ASSERT_TRUE(server.store().fold_all().ok());
  server.answer("update_schema", R"({"data_type":"tasks","add_fields":{"estimate":"float"}})");
  EXPECT_EQ(client->next().method(), "notifications/resources/updated");
  ASSERT_TRUE(server.store().fold_all().ok());
  // A file of its own comes last: whatever was told twice would come before it.
  folder_.make_file("imports/loose.parquet", "SELECT 1 AS id");
  EXPECT_EQ(client->next().method(), "notifications/resources/list_changed");
}

TEST_F(Continuation, LooseFilesThatComeAndGoChangeTheList) {
  folder_.make_tasks();
  folder_.make_file("imports/old.parquet", "SELECT 1 AS id");
  RecordServer server(folder_);
  const std::unique_ptr<TestClient> client = server.connect(server::testing::kLegacyPipe);
  folder_.make_file("imports/new.parquet", "SELECT 1 AS id");
  EXPECT_EQ(client->next().method(), "notifications/resources/list_changed");
  EXPECT_TRUE(
      client->call("resources/subscribe", R"({"uri":"parquet://files/imports/old.parquet"})").is_result());
  folder_.make_file("imports/old.parquet", "SELECT 2 AS id");
  const WireMessage told = client->next();
  EXPECT_EQ(told.method(), "notifications/resources/updated");
  EXPECT_EQ(told.text({"params", "uri"}), "parquet://files/imports/old.parquet");
}

TEST_F(Continuation, ErrorsOfResourcesHaveTheWordsOfTheSpecification) {
  folder_.make_tasks();
  folder_.folder().write("broken/broken.parquet", "this is no Parquet file");
  folder_.folder().write("imports/broken.parquet", "this is no Parquet file");
  RecordServer server(folder_);
  for (const std::string uri :
       {"parquet://data_types/none", "parquet://data_types/..%2Fx", "parquet://schemas/none",
        "parquet://files/none.parquet", "parquet://nothing"}) {
    const WireMessage reply = server.read_reply(uri);
    EXPECT_EQ(reply.code(), -32602) << uri;
    EXPECT_THAT(reply.error(), HasSubstr("Resource not found: " + uri)) << uri;
    EXPECT_EQ(reply.text({"error", "data", "uri"}), uri);
    const std::unique_ptr<TestClient> legacy = server.connect(server::testing::kLegacyPipe);
    EXPECT_EQ(legacy->call("resources/read", R"({"uri":")" + uri + "\"}").code(), -32002) << uri;
  }
  for (const std::string uri : {"parquet://data_types/broken", "parquet://files/broken/broken.parquet",
                                "parquet://files/imports/broken.parquet"}) {
    const WireMessage reply = server.read_reply(uri);
    EXPECT_EQ(reply.code(), -32603) << uri;
    EXPECT_THAT(reply.error(), HasSubstr("Failed to read resource: ")) << uri;
    EXPECT_THAT(reply.error(), ::testing::Not(HasSubstr("/proc"))) << uri;
  }
}

}  // namespace
}  // namespace sluice::records_provider::testing
