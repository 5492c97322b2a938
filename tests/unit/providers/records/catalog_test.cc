// What there is: data types, schemas, tools and the prompt.

#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Catalog : public ::testing::Test {
 protected:
  Catalog() { folder_.make_tasks(); }
  RecordFolder folder_;
};

TEST_F(Catalog, ListsDataTypesByName) {
  folder_.make("contacts", "SELECT 1 AS id");
  folder_.make("_hidden", "SELECT 1 AS id");
  folder_.make_file("loose/other.parquet", "SELECT 1 AS id");
  RecordServer server(folder_);
  EXPECT_EQ(server.call("list_data_types", "{}").text, R"({"data_types":["contacts","tasks"],"count":2})");
}

TEST_F(Catalog, OffersTheToolsThatReadAndSaysThatTheyOnlyRead) {
  RecordServer server(folder_);
  const WireMessage list = server.client().call("tools/list");
  const std::string names = each(list.at({"result", "tools"}), "name");
  for (const char* name :
       {"list_data_types", "get_schema", "read_parquet", "search_parquet", "generate_embeddings",
        "get_statistics", "aggregate_parquet", "query_with_date_range", "sort_parquet", "validate_schema"}) {
    EXPECT_THAT(names, HasSubstr(name));
  }
  for (const char* name : {"add_record", "update_records", "delete_records", "rollback_operation"}) {
    EXPECT_THAT(names, Not(HasSubstr(name)));  // The store is read-only.
  }
}

TEST_F(Catalog, ASchemaComesFromTheFooterWhereThereIsNoFile) {
  RecordServer server(folder_);
  const WireMessage schema = server.answer("get_schema", R"({"data_type":"tasks"})");
  EXPECT_EQ(schema.text({"data_type"}), "tasks");
  EXPECT_EQ(schema.text({"columns", 0}), R"({"name":"task_id","type":"VARCHAR","nullable":true})");
  EXPECT_EQ(each(schema.at({"columns"}), "type"),
            "VARCHAR VARCHAR VARCHAR VARCHAR BIGINT DECIMAL(5,2) DATE TIMESTAMP VARCHAR[]");
  // As of a dataset.
  EXPECT_EQ(schema.text({"dtypes", "tags"}), "List(String)");
  EXPECT_EQ(schema.text({"shape"}), "[6,9]");
}

TEST_F(Catalog, ASchemaFileIsAnsweredWithThePhysicalTypes) {
  folder_.folder().write(
      "schemas/tasks_schema.json",
      R"({"schema":{"title":"string","due_date":"date"},"description":"To do","version":"1.2.0"})");
  RecordServer server(folder_);
  const WireMessage schema = server.answer("get_schema", R"({"data_type":"tasks"})");
  EXPECT_EQ(schema.text({"schema"}), R"({"title":"string","due_date":"date"})");
  EXPECT_EQ(schema.text({"description"}), "To do");
  EXPECT_EQ(schema.text({"version"}), "1.2.0");
  EXPECT_EQ(schema.text({"columns", 6, "type"}), "DATE");
}

TEST_F(Catalog, ASchemaFileAloneIsEnough) {
  folder_.folder().write("schemas/plans_schema.json", R"({"schema":{"title":"string"},"columns":"mine"})");
  RecordServer server(folder_);
  EXPECT_EQ(server.call("get_schema", R"({"data_type":"plans"})").text,
            R"({"schema":{"title":"string"},"columns":"mine","data_type":"plans"})");
  EXPECT_EQ(server.code("get_schema", R"({"data_type":"nothing"})"), "data_type_not_found");
}

TEST_F(Catalog, RequiredColumnsAreNotNullable) {
  std::filesystem::create_directories(folder_.folder().at("ints"));
  std::filesystem::copy(test_data("parquet-testing/data/delta_encoding_required_column.parquet"),
                        folder_.folder().at("ints/ints.parquet"));
  RecordServer server(folder_);
  const WireMessage schema = server.answer("get_schema", R"({"data_type":"ints"})");
  EXPECT_EQ(schema.text({"columns", 0, "nullable"}), "false");
}

TEST_F(Catalog, WideSchemasAreListedInParts) {
  std::string select = "SELECT 1 AS column_with_a_long_name_0";
  for (int i = 1; i < 2'000; ++i) select += ", 1 AS column_with_a_long_name_" + std::to_string(i);
  folder_.make("wide", select);
  RecordServer server(folder_);
  const Outcome first = server.call("get_schema", R"({"data_type":"wide"})");
  EXPECT_LT(first.text.size(), 40'000U);
  const std::string next = first.answer().text({"next_offset"});
  const WireMessage second = server.answer("get_schema", R"({"data_type":"wide","offset":)" + next + "}");
  EXPECT_EQ(second.text({"columns", 0, "name"}), "column_with_a_long_name_" + next);
}

TEST_F(Catalog, ValidateSchemaComparesColumnsAndDates) {
  folder_.make("events",
               "SELECT * FROM (VALUES ('a', '2025-01-01', 1), ('b', 'soon', 2)) t(name, event_date, extra)");
  folder_.folder().write("schemas/events_schema.json",
                         R"({"schema":{"name":"string","event_date":"date","missing":"integer"}})");
  RecordServer server(folder_);
  EXPECT_EQ(
      server.call("validate_schema", R"({"data_type":"events"})").text,
      R"({"data_type":"events","file_path":"events/events.parquet","version":0,"issues":{"missing_columns":["missing"],)"
      R"("extra_columns":["extra"],"date_parse_errors":{"event_date":1}}})");
  EXPECT_EQ(server.code("validate_schema", R"({"data_type":"tasks"})"), "schema_not_found");
}

TEST_F(Catalog, ValidateSchemaComparesTypesAndEnums) {
  folder_.folder().write(
      "schemas/tasks_schema.json",
      R"({"schema":{"task_id":"string","title":"integer","status":{"enum":["open"]},"due_date":"date","rank":"float","cost":"number","created_at":"datetime","priority":"string","tags":"string"}})");
  RecordServer server(folder_);
  const WireMessage found = server.answer("validate_schema", R"({"data_type":"tasks"})");
  EXPECT_EQ(
      found.text({"issues", "type_mismatches"}),
      R"({"title":{"declared":"integer","stored":"VARCHAR"},"tags":{"declared":"string","stored":"VARCHAR[]"}})");
  EXPECT_EQ(found.text({"issues", "enum_errors"}), R"({"status":{"count":2,"values":["done"]}})");
  folder_.make("notes", "SELECT 'a' AS note_id");
  const WireMessage all = server.answer("validate_schema", "{}");
  EXPECT_EQ(each(all.at({"data_types"}), "data_type"), "tasks");
  EXPECT_EQ(json::to_text(all.at({"without_schema"})), R"(["notes"])");
}

TEST_F(Catalog, ThePromptSaysWhatIsPossibleHere) {
  RecordServer server(folder_);
  const WireMessage prompt = server.client().call(
      "prompts/get", R"({"name":"data_persistence_guidance","arguments":{"context":"a new contact"}})");
  const std::string text = prompt.text({"result", "messages", 0, "content", "text"});
  EXPECT_THAT(text, HasSubstr("a new contact"));
  EXPECT_THAT(text, HasSubstr("read-only"));
  EXPECT_THAT(text, Not(HasSubstr("add_records")));
}

}  // namespace
}  // namespace sluice::records_provider::testing
