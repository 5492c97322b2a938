// parquet:// as the specification has it.

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Resources : public ::testing::Test {
 protected:
  Resources() { folder_.make_tasks(); }
  RecordFolder folder_;
};

TEST_F(Resources, AreListedWithTheSpecifiedNames) {
  folder_.make_file("snapshots/old.parquet", "SELECT 1 AS id");
  folder_.make_file("_journal/secret.parquet", "SELECT 1 AS id");
  RecordServer server(folder_);
  const WireMessage list = server.client().call("resources/list");
  const json::Value& all = list.at({"result", "resources"});
  EXPECT_EQ(each(all, "uri"),
            "parquet://data_types parquet://data_types/tasks parquet://files/tasks/tasks.parquet "
            "parquet://schemas/tasks");
  EXPECT_EQ(list.text({"result", "resources", 0, "name"}), "Data Types");
  EXPECT_EQ(list.text({"result", "resources", 0, "description"}), "List all available data types");
  EXPECT_EQ(list.text({"result", "resources", 1, "name"}), "Tasks Data");
  EXPECT_EQ(list.text({"result", "resources", 1, "description"}), "All tasks rows from parquet file");
  EXPECT_EQ(list.text({"result", "resources", 3, "name"}), "Tasks Schema");
  EXPECT_EQ(list.text({"result", "resources", 3, "description"}), "Schema information for tasks data type");
  EXPECT_EQ(each(all, "mimeType"), "application/json application/json application/json application/json");
}

// A store keeps a hundred of them for each data type, which would bury everything else.
TEST_F(Resources, SnapshotsAndLogsAreReadByTheirPathAndNotListed) {
  folder_.make_file("snapshots/old.parquet", "SELECT 1 AS id");
  folder_.make_file("logs/audit_log.parquet", "SELECT 1 AS id");
  RecordServer server(folder_);
  const std::string listed = each(server.client().call("resources/list").at({"result", "resources"}), "uri");
  EXPECT_THAT(listed, Not(HasSubstr("snapshots")));
  EXPECT_THAT(listed, Not(HasSubstr("logs")));
  EXPECT_EQ(server.read("parquet://files/snapshots/old.parquet").text({"total_rows"}), "1");
  EXPECT_EQ(server.read("parquet://files/logs/audit_log.parquet").text({"total_rows"}), "1");
}

TEST_F(Resources, TwoHundredDataTypesAreListedOnOnePageAndMoreInSeveral) {
  RecordFolder many;
  many.make("type000", "SELECT 1 AS id");
  const auto copy = [&](int number) {
    const std::string name = fmt::format("type{:03}", number);
    std::filesystem::create_directory(many.folder().at(name));
    std::filesystem::copy(many.folder().at("type000/type000.parquet"),
                          many.folder().at(name + "/" + name + ".parquet"));
  };
  for (int i = 1; i < 200; ++i) copy(i);
  RecordServer server(many);
  const WireMessage all = server.client().call("resources/list");
  EXPECT_EQ(all.size({"result", "resources"}), 601U);
  EXPECT_FALSE(all.has({"result", "nextCursor"}));
  for (int i = 200; i < 205; ++i) copy(i);
  const WireMessage first = server.client().call("resources/list");
  EXPECT_EQ(first.size({"result", "resources"}), 601U);
  const WireMessage rest = server.client().call(
      "resources/list", json::to_text(json::Object{{"cursor", first.text({"result", "nextCursor"})}}));
  EXPECT_EQ(rest.size({"result", "resources"}), 15U);
  EXPECT_FALSE(rest.has({"result", "nextCursor"}));
  EXPECT_NE(rest.text({"result", "resources", 0, "uri"}), first.text({"result", "resources", 600, "uri"}));
}

TEST_F(Resources, TemplatesAreAlwaysOffered) {
  RecordServer server(folder_);
  EXPECT_EQ(each(server.client().call("resources/templates/list").at({"result", "resourceTemplates"}),
                 "uriTemplate"),
            "parquet://data_types/{data_type} parquet://files/{+path} parquet://schemas/{data_type}");
}

TEST_F(Resources, TheListOfDataTypesHasDetails) {
  folder_.folder().write("broken/broken.parquet", "this is no Parquet file");
  RecordServer server(folder_);
  const WireMessage list = server.read("parquet://data_types");
  EXPECT_EQ(list.text({"type"}), "data_types_list");
  EXPECT_EQ(list.text({"data_types"}), R"(["broken","tasks"])");
  EXPECT_EQ(list.text({"count"}), "2");
  EXPECT_EQ(list.text({"details", 1, "row_count"}), "6");
  EXPECT_EQ(list.text({"details", 1, "file_size_bytes"}),
            std::to_string(std::filesystem::file_size(folder_.folder().at("tasks/tasks.parquet"))));
  EXPECT_TRUE(list.at({"details", 0, "row_count"}).is_null());
  EXPECT_EQ(list.text({"details", 0, "code"}), "unreadable_file");
}

TEST_F(Resources, ACollectionIsTheFirstHundredRowsAndTheTrueTotal) {
  folder_.make("many", "SELECT i AS id, 'né' AS text FROM range(16065) t(i)");
  RecordServer server(folder_);
  const std::string text =
      server.read_reply("parquet://data_types/many").text({"result", "contents", 0, "text"});
  EXPECT_THAT(text,
              ::testing::StartsWith(
                  R"({"type":"data_type_collection","data_type":"many","data":[{"id":0,"text":"né"},{)"));
  EXPECT_THAT(text,
              ::testing::EndsWith(
                  R"(],"total_rows":16065,"returned":100,)"
                  R"("note":"Limited to 100 rows. Use read_parquet tool for full dataset or pagination."})"));
}

TEST_F(Resources, ASchemaIsThatOfGetSchema) {
  RecordServer server(folder_);
  const WireMessage schema = server.read("parquet://schemas/tasks");
  EXPECT_EQ(schema.text({"type"}), "schema");
  EXPECT_EQ(schema.text({"data_type"}), "tasks");
  EXPECT_EQ(schema.text({"schema"}), server.call("get_schema", R"({"data_type":"tasks"})").text);
}

TEST_F(Resources, FilesAreReadByTheirPath) {
  folder_.make_file("imports/2025/January notes.parquet", "SELECT i AS id FROM range(250) t(i)");
  RecordServer server(folder_);
  const WireMessage file = server.read("parquet://files/imports/2025/January%20notes.parquet");
  EXPECT_EQ(file.text({"type"}), "file");
  EXPECT_EQ(file.text({"filename"}), "imports/2025/January notes.parquet");
  EXPECT_EQ(file.text({"total_rows"}), "250");
  EXPECT_EQ(file.text({"returned"}), "100");
  EXPECT_EQ(server.read("parquet://files/tasks/tasks.parquet").text({"returned"}), "6");
  EXPECT_EQ(server.read("parquet://files//tasks//tasks.parquet").text({"returned"}),
            "6");  // As the specification parses.
}

TEST_F(Resources, ThatDoNotExistAreNotFound) {
  folder_.make_file("_journal/secret.parquet", "SELECT 1 AS id");
  RecordServer server(folder_);
  for (const std::string uri :
       {"parquet://", "parquet://data_types/none", "parquet://schemas/none", "parquet://schemas",
        "parquet://files", "parquet://files/none.parquet", "parquet://files/schemas",
        "parquet://data_types/tasks/more", "parquet://other/tasks", "parquet://files/_journal/secret.parquet",
        "parquet://files/%2e%2e/tasks/tasks.parquet", "parquet://files/tasks/%2E%2E/tasks/tasks.parquet",
        "parquet://files/..%2Ftasks.parquet", "parquet://files/%2Fetc%2Fpasswd",
        "parquet://files/tasks/tasks.parquet%00", "parquet://data_types/..%2F..", "parquet://data_types/%00",
        "parquet://files/tasks", "parquet://files/."}) {
    const WireMessage reply = server.read_reply(uri);
    EXPECT_FALSE(reply.is_result()) << uri;
    EXPECT_EQ(reply.code(), -32602) << uri << ": " << reply.error();
    EXPECT_THAT(reply.error(), Not(HasSubstr(folder_.folder().path()))) << uri;
  }
}

TEST_F(Resources, ALinkOutOfTheFolderIsNotFollowed) {
  std::filesystem::create_directories(folder_.folder().at("linked"));
  std::filesystem::create_symlink(test_data("parquet-testing/data/int32_decimal.parquet"),
                                  folder_.folder().at("linked/linked.parquet"));
  RecordServer server(folder_);
  EXPECT_FALSE(server.read_reply("parquet://files/linked/linked.parquet").is_result());
  EXPECT_FALSE(server.read_reply("parquet://data_types/linked").is_result());
}

TEST_F(Resources, ArgumentsAreCompleted) {
  folder_.make("task_comments", "SELECT 1 AS id");
  RecordServer server(folder_);
  const auto completed = [&](const std::string& reference, const std::string& argument,
                             const std::string& typed) {
    return server.client()
        .call("completion/complete", R"({"ref":{"type":"ref/resource","uri":")" + reference +
                                         R"("},"argument":{"name":")" + argument + R"(","value":")" + typed +
                                         R"("}})")
        .text({"result", "completion", "values"});
  };
  EXPECT_EQ(completed("parquet://data_types/{data_type}", "data_type", "TASK"),
            R"(["task_comments","tasks"])");
  EXPECT_EQ(completed("parquet://schemas/{data_type}", "data_type", "tasks"), R"(["tasks"])");
  EXPECT_EQ(completed("parquet://files/{+path}", "path", "task_"),
            R"(["task_comments/task_comments.parquet"])");
}

TEST_F(Resources, AnotherProgramsReplacementIsTold) {
  RecordServer server(folder_);
  const std::unique_ptr<TestClient> client = server.connect(server::testing::kLegacyPipe);
  EXPECT_TRUE(client->call("resources/subscribe", R"({"uri":"parquet://data_types/tasks"})").is_result());
  EXPECT_EQ(server.read("parquet://data_types/tasks").text({"total_rows"}), "6");
  folder_.make("tasks", "SELECT 't1' AS task_id");
  WireMessage told = client->next();
  EXPECT_EQ(told.method(), "notifications/resources/updated");
  EXPECT_EQ(told.text({"params", "uri"}), "parquet://data_types/tasks");
  EXPECT_EQ(server.read("parquet://data_types/tasks").text({"total_rows"}), "1");
}

TEST_F(Resources, DataTypesThatComeAndGoChangeTheList) {
  RecordServer server(folder_);
  const std::unique_ptr<TestClient> client = server.connect(server::testing::kLegacyPipe);
  folder_.make("contacts", "SELECT 1 AS id");
  EXPECT_EQ(client->next().method(), "notifications/resources/list_changed");
  EXPECT_THAT(server.call("list_data_types", "{}").text, HasSubstr("contacts"));
  std::filesystem::remove(folder_.folder().at("contacts/contacts.parquet"));
  EXPECT_EQ(client->next().method(), "notifications/resources/list_changed");
  EXPECT_EQ(server.call("list_data_types", "{}").text, R"({"data_types":["tasks"],"count":1})");
}

}  // namespace
}  // namespace sluice::records_provider::testing
