// The tools that change records.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class Changes : public ::testing::Test {
 protected:
  Changes() {
    folder_.make_tasks();
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  }
  static std::vector<std::string> keys(const WireMessage& answer) {
    std::vector<std::string> out;
    for (const json::Member& member : *answer.at({}).if_object()) out.push_back(member.key);
    return out;
  }
  std::string titles(const std::string& filters) {
    return each(
        server_->answer("read_parquet", R"({"data_type":"tasks","filters":)" + filters + "}").at({"data"}),
        "title");
  }

  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(Changes, AddRecordAnswersWithExactlyTheKnownMembers) {
  const WireMessage added =
      server_->answer("add_record", R"({"data_type":"tasks","record":{"title":"New"}})");
  EXPECT_THAT(keys(added), ElementsAre("success", "audit_id", "snapshot_created", "total_records",
                                       "added_record", "embeddings_generated"));
  EXPECT_THAT(added.text({"audit_id"}), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]"));
  EXPECT_EQ(added.text({"total_records"}), "7");
  EXPECT_EQ(added.text({"added_record", "title"}), "New");
  EXPECT_THAT(added.text({"added_record", "task_id"}), MatchesRegex("[0-9a-f-]{16}"));
}

TEST_F(Changes, AnswersHaveTheKnownMembers) {
  const WireMessage updated =
      server_->answer("update_records",
                      R"({"data_type":"tasks","filters":{"task_id":["t1","t2"]},"updates":{"status":"x"}})");
  for (const char* key : {"success", "audit_ids", "snapshot_created", "records_updated", "filters", "updates",
                          "embeddings_generated"})
    EXPECT_THAT(keys(updated), ::testing::Contains(key));
  EXPECT_EQ(updated.text({"records_updated"}), "2");
  const WireMessage created = server_->answer(
      "upsert_record",
      R"({"data_type":"tasks","filters":{"task_id":"u"},"record":{"task_id":"u","title":"Up"}})");
  EXPECT_EQ(created.text({"action"}), "created");
  EXPECT_EQ(created.text({"record_id"}), "u");
  for (const char* key : {"audit_id", "snapshot_created", "filters", "record", "embeddings_generated"})
    EXPECT_THAT(keys(created), ::testing::Contains(key));
  const WireMessage again = server_->answer(
      "upsert_record", R"({"data_type":"tasks","filters":{"task_id":"u"},"record":{"title":"Upper"}})");
  EXPECT_EQ(again.text({"action"}), "updated");
  for (const char* key : {"audit_ids", "records_updated", "record_id", "filters", "updates"})
    EXPECT_THAT(keys(again), ::testing::Contains(key));
  const WireMessage deleted = server_->answer(
      "delete_records", R"({"data_type":"tasks","filters":{"title":{"$starts_with":"UPP"}}})");
  EXPECT_EQ(deleted.text({"records_deleted"}), "1");
  EXPECT_EQ(deleted.text({"remaining_records"}), "6");
}

TEST_F(Changes, ManyRecordsAreAddedAtOnce) {
  std::string records;
  for (int i = 0; i < 250; ++i)
    records += std::string(i > 0 ? "," : "") + R"({"title":"b)" + std::to_string(i) + "\"}";
  const WireMessage added =
      server_->answer("add_records", R"({"data_type":"tasks","records":[)" + records + "]}");
  EXPECT_EQ(added.text({"records_added"}), "250");
  EXPECT_EQ(added.text({"total_records"}), "256");
  EXPECT_EQ(added.at({"audit_ids"}).if_array()->size(), 100U);  // Bounded; the operation's id stands for all.
  EXPECT_EQ(added.text({"audit_ids_omitted"}), "150");
  const WireMessage undone =
      server_->answer("rollback_operation", R"({"audit_id":")" + added.text({"operation_id"}) + "\"}");
  EXPECT_EQ(undone.text({"records_affected"}), "250");
  EXPECT_EQ(undone.text({"total_records"}), "6");
}

TEST_F(Changes, ADryRunShowsTheFirstChangesAndDoesNothing) {
  const WireMessage would = server_->answer(
      "update_records",
      R"({"data_type":"tasks","filters":{},"all_rows":true,"updates":{"status":"closed"},"dry_run":true})");
  EXPECT_EQ(would.text({"records_affected"}), "6");
  EXPECT_EQ(would.at({"changes"}).if_array()->size(), 5U);
  EXPECT_EQ(would.text({"changes", 0, "new", "status"}), "closed");
  EXPECT_EQ(titles(R"({"status":"closed"})"), "");
  for (
      const char* call :
      {R"(add_record {"data_type":"tasks","record":{"title":"x"},"dry_run":true})",
       R"(delete_records {"data_type":"tasks","filters":{"task_id":"t1"},"dry_run":true})",
       R"(upsert_record {"data_type":"tasks","filters":{"task_id":"q"},"record":{"title":"x"},"dry_run":true})",
       R"(add_records {"data_type":"tasks","records":[{"title":"x"}],"dry_run":true})"}) {
    const std::string text = call;
    const std::size_t space = text.find(' ');
    EXPECT_EQ(server_->answer(text.substr(0, space), text.substr(space + 1)).text({"dry_run"}), "true")
        << text;
  }
  EXPECT_EQ(server_->answer("read_parquet", R"({"data_type":"tasks"})").text({"total_rows"}), "6");
}

TEST_F(Changes, TwoAgentsDoNotOverwriteEachOther) {
  const std::string version =
      server_->answer("read_parquet", R"({"data_type":"tasks","limit":1})").text({"version"});
  const std::string change =
      R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"title":"mine"},"expected_version":)";
  EXPECT_EQ(server_->code("update_records", change + version + "}"), "");
  EXPECT_EQ(server_->code("update_records", change + version + "}"), "version_conflict");
}

TEST_F(Changes, NothingIsChangedByAccident) {
  EXPECT_EQ(server_->code("delete_records", R"({"data_type":"tasks","filters":{}})"), "empty_filter");
  EXPECT_EQ(server_->code("delete_records", R"({"data_type":"tasks","filters":{"nope":1}})"),
            "unknown_column");
  EXPECT_EQ(server_->code("delete_records", R"({"data_type":"tasks","filters":{"title":{"$like":"x"}}})"),
            "unknown_operator");
  EXPECT_EQ(server_->code("delete_records", R"({"data_type":"tasks","filters":{"title":"nobody"}})"),
            "no_match");
  EXPECT_EQ(server_->code("update_records", R"({"data_type":"tasks","filters":{},"updates":{"title":"x"}})"),
            "empty_filter");
  EXPECT_EQ(server_->code("upsert_record", R"({"data_type":"tasks","filters":{},"record":{"title":"x"}})"),
            "empty_filter");
  EXPECT_EQ(
      server_->code("update_records", R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{}})"),
      "empty_updates");
  EXPECT_EQ(server_->code("add_records", R"({"data_type":"tasks","records":[]})"), "no_records");
  EXPECT_EQ(server_->code("add_record", R"({"data_type":"tasks","record":{"task_id":"t1"}})"),
            "record_exists");
  EXPECT_EQ(server_->code("add_record", R"({"data_type":"tasks","record":"text"})"), "invalid_arguments");
  EXPECT_EQ(server_->answer("read_parquet", R"({"data_type":"tasks"})").text({"total_rows"}), "6");
}

TEST_F(Changes, Defect8ADataTypeIsNeverAPath) {
  for (const char* name :
       {"../tasks", "/etc/passwd", "tasks/tasks", "con", "", "tasks\\u0000x", "_journal"}) {
    const std::string data_type = std::string(R"("data_type":")") + name + "\"";
    EXPECT_EQ(server_->code("add_record", "{" + data_type + R"(,"record":{"a":1}})"), "invalid_data_type")
        << name;
    EXPECT_EQ(server_->code("delete_records", "{" + data_type + R"(,"filters":{"a":1}})"),
              "invalid_data_type")
        << name;
    EXPECT_EQ(server_->code("create_data_type", "{" + data_type + R"(,"schema":{"a":"string"}})"),
              "invalid_data_type")
        << name;
    EXPECT_EQ(server_->code("restore_snapshot", "{" + data_type + R"(,"version":0})"), "invalid_data_type")
        << name;
  }
}

TEST_F(Changes, HostsAreToldWhichToolsDestroy) {
  const WireMessage list = server_->client().call("tools/list", "{}");
  std::string destroying;
  for (const json::Value& tool : *list.at({"result", "tools"}).if_array()) {
    const json::Value* annotations = tool.find("annotations");
    if (*annotations->find("destructiveHint")->if_bool()) destroying += *tool.find("name")->if_string() + " ";
  }
  EXPECT_EQ(destroying, "delete_records restore_snapshot rollback_operation update_records upsert_record ");
}

TEST_F(Changes, AStoreThatIsReadOnlyDoesNotOfferThem) {
  RecordServer server(folder_);
  const std::string list = json::to_text(server.client().call("tools/list", "{}").at({"result", "tools"}));
  EXPECT_THAT(list, HasSubstr("read_audit_log"));
  for (const char* tool :
       {"add_record", "update_records", "delete_records", "create_data_type", "rollback_operation"})
    EXPECT_THAT(list, Not(HasSubstr(std::string("\"name\":\"") + tool)));
}

TEST_F(Changes, DataTypesAreCreatedFromASchema) {
  EXPECT_EQ(server_->code("create_data_type", R"({"data_type":"notes"})"), "schema_not_found");
  EXPECT_EQ(server_->code("create_data_type", R"({"data_type":"notes","schema":{"a":"color"}})"),
            "unknown_type");
  const WireMessage made = server_->answer(
      "create_data_type",
      R"({"data_type":"notes","description":"N","schema":{"note_id":"string","made_at":"timestamp","kind":{"enum":["a","b"]}}})");
  EXPECT_EQ(made.text({"created"}), "true");
  EXPECT_EQ(made.text({"message"}), "Parquet file created");
  EXPECT_EQ(made.text({"path"}), "notes/notes.parquet");
  EXPECT_EQ(server_->answer("create_data_type", R"({"data_type":"notes"})").text({"message"}),
            "Parquet file already exists");
  EXPECT_EQ(server_->code("create_data_type", R"({"data_type":"notes","schema":{"note_id":"integer"}})"),
            "schema_exists");
  const WireMessage added = server_->answer("add_record", R"({"data_type":"notes","record":{"kind":"a"}})");
  EXPECT_THAT(added.text({"added_record", "made_at"}), HasSubstr("T"));  // Timestamps of the schema are set.
}

TEST_F(Changes, SchemasGrow) {
  const WireMessage changed = server_->answer(
      "update_schema",
      R"({"data_type":"tasks","add_fields":{"estimate":"float"},"update_description":"D","version":"2.0.0"})");
  EXPECT_EQ(changed.text({"columns_added", 0}), "estimate");
  EXPECT_EQ(changed.text({"schema", "version"}), "2.0.0");
  EXPECT_EQ(server_->code("update_records",
                          R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"estimate":1.5}})"),
            "");
  EXPECT_EQ(server_->code("update_schema", R"({"data_type":"tasks","add_fields":{"x":"color"}})"),
            "unknown_type");
  EXPECT_EQ(server_->code("update_schema", R"({"data_type":"tasks","add_fields":{"TITLE":"string"}})"),
            "invalid_column_name");
}

}  // namespace
}  // namespace sluice::records_provider::testing
