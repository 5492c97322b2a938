// What no good client sends, and files that are not what they should be.

#include <string>

#include <gmock/gmock.h>

#include "parquet_bytes.h"
#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;

class BadInput : public ::testing::Test {
 protected:
  BadInput() { folder_.make_tasks(); }
  RecordFolder folder_;
};

// The engine's parser would take the process down with it.
TEST_F(BadInput, ASchemaThatIsNestedTooDeepIsAnErrorOfItsFile) {
  const std::string deep = inspection::testing::ParquetBytes::nested_file(20'000);
  folder_.folder().write("deep/deep.parquet", deep);
  folder_.folder().write("snapshots/deep.parquet", deep);
  folder_.folder().write("logs/audit_log.parquet", deep);
  RecordServer server(folder_);
  EXPECT_EQ(server.code("read_parquet", R"({"data_type":"deep"})"), "nesting_too_deep");
  EXPECT_EQ(server.code("read_parquet", R"({"data_type":"tasks"})"), "");
  EXPECT_THAT(server.read_reply("parquet://files/snapshots/deep.parquet").text({"error", "message"}),
              HasSubstr("more than 50 levels"));
  EXPECT_EQ(server.code("list_data_types", "{}"), "");
  EXPECT_EQ(server.code("read_audit_log", "{}"), "nesting_too_deep");
}

// Known defect 8: a data type was joined into a path.
TEST_F(BadInput, ADataTypeIsNeverAPath) {
  std::filesystem::create_directories(folder_.folder().at("outside"));
  RecordServer server(folder_);
  const std::vector<std::string> names = {"../tasks",
                                          "tasks/../tasks",
                                          "/etc/passwd",
                                          "tasks/tasks",
                                          "tasks\\tasks",
                                          std::string("tasks\0x", 7),
                                          std::string("\0", 1),
                                          std::string(300, 'a'),
                                          "t\xD0\xB0sks",  // A Cyrillic a.
                                          "tasks\xE2\x80\x8B",
                                          "CON",
                                          "nul.parquet",
                                          "com1",
                                          "",
                                          " ",
                                          ".",
                                          "..",
                                          "_journal",
                                          "schemas",
                                          "snapshots",
                                          "logs",
                                          "tasks\n",
                                          "%2e%2e%2ftasks"};
  for (const std::string& name : names) {
    for (const char* tool :
         {"read_parquet", "get_schema", "get_statistics", "validate_schema", "generate_embeddings"}) {
      const std::string arguments = json::to_text(json::Object{{"data_type", name}});
      EXPECT_EQ(server.code(tool, arguments), "invalid_data_type") << tool << " " << arguments;
    }
  }
}

TEST_F(BadInput, AMissingDataTypeNamesTheNearest) {
  RecordServer server(folder_);
  const Outcome missing = server.call("read_parquet", R"({"data_type":"task"})");
  EXPECT_EQ(missing.code, "data_type_not_found");
  EXPECT_EQ(missing.answer().text({"error"}), "Parquet file not found: task/task.parquet");
  EXPECT_THAT(missing.answer().text({"hint"}), HasSubstr("tasks"));
}

TEST_F(BadInput, FiltersOnMissingColumnsSayWhatExists) {
  RecordServer server(folder_);
  for (const char* tool : {"read_parquet", "get_statistics"}) {
    const Outcome out = server.call(tool, R"({"data_type":"tasks","filters":{"stauts":"open"}})");
    EXPECT_EQ(out.code, "unknown_column");
    EXPECT_THAT(out.answer().text({"hint"}), HasSubstr("status"));
    EXPECT_THAT(out.answer().text({"diagnostics", "available_columns"}), HasSubstr("task_id"));
  }
  const Outcome columns = server.call("read_parquet", R"({"data_type":"tasks","columns":["x","title","y"]})");
  EXPECT_EQ(columns.answer().text({"error"}), "Columns not found: ['x', 'y']");
  EXPECT_EQ(server.code("read_parquet", R"({"data_type":"tasks","columns":["__sluice_row"]})"),
            "unknown_column");
  EXPECT_EQ(server.code("sort_parquet", R"({"data_type":"tasks","sort_by":[{"column":"x"}]})"),
            "unknown_column");
}

TEST_F(BadInput, TooManyOfAnythingIsRefused) {
  RecordServer server(folder_);
  std::string filters = "{\"task_id\":1";
  std::string columns = "[\"x\"";
  for (int i = 0; i < 10'000; ++i) {
    filters += ",\"c" + std::to_string(i) + "\":1";
    columns += ",\"c" + std::to_string(i) + "\"";
  }
  EXPECT_EQ(server.code("read_parquet", R"({"data_type":"tasks","filters":)" + filters + "}}"),
            "too_many_values");
  EXPECT_EQ(server.code("read_parquet", R"({"data_type":"tasks","columns":)" + columns + "]}"),
            "invalid_arguments");
  EXPECT_EQ(
      server.code("search_parquet", R"({"data_type":"tasks","query":")" + std::string(5'000, 'q') + "\"}"),
      "too_many_values");
}

TEST_F(BadInput, RegexBombsAreHarmless) {
  folder_.make("texts", "SELECT repeat('a', 20000) || 'b' AS text FROM range(20)");
  RecordServer server(folder_);
  const WireMessage none =
      server.answer("read_parquet", R"j({"data_type":"texts","filters":{"text":{"$regex":"(a+)+c"}}})j");
  EXPECT_EQ(none.text({"count"}), "0");
  EXPECT_EQ(server.code("read_parquet",
                        R"j({"data_type":"texts","filters":{"text":{"$regex":"(((a{999}){999}){999})"}}})j"),
            "invalid_pattern");
  EXPECT_EQ(server.code("read_parquet", R"j({"data_type":"texts","filters":{"text":{"$regex":"*"}}})j"),
            "invalid_pattern");
}

TEST_F(BadInput, FuzzyFiltersOverHostileTextEnd) {
  folder_.make("texts", "SELECT repeat('ab', 5000) || i AS text FROM range(100) t(i)");
  RecordServer server(folder_);
  server.answer("read_parquet",
                R"({"data_type":"texts","filters":{"text":{"$fuzzy":")" + std::string(4'000, 'b') + "\"}}}");
}

TEST_F(BadInput, ABrokenSchemaFileIsSaidAndDoesNotHinderReading) {
  folder_.folder().write("schemas/tasks_schema.json", "{\"schema\": {");
  RecordServer server(folder_);
  EXPECT_EQ(server.code("get_schema", R"({"data_type":"tasks"})"), "invalid_schema_file");
  EXPECT_EQ(server.code("validate_schema", R"({"data_type":"tasks"})"), "invalid_schema_file");
  const WireMessage sorted =
      server.answer("sort_parquet", R"({"data_type":"tasks","sort_by":[{"column":"title"}]})");
  EXPECT_EQ(sorted.text({"count"}), "6");
}

TEST_F(BadInput, SchemasOfOddShapesAreTaken) {
  folder_.folder().write("schemas/tasks_schema.json",
                         R"({"schema":[1,2],"properties":{"title":{"type":"string"}}})");
  RecordServer server(folder_);
  server.answer("get_schema", R"({"data_type":"tasks"})");
  server.answer("sort_parquet", R"({"data_type":"tasks","sort_by":[{"column":"title"}]})");
  const WireMessage found = server.answer("validate_schema", R"({"data_type":"tasks"})");
  EXPECT_EQ(found.text({"issues", "missing_columns"}), "[]");
  EXPECT_THAT(found.text({"issues", "extra_columns"}), HasSubstr("task_id"));
}

TEST_F(BadInput, AFileReplacedByGarbageIsAnErrorUntilItIsGoodAgain) {
  RecordServer server(folder_);
  EXPECT_EQ(server.answer("read_parquet", R"({"data_type":"tasks"})").text({"count"}), "6");
  folder_.folder().write("tasks/tasks.parquet", "PAR1 and then nothing of use");
  for (const char* tool : {"read_parquet", "get_schema", "get_statistics"}) {
    EXPECT_EQ(server.code(tool, R"({"data_type":"tasks"})"), "unreadable_file") << tool;
  }
  EXPECT_FALSE(server.read_reply("parquet://data_types/tasks").is_result());
  std::filesystem::remove(folder_.folder().at("tasks/tasks.parquet"));
  EXPECT_EQ(server.code("read_parquet", R"({"data_type":"tasks"})"), "data_type_not_found");
  folder_.make_tasks();
  EXPECT_EQ(server.answer("read_parquet", R"({"data_type":"tasks"})").text({"count"}), "6");
}

TEST_F(BadInput, ArgumentsOfTheWrongFormAreRefused) {
  RecordServer server(folder_);
  for (const char* arguments :
       {R"({})", R"({"data_type":7})", R"({"data_type":"tasks","filters":[]})",
        R"({"data_type":"tasks","limit":-1})", R"({"data_type":"tasks","offset":-1})",
        R"({"data_type":"tasks","unknown":1})", R"({"data_type":"tasks","sort_by":[{}]})",
        R"({"data_type":"tasks","limit":1.5})"}) {
    EXPECT_EQ(server.code("read_parquet", arguments), "invalid_arguments") << arguments;
  }
  server.answer("read_parquet", R"({"data_type":"tasks","offset":9223372036854775807})");
}

TEST_F(BadInput, EveryFileOfOtherWritersIsServedOrRefused) {
  std::size_t served = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("parquet-testing/data"))) {
    if (entry.path().extension() != ".parquet") continue;
    const std::string name = "x" + entry.path().stem().string();
    std::filesystem::create_directories(folder_.folder().at(name));
    std::filesystem::copy(entry.path(), folder_.folder().at(name + "/" + name + ".parquet"));
  }
  RecordServer server(folder_);
  const WireMessage types = server.answer("list_data_types", "{}");
  for (const json::Value& type : *types.at({"data_types"}).if_array()) {
    const std::string arguments = json::to_text(json::Object{{"data_type", *type.if_string()}, {"limit", 5}});
    if (server.code("read_parquet", arguments).empty()) ++served;
    server.code("get_statistics", json::to_text(json::Object{{"data_type", *type.if_string()}}));
    server.code("search_parquet",
                json::to_text(json::Object{{"data_type", *type.if_string()}, {"query", "a"}}));
    server.code("get_schema", json::to_text(json::Object{{"data_type", *type.if_string()}}));
  }
  EXPECT_GT(served, 40U);
}

}  // namespace
}  // namespace sluice::records_provider::testing
