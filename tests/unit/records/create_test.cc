// How data types come into being and their schemas change, with failures at every step.

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/fs/fault.h"

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

using ::testing::HasSubstr;

class CreateTest : public ::testing::Test {
 protected:
  CreateTest() : store_(records_.open()) {}

  static CreateRequest request() {
    return {.schema =
                object(R"({"schema":{"note_id":"string","n":"integer"},"description":"","version":"1.0.0"})"),
            .user = "me",
            .dry_run = false};
  }
  bool exists(const std::string& path) const { return std::filesystem::exists(records_.folder().at(path)); }
  std::size_t creations(const std::string& name) const {
    AuditQuery query;
    query.data_type = name;
    query.operation = "create";
    return store_->audit(query, {})->entries.size();
  }

  RecordFolder records_;
  std::unique_ptr<Store> store_;
};

TEST_F(CreateTest, AFailureAtAnyStepLeavesNothingOrIsCompletedByTheNextCall) {
  unsigned failed = 0;
  for (unsigned step = 0;; ++step) {
    const std::string name = fmt::format("made{}", step);
    bool has_fired = false;
    Result<CreatedType> result = internal_error("not run");
    {
      const fs::FaultInjection fault = fs::FaultInjection::failing_step(step, EIO);
      result = store_->create(name, request(), {});
      has_fired = fault.has_fired();
    }
    if (!has_fired) break;
    if (!result.ok()) {
      ++failed;
      EXPECT_FALSE(result.error().hint.empty()) << result.error().message;
      const bool is_committed = creations(name) > 0;
      EXPECT_TRUE(is_committed || !store_->find(name).ok()) << step;
      EXPECT_EQ(exists("schemas/" + name + "_schema.json"), is_committed) << step;
      EXPECT_EQ(exists(name), is_committed) << step;
    }
    const Result<CreatedType> again = store_->create(name, request(), {});
    ASSERT_TRUE(again.ok()) << step << ": " << again.error().message;
    ASSERT_EQ(code_of(add(*store_, R"({"n":1})", name)), "") << step;
    EXPECT_EQ(creations(name), 1U) << step;
  }
  EXPECT_GE(failed, 5U);
}

TEST_F(CreateTest, ACreationThatACrashCutShortIsCompletedWhenTheStoreIsOpened) {
  ASSERT_TRUE(store_->create("notes", request(), {}).ok());
  store_.reset();
  // As it was before the file was moved into its place.
  std::string journal;
  {
    std::ostringstream text;
    text << std::ifstream(records_.folder().at("_journal/notes/00000001.log")).rdbuf();
    journal = text.str();
  }
  const std::size_t begin = journal.find("next-created-");
  ASSERT_NE(begin, std::string::npos);
  const std::string file = journal.substr(begin, journal.find('"', begin) - begin);
  records_.folder().rename("notes/notes.parquet", "_journal/notes/" + file);
  records_.folder().remove("notes");
  store_ = records_.open();
  EXPECT_EQ(records_of(*store_, "notes"), "[]");
  ASSERT_EQ(code_of(add(*store_, R"({"note_id":"a","n":1})", "notes")), "");
  EXPECT_EQ(records_of(*store_, "notes"), R"([{"note_id":"a","n":1}])");
}

TEST_F(CreateTest, ADataTypeThatWasRemovedIsCreatedAgainBehindItsHistory) {
  ASSERT_TRUE(store_->create("notes", request(), {}).ok());
  ASSERT_EQ(code_of(add(*store_, R"({"note_id":"a","n":1})", "notes")), "");
  ASSERT_TRUE(store_->fold_all().ok());
  records_.folder().remove("notes");
  const Result<CreatedType> again = store_->create("notes", request(), {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(again->is_new);
  EXPECT_GT(again->operation.sequence, 2);
  EXPECT_EQ(records_of(*store_, "notes"), "[]");
  EXPECT_EQ(creations("notes"), 2U);
}

TEST_F(CreateTest, ASchemaChangeThatACrashCutShortIsCompletedByTheNextWriter) {
  records_.make_tasks();
  SchemaChange change;
  change.add_fields = object(R"({"estimate":"float"})");
  ASSERT_TRUE(change_schema(*type_of(*store_), change, {}, {}).ok());
  // As it was when the journal had the change and the file did not: another process comes after the crash.
  records_.folder().remove("schemas/tasks_schema.json");
  const auto other = records_.open();
  ASSERT_EQ(code_of(add(*other, R"({"task_id":"n"})")), "");
  EXPECT_TRUE(exists("schemas/tasks_schema.json"));
}

TEST_F(CreateTest, ARestoredSchemaThatACrashCutShortIsCompletedByTheNextWriter) {
  records_.make_tasks();
  SchemaChange change;
  change.add_fields = object(R"({"estimate":"float"})");
  ASSERT_TRUE(change_schema(*type_of(*store_), change, {}, {}).ok());
  std::ostringstream changed;
  changed << std::ifstream(records_.folder().at("schemas/tasks_schema.json")).rdbuf();
  Operation operation;
  operation.kind = "restore";
  ASSERT_TRUE(type_of(*store_)->restore(0, operation, {}).ok());
  EXPECT_FALSE(exists("schemas/tasks_schema.json"));
  // As it was when the journal had the restored state and the schema file did not.
  records_.folder().write("schemas/tasks_schema.json", changed.str());
  const auto other = records_.open();
  ASSERT_EQ(code_of(add(*other, R"({"task_id":"n"})")), "");
  EXPECT_FALSE(exists("schemas/tasks_schema.json"));
}

TEST_F(CreateTest, ASchemaFileThatSomebodyEditedIsNotOverwrittenByACompletion) {
  records_.make_tasks();
  SchemaChange change;
  change.add_fields = object(R"({"estimate":"float"})");
  ASSERT_TRUE(change_schema(*type_of(*store_), change, {}, {}).ok());
  records_.folder().write("schemas/tasks_schema.json", R"({"schema":{"mine":"string"}})");
  const auto other = records_.open();
  ASSERT_EQ(code_of(add(*other, R"({"task_id":"n"})")), "");
  std::ostringstream text;
  text << std::ifstream(records_.folder().at("schemas/tasks_schema.json")).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("mine"));
}

}  // namespace
}  // namespace sluice::records::testing
