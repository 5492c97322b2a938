// Changes say what they did, and a dry run does nothing.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/records/audit.h"

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class Writes : public ::testing::Test {
 protected:
  Writes() {
    folder_.make_tasks();
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  }
  std::string records(const std::string& name = "tasks") {
    return json::to_text(server_->answer("read_parquet", R"({"data_type":")" + name + "\"}").at({"data"}));
  }
  WireMessage undo(const std::string& id, const std::string& more = "") {
    return server_->answer("rollback_operation", R"({"audit_id":")" + id + "\"" + more + "}");
  }
  std::string newest_audit_id() {
    return server_->answer("read_audit_log", R"({"limit":1})").text({"data", 0, "audit_id"});
  }
  // Every file of the store's folder with its content, but for the locks.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.folder().path())) {
      if (!entry.is_regular_file() || entry.path().extension() == ".lock") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      out[entry.path().string()] = text.str();
    }
    return out;
  }

  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(Writes, ADryRunChangesNoFile) {
  const auto before = files();
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"add_record", R"({"data_type":"tasks","record":{"title":"x","new":1},"dry_run":true})"},
      {"add_records", R"({"data_type":"tasks","records":[{"title":"x"}],"dry_run":true})"},
      {"update_records",
       R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"title":"x"},"dry_run":true})"},
      {"upsert_record",
       R"({"data_type":"tasks","filters":{"task_id":"t1"},"record":{"title":"x"},"dry_run":true})"},
      {"delete_records", R"({"data_type":"tasks","filters":{"task_id":"t1"},"dry_run":true})"},
      {"restore_snapshot", R"({"data_type":"tasks","version":0,"dry_run":true})"},
      {"create_data_type", R"({"data_type":"notes","schema":{"note_id":"string"},"dry_run":true})"},
      {"update_schema",
       R"({"data_type":"tasks","add_fields":{"estimate":"float"},"version":"2","dry_run":true})"}};
  for (const auto& [tool, arguments] : calls) {
    const Outcome outcome = server_->call(tool, arguments);
    EXPECT_EQ(outcome.code, "") << tool << ": " << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("\"dry_run\":true")) << tool;
    EXPECT_EQ(files(), before) << tool;
  }
  EXPECT_EQ(server_->answer("read_audit_log", "{}").text({"message"}), "No audit log exists yet");
}

TEST_F(Writes, ADryRunOfKeepFileLeavesTheChoiceOpen) {
  server_->answer("update_records",
                  R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"title":"Mine"}})");
  const std::string mine = records();
  folder_.make("tasks", "SELECT 't9' AS task_id, 'Theirs' AS title");
  EXPECT_THAT(server_->call("read_parquet", R"({"data_type":"tasks"})").text, HasSubstr("keep_file"));
  const auto before = files();
  const WireMessage would =
      server_->answer("restore_snapshot", R"({"data_type":"tasks","keep_file":true,"dry_run":true})");
  EXPECT_EQ(would.text({"dry_run"}), "true");
  EXPECT_EQ(would.text({"total_records_after"}), "1");
  EXPECT_EQ(would.text({"version"}), "1");
  EXPECT_EQ(files(), before);
  EXPECT_EQ(server_->code("read_parquet", R"({"data_type":"tasks"})"), "file_replaced");
  server_->answer("restore_snapshot", R"({"data_type":"tasks","version":1})");
  EXPECT_EQ(records(), mine);
  EXPECT_EQ(server_->code("restore_snapshot", R"({"data_type":"tasks","keep_file":true,"dry_run":true})"),
            "not_replaced");
}

TEST_F(Writes, CreatingADataTypeIsAudited) {
  const WireMessage made = server_->answer(
      "create_data_type",
      R"({"data_type":"notes","schema":{"note_id":"string","kind":{"enum":["a","b"]}},"description":"N"})");
  EXPECT_EQ(made.text({"created"}), "true");
  EXPECT_EQ(made.text({"version"}), "1");
  EXPECT_EQ(each(made.at({"columns"}), "name"), "note_id kind");
  const WireMessage log = server_->answer("read_audit_log", R"({"operation":"create"})");
  EXPECT_EQ(log.text({"count"}), "1");
  EXPECT_EQ(log.text({"data", 0, "data_type"}), "notes");
  EXPECT_EQ(log.text({"data", 0, "audit_id"}), made.text({"audit_id"}));
  EXPECT_EQ(log.text({"data", 0, "affected_fields"}), R"(["note_id","kind"])");
  EXPECT_THAT(log.text({"data", 0, "new_values"}), HasSubstr("\"description\":\"N\""));
  const Outcome undone =
      server_->call("rollback_operation", R"({"audit_id":")" + made.text({"audit_id"}) + "\"}");
  EXPECT_EQ(undone.code, "not_reversible");
  EXPECT_THAT(undone.text, HasSubstr("delete_records"));
  server_->answer("add_record", R"({"data_type":"notes","record":{"note_id":"n1","kind":"a"}})");
  server_.reset();
  server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  EXPECT_EQ(records("notes"), R"([{"note_id":"n1","kind":"a"}])");
  EXPECT_EQ(each(server_->answer("read_audit_log", R"({"data_type":"notes"})").at({"data"}), "operation"),
            "add create");
}

TEST_F(Writes, ARefusedCreationLeavesNothingBehind) {
  const auto before = files();
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"{}", "empty_schema"},
      {R"({"a":"color"})", "unknown_type"},
      {R"({"a":"string","A":"string"})", "invalid_column_name"},
      {R"({"":"string"})", "invalid_column_name"},
      {R"({"__sluice_row":"string"})", "invalid_column_name"}};
  for (const auto& [schema, code] : refused) {
    EXPECT_EQ(server_->code("create_data_type", R"({"data_type":"notes","schema":)" + schema + "}"), code)
        << schema;
    EXPECT_EQ(files(), before) << schema;
    EXPECT_FALSE(std::filesystem::exists(folder_.folder().at("notes"))) << schema;
  }
  EXPECT_EQ(server_->answer("create_data_type", R"({"data_type":"notes","schema":{"a":"string"}})")
                .text({"created"}),
            "true");
}

TEST_F(Writes, ASchemaFileThatDeclaresNothingIsNoDeadEnd) {
  folder_.folder().write("schemas/notes_schema.json", R"({"schema":{},"description":"","version":"1.0.0"})");
  EXPECT_EQ(server_->code("create_data_type", R"({"data_type":"notes"})"), "schema_not_found");
  EXPECT_EQ(server_->answer("create_data_type", R"({"data_type":"notes","schema":{"a":"string"}})")
                .text({"created"}),
            "true");
}

// Two servers over one folder, as two processes.
TEST_F(Writes, ADataTypeIsCreatedOnceByWhoeverIsFirst) {
  for (int round = 0; round < 5; ++round) {
    const std::string name = "made" + std::to_string(round);
    std::vector<std::unique_ptr<RecordServer>> servers;
    for (int i = 0; i < 3; ++i)
      servers.push_back(std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable));
    std::vector<std::string> created(servers.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < servers.size(); ++i) {
        threads.emplace_back([&, i] {
          created[i] = servers[i]
                           ->answer("create_data_type", R"({"data_type":")" + name +
                                                            R"(","schema":{"a":"string","n":"integer"}})")
                           .text({"created"});
          servers[i]->answer("add_record",
                             R"({"data_type":")" + name + R"(","record":{"n":)" + std::to_string(i) + "}}");
        });
      }
    }
    EXPECT_EQ(std::count(created.begin(), created.end(), "true"), 1) << name;
    EXPECT_EQ(server_->answer("read_parquet", R"({"data_type":")" + name + "\"}").text({"total_rows"}), "3");
  }
}

TEST_F(Writes, IdsFitTheTypeOfTheirColumn) {
  folder_.make("orders", "SELECT * FROM (VALUES (7::BIGINT, 'a'), (41, 'b')) t(order_id, title)");
  folder_.make("devices", "SELECT '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID AS device_id, 'a' AS title");
  folder_.make("days", "SELECT DATE '2025-01-01' AS day_id, 'a' AS title");
  folder_.make("bytes", "SELECT 127::TINYINT AS byte_id, 'a' AS title");
  const auto add = [&](const std::string& name) {
    return server_->call("add_record", R"({"data_type":")" + name + R"(","record":{"title":"x"}})");
  };
  EXPECT_EQ(add("orders").answer().text({"added_record", "order_id"}), "42");
  const WireMessage several = server_->answer(
      "add_records", R"({"data_type":"orders","records":[{"title":"p"},{"order_id":100},{"title":"q"}]})");
  EXPECT_EQ(json::to_text(several.at({"record_ids"})), "[101,100,102]");
  EXPECT_THAT(add("devices").answer().text({"added_record", "device_id"}),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(add("days").code, "id_needed");
  EXPECT_EQ(add("bytes").code, "wrong_type");
  EXPECT_THAT(add("bytes").text, HasSubstr("byte_id"));
}

TEST_F(Writes, AnIdOfADeletedRecordIsNotUsedAgain) {
  folder_.make("orders", "SELECT * FROM (VALUES (7::BIGINT, 'a'), (41, 'b')) t(order_id, title)");
  const auto add = [&] {
    return server_->answer("add_record", R"({"data_type":"orders","record":{"title":"x"}})")
        .text({"added_record", "order_id"});
  };
  const auto remove = [&](const std::string& id) {
    server_->answer("delete_records", R"({"data_type":"orders","filters":{"order_id":)" + id + "}}");
  };
  const auto restart = [&] {
    server_.reset();
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  };
  remove("41");
  EXPECT_EQ(add(), "42");
  remove("42");
  restart();  // What was deleted is in no file any more.
  EXPECT_EQ(add(), "43");
  server_->answer("update_records",
                  R"({"data_type":"orders","filters":{"order_id":43},"updates":{"order_id":8}})");
  EXPECT_EQ(add(), "44");
  server_->answer("restore_snapshot", R"({"data_type":"orders","version":0})");
  restart();
  EXPECT_EQ(add(), "45");
  // Also where the data type itself was removed and made again.
  remove("45");
  ASSERT_TRUE(server_->store().fold_all().ok());
  folder_.folder().remove("orders");
  restart();
  server_->answer("create_data_type",
                  R"({"data_type":"orders","schema":{"order_id":"integer","title":"string"}})");
  EXPECT_EQ(add(), "46");
}

TEST_F(Writes, IdsOfIrregularPluralsAreRecognised) {
  const std::vector<std::pair<std::string, std::string>> types = {
      {"addresses", "address_id"}, {"categories", "category_id"}, {"companies", "company_id"},
      {"classes", "class_id"},     {"glass", "glass_id"},         {"boxes", "box_id"},
      {"tasks", "task_id"}};
  for (const auto& [name, id] : types) {
    if (name != "tasks") folder_.make(name, "SELECT 'x' AS \"" + id + "\", 'a' AS title");
    const WireMessage added =
        server_->answer("add_record", R"({"data_type":")" + name + R"(","record":{"title":"n"}})");
    EXPECT_EQ(added.text({"added_record", id.c_str()}).size(), 16U) << name;
    EXPECT_FALSE(added.has({"new_columns"})) << name;
    const WireMessage removed =
        server_->answer("delete_records", R"({"data_type":")" + name + R"(","filters":{"title":"n"}})");
    undo(removed.text({"audit_ids", 0}));
  }
  // The rule of the layout goes first where a file has both.
  folder_.make("statuses", "SELECT 'x' AS statuse_id, 'y' AS status_id, 'a' AS title");
  EXPECT_TRUE(server_->answer("add_record", R"({"data_type":"statuses","record":{"title":"n"}})")
                  .has({"added_record", "statuse_id"}));
  // And a data type without an id column gets one with the right name.
  folder_.make("entries", "SELECT 'a' AS title");
  const WireMessage added =
      server_->answer("add_record", R"({"data_type":"entries","record":{"title":"n"}})");
  EXPECT_EQ(each(added.at({"new_columns"}), "name"), "entry_id");
}

TEST_F(Writes, AnExplicitNullStaysNull) {
  server_->answer(
      "create_data_type",
      R"({"data_type":"jobs","schema":{"job_id":"string","started_at":"timestamp","completed_at":"timestamp","import_date":"date","created_date":"date_string"}})");
  const WireMessage added = server_->answer(
      "add_record",
      R"({"data_type":"jobs","record":{"job_id":"j1","completed_at":null,"import_date":null,"created_date":null}})");
  EXPECT_TRUE(added.has({"added_record", "started_at"}));
  EXPECT_FALSE(added.has({"added_record", "completed_at"}));
  EXPECT_FALSE(added.has({"added_record", "import_date"}));
  EXPECT_FALSE(added.has({"added_record", "created_date"}));
  const WireMessage filled =
      server_->answer("add_record", R"({"data_type":"jobs","record":{"job_id":"j2"}})");
  EXPECT_THAT(filled.text({"added_record", "completed_at"}), HasSubstr("T"));
  EXPECT_THAT(filled.text({"added_record", "import_date"}), MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}"));
  EXPECT_THAT(filled.text({"added_record", "created_date"}), MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}"));
}

TEST_F(Writes, AnswersNameTheColumnsThatTheyMade) {
  EXPECT_EQ(each(server_->answer("add_record", R"({"data_type":"tasks","record":{"titel":"x"}})")
                     .at({"new_columns"}),
                 "name"),
            "titel");
  EXPECT_FALSE(
      server_->answer("add_record", R"({"data_type":"tasks","record":{"titel":"y"}})").has({"new_columns"}));
  EXPECT_EQ(each(server_->answer("add_records", R"({"data_type":"tasks","records":[{"statsu":"x"}]})")
                     .at({"new_columns"}),
                 "name"),
            "statsu");
  EXPECT_EQ(
      each(
          server_
              ->answer("upsert_record",
                       R"({"data_type":"tasks","filters":{"task_id":"q"},"record":{"task_id":"q","prio":1}})")
              .at({"new_columns"}),
          "name"),
      "prio");
}

TEST_F(Writes, ValuesOutsideAnEnumAreWarnedAbout) {
  folder_.folder().write("schemas/tasks_schema.json",
                         R"({"schema":{"status":{"enum":["open","done"]}},"version":"1.0"})");
  const WireMessage added =
      server_->answer("add_record", R"({"data_type":"tasks","record":{"status":"opne"}})");
  EXPECT_THAT(added.text({"warnings", 0}),
              HasSubstr("opne is stored, but is not among the declared values: open, done"));
  EXPECT_THAT(added.text({"warnings", 0}), HasSubstr("Did you mean open?"));
  const WireMessage updated = server_->answer(
      "update_records",
      R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"status":"x"},"dry_run":true})");
  EXPECT_TRUE(updated.has({"warnings"}));
  EXPECT_FALSE(
      server_->answer("add_record", R"({"data_type":"tasks","record":{"status":"done"}})").has({"warnings"}));
  EXPECT_FALSE(
      server_->answer("add_record", R"({"data_type":"tasks","record":{"status":null}})").has({"warnings"}));
}

TEST_F(Writes, ErrorsHaveTheMembersThatClientsOfTheLayoutRead) {
  const WireMessage none =
      server_
          ->call("update_records",
                 R"({"data_type":"tasks","filters":{"title":"nobody"},"updates":{"title":"x"}})")
          .answer();
  EXPECT_EQ(none.text({"success"}), "false");
  EXPECT_EQ(none.text({"error"}), "No records matched the filters");
  EXPECT_EQ(none.text({"filters"}), R"({"title":"nobody"})");
  const WireMessage unknown =
      server_->call("read_parquet", R"({"data_type":"tasks","columns":["x"]})").answer();
  EXPECT_EQ(unknown.text({"error"}), "Columns not found: ['x']");
  EXPECT_EQ(unknown.text({"available_columns", 0}), "task_id");
  EXPECT_EQ(unknown.text({"diagnostics", "available_columns", 0}), "task_id");
  EXPECT_FALSE(unknown.has({"success"}));
}

}  // namespace
}  // namespace sluice::records_provider::testing
