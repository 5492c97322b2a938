#include "sluice/records/mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MutationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    records_.make_tasks();
    store_ = records_.open();
  }
  std::uint64_t count() { return type_of(*store_)->view({})->rows; }

  RecordFolder records_;
  std::unique_ptr<Store> store_;
};

TEST_F(MutationTest, AddsARecordWithAnIdOfItsOwn) {
  const auto added = add(*store_, R"({"title":"fourth","priority":4})");
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(added->records_after, 4U);
  EXPECT_THAT(added->operation.rows.front().record_id, ::testing::MatchesRegex("\"[0-9a-f-]{16}\""));
  EXPECT_THAT(records_of(*store_), HasSubstr(R"("title":"fourth","priority":4)"));
  EXPECT_EQ(added->operation.rows.front().audit_id.size(), 16U);
  EXPECT_THAT(added->operation.snapshot, ::testing::StartsWith("snapshots/tasks-"));
}

TEST_F(MutationTest, RefusesAnIdThatIsTaken) {
  EXPECT_EQ(code_of(add(*store_, R"({"task_id":"a"})")), "record_exists");
  const json::Object one = object(R"({"task_id":"x"})");
  EXPECT_EQ(code_of(add_records(*type_of(*store_), nullptr, {&one, &one}, {}, {})), "record_exists");
  EXPECT_EQ(count(), 3U);
}

TEST_F(MutationTest, ManyRecordsAreOneOperation) {
  std::vector<json::Object> given;
  std::vector<const json::Object*> pointers;
  for (int i = 0; i < 100; ++i) given.push_back(object(R"({"title":"t"})"));
  for (const json::Object& one : given) pointers.push_back(&one);
  const auto added = add_records(*type_of(*store_), nullptr, pointers, {}, {});
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(added->operation.sequence, added->version_before + 1);
  EXPECT_EQ(count(), 103U);
}

TEST_F(MutationTest, OneWrongRecordAmongManyAddsNone) {
  const json::Object good = object(R"({"title":"x"})");
  const json::Object bad = object(R"({"due":"2024-13-45"})");
  const auto added = add_records(*type_of(*store_), nullptr, {&good, &bad, &good}, {}, {});
  EXPECT_EQ(code_of(added), "wrong_type");
  EXPECT_THAT(added.error().message, HasSubstr("record 1"));
  EXPECT_THAT(added.error().message, HasSubstr("due"));
  EXPECT_EQ(count(), 3U);
}

TEST_F(MutationTest, ATypeNeverChangesBecauseAValueDid) {
  for (const char* record :
       {R"({"priority":"high"})", R"({"priority":1.5})", R"({"priority":true})",
        R"({"priority":99999999999})", R"({"priority":[1]})", R"({"due":5})", R"({"due":"soon"})",
        R"({"due":"2024-01-01T10:30:00"})", R"({"priority":{"a":1}})", R"({"title":"a\u0000b"})",
        R"({"due":"999999-01-01"})"}) {
    EXPECT_EQ(code_of(add(*store_, record)), "wrong_type") << record;
  }
  EXPECT_EQ(code_of(add(*store_, R"({"task_id":"n","title":5,"priority":"7","due":"2024-05-01T00:00:00Z"})")),
            "");
  EXPECT_THAT(records_of(*store_),
              HasSubstr(R"({"task_id":"n","title":"5","priority":7,"due":"2024-05-01"})"));
}

TEST_F(MutationTest, NumbersThatAreNoneAreTextOfTheirName) {
  records_.make("things", "SELECT 'a' AS thing_id, 1.5::DOUBLE AS amount");
  ASSERT_EQ(code_of(add(*store_, R"({"thing_id":"b","amount":"NaN"})", "things")), "");
  ASSERT_EQ(code_of(add(*store_, R"({"thing_id":"c","amount":"-Infinity"})", "things")), "");
  EXPECT_EQ(code_of(add(*store_, R"({"thing_id":"d","amount":"much"})", "things")), "wrong_type");
  EXPECT_EQ(
      records_of(*store_, "things"),
      R"([{"thing_id":"a","amount":1.5},{"thing_id":"b","amount":"NaN"},{"thing_id":"c","amount":"-Infinity"}])");
}

TEST_F(MutationTest, ANewKeyIsANewColumn) {
  const auto added =
      add(*store_, R"({"task_id":"d","tags":["x","y"],"effort":2.5,"done":false,"size":{"w":1}})");
  ASSERT_TRUE(added.ok()) << added.error().message;
  EXPECT_EQ(added->operation.new_columns.size(), 4U);
  const std::string expected =
      R"({"task_id":"d","tags":["x","y"],"effort":2.5,"done":false,"size":{"w":1}}])";
  EXPECT_THAT(records_of(*store_), HasSubstr(expected));
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_THAT(records_of(*store_), HasSubstr(expected));
}

TEST_F(MutationTest, RefusesColumnsThatCannotBe) {
  EXPECT_EQ(code_of(add(*store_, R"({"":1})")), "invalid_column_name");
  EXPECT_EQ(code_of(add(*store_, R"({"TITLE":1})")), "invalid_column_name");
  EXPECT_EQ(code_of(add(*store_, R"({"__sluice_row":1})")), "invalid_column_name");
  EXPECT_EQ(code_of(add(*store_, R"({"a\nb":1})")), "invalid_column_name");
}

TEST_F(MutationTest, UpdatesWhatTheFiltersMatch) {
  const auto updated = update(*store_, R"({"priority":{"$gte":2}})", R"({"title":"changed","due":null})");
  ASSERT_TRUE(updated.ok()) << updated.error().message;
  EXPECT_EQ(updated->operation.rows.size(), 2U);
  EXPECT_EQ(
      records_of(*store_),
      R"([{"task_id":"a","title":"first","priority":1,"due":"2024-01-01"},{"task_id":"b","title":"changed",)"
      R"("priority":2},{"task_id":"c","title":"changed","priority":3}])");
  EXPECT_EQ(updated->operation.rows[1].old_values, R"({"title":"third","due":"2024-03-01"})");
}

TEST_F(MutationTest, Defect2AMisspeltColumnOrNoFilterTouchesNothing) {
  EXPECT_EQ(code_of(remove(*store_, R"({"tsak_id":"a"})")), "unknown_column");
  EXPECT_EQ(code_of(update(*store_, R"({"tsak_id":"a"})", R"({"title":"x"})")), "unknown_column");
  EXPECT_EQ(code_of(remove(*store_, "{}")), "empty_filter");
  EXPECT_EQ(code_of(update(*store_, "{}", R"({"title":"x"})")), "empty_filter");
  EXPECT_EQ(code_of(update(*store_, R"({"task_id":"a"})", R"({"titel":"x"})")), "unknown_column");
  EXPECT_EQ(code_of(remove(*store_, R"({"task_id":"nobody"})")), "no_match");
  EXPECT_EQ(count(), 3U);
  MutationOptions all;
  all.all_rows = true;
  EXPECT_EQ(code_of(delete_records(*type_of(*store_), {}, all, {})), "");
  EXPECT_EQ(count(), 0U);
}

TEST_F(MutationTest, ADryRunChangesNothing) {
  MutationOptions dry;
  dry.dry_run = true;
  const auto would = delete_records(*type_of(*store_), object(R"({"priority":{"$gt":1}})"), dry, {});
  ASSERT_TRUE(would.ok());
  EXPECT_EQ(would->operation.rows.size(), 2U);
  EXPECT_EQ(would->records_after, 1U);
  EXPECT_EQ(count(), 3U);
}

TEST_F(MutationTest, UpsertAddsOrUpdates) {
  const json::Object record = object(R"({"task_id":"z","title":"new"})");
  const json::Object filter = object(R"({"task_id":"z"})");
  const auto created = upsert_record(*type_of(*store_), nullptr, filter, record, {}, {});
  ASSERT_TRUE(created.ok()) << created.error().message;
  EXPECT_EQ(created->operation.kind, "add");
  const auto updated = upsert_record(*type_of(*store_), nullptr, filter, record, {}, {});
  ASSERT_TRUE(updated.ok()) << updated.error().message;
  EXPECT_EQ(updated->operation.kind, "update");
  EXPECT_EQ(count(), 4U);
}

TEST_F(MutationTest, Defect1UpsertWithTwoOperatorsFindsItsRecord) {
  const json::Object filter = object(R"({"title":{"$contains":"ir"},"task_id":{"$ne":"a"}})");
  const json::Object record = object(R"({"priority":33})");
  const auto result = upsert_record(*type_of(*store_), nullptr, filter, record, {}, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->operation.kind, "update");
  EXPECT_EQ(result->operation.rows.front().record_id, "\"c\"");
}

TEST_F(MutationTest, AnOldVersionIsRefused) {
  const std::int64_t version = type_of(*store_)->view({})->version;
  ASSERT_TRUE(update(*store_, R"({"task_id":"a"})", R"({"title":"theirs"})").ok());
  MutationOptions mine;
  mine.expected_version = version;
  const auto late = update_records(*type_of(*store_), nullptr, object(R"({"task_id":"a"})"),
                                   object(R"({"title":"mine"})"), mine, {});
  EXPECT_EQ(code_of(late), "version_conflict");
  EXPECT_THAT(records_of(*store_), HasSubstr("theirs"));
}

TEST_F(MutationTest, Defect9DatesOfRecordsAreSetWhereThereAreColumnsForThem) {
  records_.make("notes", "SELECT 'a' AS note_id, '2024-01-01' AS created_date, '2024-01-01' AS updated_date");
  ASSERT_TRUE(add(*store_, R"({"note_id":"b"})", "notes").ok());
  EXPECT_THAT(records_of(*store_, "notes"),
              ::testing::ContainsRegex(R"("note_id":"b","created_date":"20[0-9-]*")"));
  ASSERT_TRUE(update(*store_, R"({"note_id":"a"})", R"({"created_date":"2020-02-02"})", "notes").ok());
  EXPECT_THAT(records_of(*store_, "notes"), Not(HasSubstr(R"("updated_date":"2024-01-01")")));
}

TEST_F(MutationTest, EveryTypeComesBackAsItWas) {
  records_.make(
      "things",
      "SELECT 'a' AS thing_id, 9223372036854775807 AS big, 18446744073709551615::UBIGINT AS huge, "
      "12345678901234567.89::DECIMAL(19,2) AS money, 'NaN'::DOUBLE AS nan, 1.5::FLOAT AS f, "
      "TIMESTAMP '2024-01-01 10:00:00.123456' AS t, TIMESTAMPTZ '2024-01-01 10:00:00+00' AS tz, "
      "TIME '10:11:12' AS at, 'abc'::BLOB AS bytes, [1, 2, NULL] AS list, {'x': 1, 'y': ['p']} AS s, "
      "MAP {'k': 1.50::DECIMAL(5,2)} AS m, '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID AS u, true AS b, "
      "[{'q': 9007199254740993}] AS nested, -5::TINYINT AS tiny");
  const std::string before = records_of(*store_, "things");
  const auto updated = update(*store_, R"({"thing_id":"a"})", R"({"tiny":-6})", "things");
  ASSERT_TRUE(updated.ok()) << updated.error().message;
  ASSERT_TRUE(undo(*store_, updated->operation.rows.front().audit_id).ok());
  EXPECT_EQ(records_of(*store_, "things"), before);
  const auto removed = remove(*store_, R"({"thing_id":"a"})", "things");
  ASSERT_TRUE(removed.ok()) << removed.error().message;
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(undo(*store_, removed->operation.rows.front().audit_id).ok());
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_EQ(records_of(*store_, "things"), before);
}

}  // namespace
}  // namespace sluice::records::testing
