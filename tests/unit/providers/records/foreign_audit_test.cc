// Operations in the log that the original program has left are undone too, or the error says why not.

#include <string>

#include <gmock/gmock.h>

#include "records_server.h"

namespace sluice::records_provider::testing {
namespace {

using ::testing::HasSubstr;

class ForeignAudit : public ::testing::Test {
 protected:
  ForeignAudit() {
    folder_.make_tasks();
    folder_.make_file(
        "logs/audit_log.parquet",
        "SELECT audit_id, TIMESTAMP '2025-06-01 10:00:00' + INTERVAL (n) MINUTE AS timestamp, operation, "
        "'tasks' AS "
        "data_type, record_id, '[]' AS affected_fields, old_values, new_values, 'mcp_server' AS user, "
        "'snapshots/s.parquet' AS snapshot_reference, 'n' AS notes FROM (VALUES "
        "(1, 'aaaaaaaa-0001-40', 'add', 't4', NULL, '{\"task_id\": \"t4\", \"title\": \"Write report\", "
        "\"status\": "
        "\"open\", \"priority\": \"low\", \"rank\": 4, \"cost\": 20.25, \"due_date\": null, \"created_at\": "
        "NaN, "
        "\"tags\": null}'),"
        "(2, 'aaaaaaaa-0002-40', 'update', 't1', '{\"status\": \"waiting\", \"due_date\": \"2024-12-31 "
        "00:00:00\", "
        "\"cost\": NaN}', '{\"status\": \"open\", \"due_date\": \"2025-01-15\", \"cost\": 100.5}'),"
        "(3, 'aaaaaaaa-0003-40', 'delete', 't0', '{\"task_id\": \"t0\", \"title\": \"Gone\", \"rank\": 12, "
        "\"created_at\": \"2024-05-05 06:07:08\"}', NULL),"
        "(4, 'aaaaaaaa-0004-40', 'update', 't2', '{\"status\": \"open\"}', '{\"status\": \"never\"}'),"
        "(5, 'aaaaaaaa-0005-40', 'delete', 't00', '{\"task_id\": \"t00\", \"tags\": \"[''a'' ''b'']\"}', "
        "NULL),"
        "(6, 'aaaaaaaa-0006-40', 'delete', 't01', '{\"task_id\": \"t01\", \"color\": \"red\"}', NULL),"
        "(7, 'aaaaaaaa-0007-40', 'delete', 't02', NULL, NULL),"
        "(8, 'aaaaaaaa-0008-40', 'merge', 't1', '{}', '{}'),"
        "(9, 'aaaaaaaa-0009-40', 'update', 't1', 'no JSON', '{}'),"
        "(10, 'aaaaaaaa-0010-40', 'delete', 't1', '{\"task_id\": \"t1\"}', NULL)"
        ") t(n, audit_id, operation, record_id, old_values, new_values)");
    server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  }
  Outcome undo(const std::string& id, const std::string& more = "") {
    return server_->call("rollback_operation", R"({"audit_id":")" + id + "\"" + more + "}");
  }
  WireMessage record(const std::string& id) {
    return server_->answer("read_parquet", R"({"data_type":"tasks","filters":{"task_id":")" + id + "\"}}");
  }

  RecordFolder folder_;
  std::unique_ptr<RecordServer> server_;
};

TEST_F(ForeignAudit, AnAdditionIsUndone) {
  const Outcome undone = undo("aaaaaaaa-0001-40");
  ASSERT_EQ(undone.code, "") << undone.text;
  EXPECT_EQ(undone.answer().text({"action"}), "deleted record (rollback of add)");
  EXPECT_EQ(record("t4").text({"total_rows"}), "0");
  const Outcome back = undo(undone.answer().text({"rollback_audit_id"}));
  EXPECT_EQ(back.code, "") << back.text;
  EXPECT_EQ(record("t4").text({"data", 0, "title"}), "Write report");
}

TEST_F(ForeignAudit, AnUpdateIsUndoneWithTheTypesOfTheColumns) {
  const Outcome undone = undo("aaaaaaaa-0002-40");
  ASSERT_EQ(undone.code, "") << undone.text;
  EXPECT_EQ(undone.answer().text({"action"}), "restored old values (rollback of update)");
  const WireMessage now = record("t1");
  EXPECT_EQ(now.text({"data", 0, "status"}), "waiting");
  EXPECT_EQ(now.text({"data", 0, "due_date"}), "2024-12-31");
  EXPECT_TRUE(now.at({"data", 0, "cost"}).is_null());
  EXPECT_EQ(now.text({"data", 0, "title"}), "Pay rent");
  EXPECT_EQ(undo("aaaaaaaa-0002-40").code, "changed_since");
}

TEST_F(ForeignAudit, ADeletionIsUndone) {
  const Outcome undone = undo("aaaaaaaa-0003-40");
  ASSERT_EQ(undone.code, "") << undone.text;
  const WireMessage now = record("t0");
  EXPECT_EQ(now.text({"data", 0, "title"}), "Gone");
  EXPECT_EQ(now.text({"data", 0, "rank"}), "12");
  EXPECT_THAT(now.text({"data", 0, "created_at"}), HasSubstr("06:07:08"));
  EXPECT_EQ(undo("aaaaaaaa-0003-40").code, "changed_since");
}

TEST_F(ForeignAudit, WhatCannotBeUndoneSaysWhy) {
  EXPECT_EQ(undo("aaaaaaaa-0004-40").code, "changed_since");
  EXPECT_EQ(undo("aaaaaaaa-0004-40", R"(,"force":true)").code, "");
  const Outcome lists = undo("aaaaaaaa-0005-40");
  EXPECT_EQ(lists.code, "not_reversible");
  EXPECT_THAT(lists.text, HasSubstr("tags"));
  const Outcome column = undo("aaaaaaaa-0006-40");
  EXPECT_EQ(column.code, "not_reversible");
  EXPECT_THAT(column.text, HasSubstr("color"));
  EXPECT_EQ(undo("aaaaaaaa-0007-40").code, "no_old_values");
  EXPECT_EQ(undo("aaaaaaaa-0008-40").code, "not_reversible");
  EXPECT_EQ(undo("aaaaaaaa-0009-40").code, "not_reversible");
  EXPECT_EQ(undo("aaaaaaaa-0010-40").code, "changed_since");
  EXPECT_EQ(undo("aaaaaaaa-0011-40").code, "unknown_audit_id");
}

TEST_F(ForeignAudit, ADryRunShowsWhatWouldBeUndone) {
  const Outcome would = undo("aaaaaaaa-0001-40", R"(,"dry_run":true)");
  ASSERT_EQ(would.code, "") << would.text;
  EXPECT_EQ(would.answer().text({"total_records_after"}), "5");
  EXPECT_EQ(record("t4").text({"total_rows"}), "1");
}

// Once this program has exported its own log, the old one is kept beside it.
TEST_F(ForeignAudit, EntriesAreFoundAfterTheLogWasContinued) {
  server_->answer("add_record", R"({"data_type":"tasks","record":{"title":"x"}})");
  server_.reset();
  server_ = std::make_unique<RecordServer>(folder_, Budget{}, Access::kWritable);
  EXPECT_EQ(undo("aaaaaaaa-0003-40").code, "");
}

}  // namespace
}  // namespace sluice::records_provider::testing
