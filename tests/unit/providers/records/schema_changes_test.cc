// Schemas change as records do: as operations that are audited, previewed and undone.

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SchemaChanges : public ::testing::Test {
 protected:
  SchemaChanges() {
    folder_.make_tasks();
    folder_.folder().write("schemas/tasks_schema.json", kSchema);
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  }
  static constexpr const char* kSchema =
      R"({"schema":{"task_id":"string","status":{"enum":["open","done"]}},"description":"Old","version":"1.0.0"})";

  std::string schema_file() const {
    std::ostringstream text;
    text << std::ifstream(folder_.folder().at("schemas/tasks_schema.json")).rdbuf();
    std::string out = text.str();
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }
  std::string version() {
    return server_->answer("read_parquet", R"({"data_type":"tasks","limit":1})").text({"version"});
  }
  WireMessage change(const std::string& arguments) {
    return server_->answer("update_schema", R"({"data_type":"tasks",)" + arguments + "}");
  }
  WireMessage undo(const std::string& id) {
    return server_->answer("rollback_operation", R"({"audit_id":")" + id + "\"}");
  }
  std::string columns() {
    return each(server_->answer("get_schema", R"({"data_type":"tasks"})").at({"columns"}), "name");
  }

  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(SchemaChanges, ADescriptionAloneIsAuditedAndUndone) {
  const WireMessage changed = change(R"("update_description":"New","version":"1.1.0")");
  EXPECT_EQ(changed.text({"version"}), "1");
  EXPECT_EQ(changed.text({"schema", "version"}), "1.1.0");
  const WireMessage log = server_->answer("read_audit_log", "{}");
  EXPECT_EQ(log.text({"data", 0, "operation"}), "schema");
  EXPECT_EQ(log.text({"data", 0, "audit_id"}), changed.text({"audit_id"}));
  EXPECT_EQ(log.text({"data", 0, "old_values"}), kSchema);
  EXPECT_THAT(log.text({"data", 0, "new_values"}), HasSubstr("1.1.0"));
  server_->answer("add_record", R"({"data_type":"tasks","record":{"title":"later"}})");
  const WireMessage undone = undo(changed.text({"audit_id"}));
  EXPECT_EQ(undone.text({"action"}), "restored schema (rollback of schema)");
  EXPECT_EQ(schema_file(), kSchema);
  undo(undone.text({"rollback_audit_id"}));
  EXPECT_THAT(schema_file(), HasSubstr("1.1.0"));
}

TEST_F(SchemaChanges, TheRollbackOfNewColumnsRestoresTheSchemaFile) {
  const std::string before = columns();
  const WireMessage changed = change(R"("add_fields":{"estimate":"float"},"version":"2.0.0")");
  EXPECT_EQ(columns(), before + " estimate");
  EXPECT_THAT(schema_file(), HasSubstr("estimate"));
  const WireMessage undone = undo(changed.text({"audit_id"}));
  EXPECT_EQ(schema_file(), kSchema);
  EXPECT_EQ(columns(), before);
  undo(undone.text({"rollback_audit_id"}));
  EXPECT_THAT(schema_file(), HasSubstr("estimate"));
  EXPECT_EQ(columns(), before + " estimate");
}

TEST_F(SchemaChanges, ASchemaFileThatWasMadeIsRemovedByTheRollback) {
  folder_.make("notes", "SELECT 'a' AS note_id");
  const WireMessage changed =
      server_->answer("update_schema", R"({"data_type":"notes","add_fields":{"text":"string"}})");
  EXPECT_TRUE(std::filesystem::exists(folder_.folder().at("schemas/notes_schema.json")));
  undo(changed.text({"audit_id"}));
  EXPECT_FALSE(std::filesystem::exists(folder_.folder().at("schemas/notes_schema.json")));
}

TEST_F(SchemaChanges, ASchemaFileThatWasEditedSinceIsNotOverwritten) {
  const WireMessage changed = change(R"("version":"1.1.0")");
  folder_.folder().write("schemas/tasks_schema.json", R"({"schema":{"mine":"string"}})");
  EXPECT_EQ(server_->code("rollback_operation", R"({"audit_id":")" + changed.text({"audit_id"}) + "\"}"),
            "changed_since");
  EXPECT_THAT(schema_file(), HasSubstr("mine"));
  server_->answer("rollback_operation",
                  R"({"audit_id":")" + changed.text({"audit_id"}) + R"(","force":true})");
  EXPECT_EQ(schema_file(), kSchema);
}

TEST_F(SchemaChanges, ExpectedVersionIsObeyedEverywhere) {
  const WireMessage changed = change(R"("add_fields":{"estimate":"float"})");
  const std::string id = changed.text({"audit_id"});
  const std::string old = R"(,"expected_version":0)";
  const std::string now = R"(,"expected_version":1)";
  for (const std::string dry : {"", R"(,"dry_run":true)"}) {
    EXPECT_EQ(server_->code("update_schema", R"({"data_type":"tasks","version":"9")" + old + dry + "}"),
              "version_conflict");
    EXPECT_EQ(server_->code("rollback_operation", R"({"audit_id":")" + id + "\"" + old + dry + "}"),
              "version_conflict");
    EXPECT_EQ(server_->code("restore_snapshot", R"({"data_type":"tasks","version":0)" + old + dry + "}"),
              "version_conflict");
  }
  EXPECT_EQ(version(), "1");
  server_->answer("restore_snapshot", R"({"data_type":"tasks","version":0)" + now + "}");
  const std::string restored =
      server_->answer("read_audit_log", R"({"limit":1})").text({"data", 0, "audit_id"});
  EXPECT_EQ(server_->code("rollback_operation", R"({"audit_id":")" + restored + "\"" + now + "}"),
            "version_conflict");
  server_->answer("rollback_operation", R"({"audit_id":")" + restored + R"(","expected_version":2})");
  EXPECT_EQ(version(), "3");
}

TEST_F(SchemaChanges, ARestoredMomentHasTheSchemaFileOfThatMoment) {
  change(R"("add_fields":{"estimate":"float"},"version":"2.0.0")");
  const std::string second = schema_file();
  server_->answer("add_record", R"({"data_type":"tasks","record":{"title":"x","estimate":1.5}})");
  change(R"("version":"3.0.0")");
  const std::string third = schema_file();
  const auto restore = [&](const std::string& arguments) {
    return server_->answer("restore_snapshot", R"({"data_type":"tasks",)" + arguments + "}");
  };
  EXPECT_EQ(restore(R"("version":0,"dry_run":true)").text({"schema_restored"}), "true");
  EXPECT_EQ(restore(R"("version":3,"dry_run":true)").text({"schema_restored"}), "false");
  EXPECT_EQ(schema_file(), third);
  EXPECT_EQ(restore(R"("version":0)").text({"schema_restored"}), "true");
  EXPECT_EQ(schema_file(), kSchema);
  EXPECT_EQ(restore(R"("version":2)").text({"schema_restored"}), "true");
  EXPECT_EQ(schema_file(), second);
  const std::string id = server_->answer("read_audit_log", R"({"limit":1})").text({"data", 0, "audit_id"});
  undo(id);
  EXPECT_EQ(schema_file(), kSchema);
  // A restart in between: the journal knows the schemas, not the process.
  server_.reset();
  server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  restore(R"("version":3)");
  EXPECT_EQ(schema_file(), third);
}

TEST_F(SchemaChanges, ADryRunOfARollbackCountsTheRecordsThatWouldBe) {
  server_->answer("add_record", R"({"data_type":"tasks","record":{"title":"x"}})");
  server_->answer("restore_snapshot", R"({"data_type":"tasks","version":0})");
  const std::string id = server_->answer("read_audit_log", R"({"limit":1})").text({"data", 0, "audit_id"});
  const WireMessage would =
      server_->answer("rollback_operation", R"({"audit_id":")" + id + R"(","dry_run":true})");
  EXPECT_EQ(would.text({"total_records_after"}), "7");
  EXPECT_EQ(version(), "2");
}

TEST_F(SchemaChanges, TheTypeOfAFieldIsNotChangedInSilence) {
  EXPECT_EQ(server_->code("update_schema", R"({"data_type":"tasks","add_fields":{"task_id":"integer"}})"),
            "field_exists");
  EXPECT_EQ(schema_file(), kSchema);
  const WireMessage wider = change(R"("add_fields":{"status":{"enum":["open","done","late"]}})");
  EXPECT_EQ(wider.text({"fields_changed", 0}), "status");
  EXPECT_THAT(schema_file(), HasSubstr("late"));
  EXPECT_EQ(server_->code("update_schema",
                          R"({"data_type":"tasks","add_fields":{"TITLE":"string"},"update_parquet":false})"),
            "invalid_column_name");
  EXPECT_THAT(schema_file(), Not(HasSubstr("TITLE")));
}

TEST_F(SchemaChanges, NothingNewIsNoOperation) {
  const WireMessage same = change(R"("version":"1.0.0")");
  EXPECT_FALSE(same.has({"audit_id"}));
  EXPECT_EQ(same.text({"version"}), "0");
  EXPECT_EQ(server_->answer("read_audit_log", "{}").text({"count"}), "0");
}

}  // namespace
}  // namespace sluice::records_provider::testing
