// What was changed, and how it is undone.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;

class History : public ::testing::Test {
 protected:
  History() {
    folder_.make_tasks();
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  }
  std::string records() {
    return json::to_text(server_->answer("read_parquet", R"({"data_type":"tasks"})").at({"data"}));
  }
  WireMessage rename(const std::string& title) {
    return server_->answer(
        "update_records",
        R"({"data_type":"tasks","filters":{"task_id":"t1"},"updates":{"title":")" + title + "\"}}");
  }

  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(History, IsEmptyAtFirst) {
  const WireMessage log = server_->answer("read_audit_log", "{}");
  EXPECT_EQ(log.text({"count"}), "0");
  EXPECT_EQ(log.text({"message"}), "No audit log exists yet");
}

TEST_F(History, ListsEveryChangeOfEveryRecordNewestFirst) {
  server_->answer("add_record", R"({"data_type":"tasks","record":{"task_id":"n1","title":"New"}})");
  rename("Renamed");
  const WireMessage log = server_->answer("read_audit_log", "{}");
  EXPECT_EQ(each(log.at({"data"}), "operation"), "update add");
  EXPECT_EQ(each(log.at({"data"}), "record_id"), "t1 n1");
  EXPECT_EQ(log.text({"data", 0, "affected_fields"}), R"(["title"])");
  EXPECT_EQ(log.text({"data", 0, "new_values"}), R"({"title":"Renamed"})");
  EXPECT_EQ(log.text({"data", 1, "notes"}), "Added new record via MCP");
  EXPECT_THAT(log.text({"data", 0, "snapshot_reference"}), HasSubstr("snapshots/tasks-"));
  const WireMessage page = server_->answer("read_audit_log", R"({"limit":1,"offset":1})");
  EXPECT_EQ(each(page.at({"data"}), "record_id"), "n1");
  EXPECT_EQ(page.text({"has_more"}), "false");
  EXPECT_EQ(server_->answer("read_audit_log", R"({"limit":1})").text({"next_offset"}), "1");
  EXPECT_EQ(each(server_->answer("read_audit_log", R"({"operation":"add"})").at({"data"}), "record_id"),
            "n1");
  EXPECT_EQ(server_->answer("read_audit_log", R"({"record_id":"nobody"})").text({"count"}), "0");
}

TEST_F(History, GoesOnWhereAnotherProgramsLogEnds) {
  folder_.make_file(
      "logs/audit_log.parquet",
      "SELECT 'old-' || range AS audit_id, TIMESTAMP '2020-01-01' + INTERVAL (range) DAY AS timestamp, 'add' "
      "AS "
      "operation, 'tasks' AS data_type, 'r' || range AS record_id, '[]' AS affected_fields, NULL::VARCHAR AS "
      "old_values, '{\"a\":1}' AS new_values, 'mcp_server' AS user, 's' AS snapshot_reference, 'n' AS notes "
      "FROM "
      "range(3)");
  EXPECT_EQ(each(server_->answer("read_audit_log", "{}").at({"data"}), "audit_id"), "old-2 old-1 old-0");
  rename("Renamed");
  const WireMessage page = server_->answer("read_audit_log", R"({"limit":2})");
  EXPECT_EQ(each(page.at({"data"}), "record_id"), "t1 r2");
  EXPECT_EQ(page.text({"next_offset"}), "2");
  EXPECT_EQ(each(server_->answer("read_audit_log", R"({"limit":5,"offset":2})").at({"data"}), "record_id"),
            "r1 r0");
  server_.reset();  // Which exports both.
  server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  EXPECT_EQ(each(server_->answer("read_audit_log", "{}").at({"data"}), "record_id"), "t1 r2 r1 r0");
}

TEST_F(History, IsBoundedLikeEveryAnswer) {
  const std::string text(3'000, 'x');
  for (int i = 0; i < 30; ++i) rename(text + std::to_string(i));
  const WireMessage log = server_->answer("read_audit_log", "{}");
  EXPECT_LT(json::to_text(log.at({})).size(), 33'000U);
  EXPECT_EQ(log.text({"has_more"}), "true");
  EXPECT_EQ(server_->answer("read_audit_log", R"({"limit":30})").text({"count"}), "30");
  // The next page begins behind what was shown, and not behind what would have been without the cap.
  std::string versions;
  std::string offset = "0";
  for (int page = 0; page < 30; ++page) {
    const WireMessage part = server_->answer("read_audit_log", R"({"offset":)" + offset + "}");
    versions += each(part.at({"data"}), "version") + " ";
    EXPECT_EQ(part.has({"next_offset"}), part.text({"has_more"}) == "true");
    if (!part.has({"next_offset"})) break;
    offset = part.text({"next_offset"});
  }
  std::string expected;
  for (int i = 30; i > 0; --i) expected += std::to_string(i) + " ";
  EXPECT_EQ(versions, expected);
}

TEST_F(History, OneHugeRecordDoesNotFloodAnAnswer) {
  const std::string huge(200'000, 'x');
  rename(huge);
  const WireMessage log = server_->answer("read_audit_log", "{}");
  EXPECT_LT(json::to_text(log.at({})).size(), 33'000U);
  EXPECT_THAT(log.text({"data", 0, "new_values_omitted_bytes"}), ::testing::StartsWith("200"));
  const std::string filtered = R"({"data_type":"tasks","filters":{"title":")" + huge + "\"}";
  const Outcome would = server_->call("delete_records", filtered + R"(,"dry_run":true})");
  EXPECT_EQ(would.code, "");
  EXPECT_LT(would.text.size(), 5'000U);
  EXPECT_THAT(would.text, HasSubstr("omitted_bytes"));
  const WireMessage removed = server_->answer("delete_records", filtered + "}");
  EXPECT_LT(server_->answer("read_audit_log", R"({"limit":1})").text({"data", 0, "notes"}).size(), 1'000U);
  const Outcome back =
      server_->call("rollback_operation", R"({"audit_id":")" + removed.text({"audit_ids", 0}) + "\"}");
  EXPECT_EQ(back.code, "");
  EXPECT_LT(back.text.size(), 5'000U);
}

TEST_F(History, AnOperationIsRolledBackAndSoIsItsRollback) {
  const std::string before = records();
  const WireMessage removed =
      server_->answer("delete_records", R"({"data_type":"tasks","filters":{"task_id":"t2"}})");
  const std::string without = records();
  const auto undo = [&](const std::string& id) {
    return server_->answer("rollback_operation", R"({"audit_id":")" + id + "\"}");
  };
  const WireMessage back = undo(removed.text({"audit_ids", 0}));
  EXPECT_EQ(back.text({"action"}), "restored record (rollback of delete)");
  EXPECT_EQ(back.text({"restored_record", "task_id"}), "t2");
  EXPECT_EQ(records(), before);
  const WireMessage gone = undo(back.text({"rollback_audit_id"}));
  EXPECT_EQ(gone.text({"action"}), "deleted record (rollback of add)");
  EXPECT_EQ(records(), without);
  undo(gone.text({"rollback_audit_id"}));
  const WireMessage renamed = rename("Other");
  const WireMessage old = undo(renamed.text({"audit_ids", 0}));
  EXPECT_EQ(old.text({"action"}), "restored old values (rollback of update)");
  EXPECT_THAT(json::to_text(old.at({"restored_values"})), HasSubstr("title"));
  EXPECT_EQ(records(), before);
}

TEST_F(History, UnknownIdsAreRefused) {
  EXPECT_EQ(server_->code("rollback_operation", R"({"audit_id":"d9c70e2f-8f47-40"})"), "unknown_audit_id");
  EXPECT_EQ(server_->code("rollback_operation", R"({"audit_id":"../../etc/passwd"})"), "unknown_audit_id");
  EXPECT_EQ(server_->code("rollback_operation", R"({"audit_id":""})"), "unknown_audit_id");
}

TEST_F(History, ADataTypeGoesBackToAnyMoment) {
  const std::string before = records();
  const WireMessage first = rename("One");
  const std::string one = records();
  const WireMessage second = rename("Two");
  const std::string time = server_->answer("read_audit_log", "{}").text({"data", 1, "timestamp"});
  EXPECT_EQ(server_->code("restore_snapshot", R"({"data_type":"tasks"})"), "no_moment");
  EXPECT_EQ(server_->code("restore_snapshot", R"({"data_type":"tasks","version":99})"), "unknown_version");
  EXPECT_EQ(server_->code("restore_snapshot", R"({"data_type":"tasks","time":"yesterday"})"), "invalid_time");
  const WireMessage would =
      server_->answer("restore_snapshot", R"({"data_type":"tasks","version":0,"dry_run":true})");
  EXPECT_EQ(would.text({"total_records_after"}), "6");
  const WireMessage restored = server_->answer("restore_snapshot", R"({"data_type":"tasks","version":1})");
  EXPECT_EQ(records(), one);
  server_->answer("restore_snapshot",
                  R"({"data_type":"tasks","audit_id":")" + first.text({"audit_ids", 0}) + "\"}");
  EXPECT_EQ(records(), before);
  server_->answer("restore_snapshot", R"({"data_type":"tasks","time":")" + time + "\"}");
  EXPECT_EQ(records(), one);
  // A restored state is an operation like any other.
  const std::string newest =
      server_->answer("read_audit_log", R"({"limit":1})").text({"data", 0, "audit_id"});
  server_->answer("rollback_operation", R"({"audit_id":")" + newest + "\"}");
  EXPECT_EQ(records(), before);
}

TEST_F(History, TheStateBeforeTheFirstOperationIsAVersionToo) {
  const std::string before = records();
  const WireMessage would =
      server_->answer("restore_snapshot", R"({"data_type":"tasks","version":0,"dry_run":true})");
  EXPECT_EQ(would.text({"total_records_after"}), "6");
  EXPECT_EQ(would.text({"version"}), "0");
  EXPECT_EQ(server_->answer("restore_snapshot", R"({"data_type":"tasks","version":0})").text({"version"}),
            "1");
  EXPECT_EQ(records(), before);
  // A file that another program has put in the place of ours is the next version, which no snapshot has.
  folder_.make("tasks", "SELECT 't9' AS task_id, 'Theirs' AS title");
  const std::string version = server_->answer("read_parquet", R"({"data_type":"tasks"})").text({"version"});
  EXPECT_EQ(version, "2");
  const WireMessage theirs = server_->answer(
      "restore_snapshot", R"({"data_type":"tasks","version":2,"expected_version":2,"dry_run":true})");
  EXPECT_EQ(theirs.text({"total_records_after"}), "1");
  EXPECT_EQ(server_->code("restore_snapshot",
                          R"({"data_type":"tasks","version":1,"expected_version":1,"dry_run":true})"),
            "version_conflict");
}

TEST_F(History, RecordsComeBackThoughTheirFileIsGarbage) {
  rename("Good");
  const std::string good = records();
  ASSERT_TRUE(server_->store().fold_all().ok());
  folder_.folder().write("tasks/tasks.parquet", "garbage");
  EXPECT_NE(server_->code("read_parquet", R"({"data_type":"tasks"})"), "");
  server_->answer("restore_snapshot", R"({"data_type":"tasks","version":1})");
  EXPECT_EQ(records(), good);
}

TEST_F(History, AFileThatAnotherProgramReplacedIsSettledByTheCaller) {
  rename("Mine");
  const std::string mine = records();
  folder_.make("tasks", "SELECT 't9' AS task_id, 'Theirs' AS title");
  EXPECT_EQ(server_->code("read_parquet", R"({"data_type":"tasks"})"), "file_replaced");
  EXPECT_EQ(server_->code("add_record", R"({"data_type":"tasks","record":{"title":"x"}})"), "file_replaced");
  server_->answer("restore_snapshot", R"({"data_type":"tasks","version":1})");
  EXPECT_EQ(records(), mine);
  rename("Mine again");
  folder_.make("tasks", "SELECT 't9' AS task_id, 'Theirs' AS title");
  EXPECT_EQ(server_->code("read_parquet", R"({"data_type":"tasks"})"), "file_replaced");
  EXPECT_EQ(
      server_->code("restore_snapshot", R"({"data_type":"tasks","keep_file":true,"expected_version":99})"),
      "version_conflict");
  EXPECT_EQ(server_->code("read_parquet", R"({"data_type":"tasks"})"), "file_replaced");
  server_->answer("restore_snapshot", R"({"data_type":"tasks","keep_file":true,"expected_version":3})");
  EXPECT_EQ(records(), R"([{"task_id":"t9","title":"Theirs"}])");
  EXPECT_EQ(server_->code("restore_snapshot", R"({"data_type":"tasks","keep_file":true})"), "not_replaced");
}

}  // namespace
}  // namespace sluice::records_provider::testing
