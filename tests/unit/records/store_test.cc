#include "sluice/records/store.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kThree =
    R"([{"task_id":"a","title":"first","priority":1,"due":"2024-01-01"},{"task_id":"b","title":"second","priority":2},)"
    R"({"task_id":"c","title":"third","priority":3,"due":"2024-03-01"}])";

TEST(Store, FindsFoldersThatHoldAFileOfTheirName) {
  const RecordFolder records;
  records.make_tasks();
  records.make("notes", "SELECT 1 AS id");
  records.folder().write("other/file.parquet", "x");
  records.folder().write("_hidden/_hidden.parquet", "x");
  records.folder().write("snapshots/snapshots.parquet", "x");
  const auto store = records.open(false);
  EXPECT_THAT(store->data_types().value(), ElementsAre("notes", "tasks"));
}

TEST(Store, ReadsWithoutLeavingATrace) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open(false);
  EXPECT_EQ(records_of(*store), kThree);
  EXPECT_FALSE(std::filesystem::exists(records.folder().at("_journal")));
}

// A file that is read often is kept in a table of the engine; the next file takes its place while views of
// the old one are still to be asked.
TEST(Store, AViewOfAFileInMemoryOutlivesTheFile) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(records_of(*store), kThree);
  const Result<View> before = type_of(*store)->view({});
  ASSERT_TRUE(before.ok());
  ASSERT_EQ(code_of(remove(*store, R"({"task_id":"b"})")), "");
  ASSERT_TRUE(store->fold_all().ok());
  EXPECT_THAT(records_of(*store), Not(HasSubstr("second")));
  EXPECT_EQ(rows_of(*before), kThree);
}

TEST(Store, IsReadOnlyUnlessItIsTold) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open(false);
  EXPECT_EQ(code_of(add(*store, R"({"title":"x"})")), "read_only");
  EXPECT_EQ(code_of(remove(*store, R"({"task_id":"a"})")), "read_only");
}

TEST(Store, RefusesNamesThatAreNoIdentifiers) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open();
  for (const std::string& name :
       {std::string("../tasks"), std::string("tasks/../tasks"), std::string("/etc"),
        std::string("ta\0sks", 6), std::string(300, 'a'), std::string("tаsks"), std::string("tasks․parquet"),
        std::string("CON"), std::string("com1.x"), std::string(""), std::string("."), std::string(".."),
        std::string("_journal"), std::string("snapshots"), std::string("tasks\\x"), std::string("tasks "),
        std::string("a\nb")}) {
    const auto found = store->find(name);
    ASSERT_FALSE(found.ok()) << name;
    EXPECT_EQ(found.error().code, "invalid_data_type") << name;
    EXPECT_THAT(found.error().message, Not(HasSubstr(records.folder().path())));
  }
}

TEST(Store, SaysWhichFileIsNotThereWithoutSayingWhere) {
  const RecordFolder records;
  const auto store = records.open();
  const auto found = store->find("invoices");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "Parquet file not found: invoices/invoices.parquet");
}

TEST(Store, SeesAFileThatAnotherProgramReplaced) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open();
  EXPECT_EQ(records_of(*store), kThree);
  const std::int64_t before = type_of(*store)->view({})->version;
  records.make("tasks", "SELECT 'z' AS task_id, 'new' AS title");
  EXPECT_EQ(records_of(*store), R"([{"task_id":"z","title":"new"}])");
  ASSERT_TRUE(add(*store, R"({"task_id":"y","title":"mine"})").ok());
  EXPECT_EQ(records_of(*store), R"([{"task_id":"z","title":"new"},{"task_id":"y","title":"mine"}])");
  records.make("tasks", "SELECT 'w' AS task_id, 'again' AS title");
  EXPECT_THAT(records_of(*store), HasSubstr("file_replaced"));
  EXPECT_EQ(code_of(add(*store, R"({"title":"x"})")), "file_replaced");
  EXPECT_GE(before, 0);
}

TEST(Store, AFileOfAnotherProgramIsAnotherVersion) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open();
  ASSERT_TRUE(add(*store, R"({"title":"x"})").ok());
  ASSERT_TRUE(store->fold_all().ok());
  const std::int64_t version = type_of(*store)->view({})->version;
  records.make("tasks", "SELECT 'z' AS task_id, 'new' AS title");
  EXPECT_EQ(type_of(*store)->view({})->version, version + 1);
  const json::Object record = object(R"({"title":"y"})");
  MutationOptions options;
  options.expected_version = version;
  EXPECT_EQ(code_of(add_records(*type_of(*store), nullptr, {&record}, options, {})), "version_conflict");
  options.expected_version = version + 1;
  EXPECT_EQ(code_of(add_records(*type_of(*store), nullptr, {&record}, options, {})), "");
}

TEST(Store, GarbageInTheFilesPlaceIsAnErrorAndNothingIsLost) {
  const RecordFolder records;
  records.make_tasks();
  const auto store = records.open();
  EXPECT_EQ(records_of(*store), kThree);
  const std::string good = records.folder().read("tasks/tasks.parquet");
  records.folder().write("tasks/tasks.parquet", "this is no Parquet file at all");
  EXPECT_THAT(records_of(*store), HasSubstr("unreadable_file"));
  EXPECT_EQ(code_of(add(*store, R"({"title":"x"})")), "unreadable_file");
  records.folder().write("tasks/tasks.parquet", good);
  EXPECT_EQ(records_of(*store), kThree);
  EXPECT_EQ(code_of(add(*store, R"({"title":"x"})")), "");
}

TEST(Store, TypesThatCannotBeWrittenBackAreReadOnly) {
  const RecordFolder records;
  records.make("spans", "SELECT 'a' AS span_id, INTERVAL 1 DAY AS length");
  const auto store = records.open();
  EXPECT_THAT(records_of(*store, "spans"), HasSubstr("span_id"));
  EXPECT_EQ(code_of(add(*store, R"({"span_id":"b"})", "spans")), "unsupported_columns");
}

TEST(Store, TwoStoresOfOneFolderSeeEachOther) {
  const RecordFolder records;
  records.make_tasks();
  const auto one = records.open();
  const auto two = records.open();
  EXPECT_EQ(records_of(*two), kThree);
  ASSERT_TRUE(add(*one, R"({"task_id":"d","title":"fourth"})").ok());
  EXPECT_THAT(records_of(*two), HasSubstr("fourth"));
  ASSERT_TRUE(update(*two, R"({"task_id":"d"})", R"({"priority":9})").ok());
  EXPECT_THAT(records_of(*one), HasSubstr(R"("title":"fourth","priority":9)"));
  ASSERT_TRUE(one->fold_all().ok());
  EXPECT_THAT(records_of(*two), HasSubstr(R"("title":"fourth","priority":9)"));
  EXPECT_EQ(code_of(add(*two, R"({"task_id":"d"})")), "record_exists");
}

}  // namespace
}  // namespace sluice::records::testing
