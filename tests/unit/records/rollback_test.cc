#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

using ::testing::HasSubstr;

class RollbackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    records_.make_tasks();
    store_ = records_.open();
    before_ = records_of(*store_);
  }
  static std::string audit_id(const Result<Mutated>& mutated) {
    return mutated.ok() ? mutated->operation.rows.front().audit_id : mutated.error().message;
  }

  RecordFolder records_;
  std::unique_ptr<Store> store_;
  std::string before_;
};

TEST_F(RollbackTest, OfAnAddition) {
  const auto added = add(*store_, R"({"task_id":"d"})");
  const auto undone = undo(*store_, audit_id(added));
  ASSERT_TRUE(undone.ok()) << undone.error().message;
  EXPECT_EQ(undone->operation.kind, "delete");
  EXPECT_EQ(undone->operation.undoes, audit_id(added));
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, OfAnUpdate) {
  const auto updated = update(*store_, R"({"task_id":"b"})", R"({"title":"x","due":"2025-01-01"})");
  ASSERT_TRUE(undo(*store_, audit_id(updated)).ok());
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, Defect6ADeletedRecordComesBackWhereItWas) {
  const auto removed = remove(*store_, R"({"task_id":"b"})");
  ASSERT_TRUE(undo(*store_, audit_id(removed)).ok());
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, Defect6AlsoOnceTheFileWasWrittenAnew) {
  const auto removed = remove(*store_, R"({"task_id":"b"})");
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(undo(*store_, audit_id(removed)).ok());
  EXPECT_EQ(records_of(*store_), before_);
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, OfARollback) {
  const auto removed = remove(*store_, R"({"task_id":"b"})");
  const std::string without = records_of(*store_);
  const auto back = undo(*store_, audit_id(removed));
  const auto again = undo(*store_, audit_id(back));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(records_of(*store_), without);
  ASSERT_TRUE(undo(*store_, audit_id(again)).ok());
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, OfAWholeOperationByItsId) {
  const auto updated = update(*store_, R"({"priority":[1,2,3]})", R"({"title":"same"})");
  ASSERT_TRUE(undo(*store_, updated->operation.id).ok());
  EXPECT_EQ(records_of(*store_), before_);
  const auto removed = remove(*store_, R"({"priority":{"$gte":1}})");
  EXPECT_EQ(records_of(*store_), "[]");
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(undo(*store_, removed->operation.id).ok());
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, DoesNotUndoWhatOthersDidSince) {
  const auto updated = update(*store_, R"({"task_id":"a"})", R"({"title":"mine"})");
  ASSERT_TRUE(update(*store_, R"({"task_id":"a"})", R"({"title":"theirs"})").ok());
  EXPECT_EQ(code_of(undo(*store_, audit_id(updated))), "changed_since");
  EXPECT_THAT(records_of(*store_), HasSubstr("theirs"));
  EXPECT_EQ(code_of(undo(*store_, audit_id(updated), true)), "");
  EXPECT_EQ(records_of(*store_), before_);
  const auto removed = remove(*store_, R"({"task_id":"a"})");
  ASSERT_TRUE(add(*store_, R"({"task_id":"a","title":"another"})").ok());
  EXPECT_EQ(code_of(undo(*store_, audit_id(removed))), "changed_since");
}

TEST_F(RollbackTest, OfWhatIsNotKnown) {
  EXPECT_EQ(code_of(undo(*store_, "d9c70e2f-8f47-40")), "unknown_audit_id");
  EXPECT_EQ(code_of(undo(*store_, "")), "unknown_audit_id");
  EXPECT_EQ(code_of(undo(*store_, std::string(1000, 'x'))), "unknown_audit_id");
}

TEST_F(RollbackTest, RestoresAWholeDataTypeToAMoment) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  const std::int64_t version = type_of(*store_)->view({})->version;
  const std::string then = records_of(*store_);
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(remove(*store_, R"({"task_id":["a","b"]})").ok());
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(update(*store_, R"({"task_id":"c"})", R"({"title":"x"})").ok());
  const std::string now = records_of(*store_);
  Operation operation;
  operation.kind = "restore";
  operation.id = "0123456789abcdef";
  const auto restored = type_of(*store_)->restore(version, operation, {});
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(records_of(*store_), then);
  EXPECT_EQ(type_of(*store_)->view({})->version, restored->sequence);
  // And back again.
  const auto back = type_of(*store_)->restore(restored->sequence - 1, operation, {});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(records_of(*store_), now);
  const auto first = type_of(*store_)->restore(0, operation, {});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(records_of(*store_), before_);
}

TEST_F(RollbackTest, TheNewestOfALargeOperationAreTheSameAsOfItsWhole) {
  std::vector<json::Object> given;
  std::vector<const json::Object*> pointers;
  // Values that look like what the journal is made of.
  for (int i = 0; i < 50; ++i) {
    given.push_back(
        object(R"({"title":"\"rows\":[{\"audit_id\":\"x\"}]","extra":{"audit_id":"y","rows":[{"row":1}]}})"));
  }
  for (const json::Object& one : given) pointers.push_back(&one);
  ASSERT_TRUE(add_records(*type_of(*store_), nullptr, pointers, {}, {}).ok());
  const auto types = journaled_types(store_->root());
  AuditQuery query;
  query.limit = 1'000;
  const auto all = read_audit(store_->root(), *types, query);
  ASSERT_EQ(all->entries.size(), 50U);
  query.limit = 7;
  const auto some = read_audit(store_->root(), *types, query);
  ASSERT_EQ(some->entries.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(some->entries[i].audit_id, all->entries[i].audit_id);
    EXPECT_EQ(some->entries[i].new_values, all->entries[i].new_values);
  }
}

TEST_F(RollbackTest, TheAuditLogTellsEverythingNewestFirst) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d","title":"fourth"})").ok());
  ASSERT_TRUE(update(*store_, R"({"task_id":["a","d"]})", R"({"title":"x"})").ok());
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(remove(*store_, R"({"task_id":"c"})").ok());
  const auto types = journaled_types(store_->root());
  const auto all = read_audit(store_->root(), *types, {});
  ASSERT_TRUE(all.ok());
  std::string kinds;
  for (const AuditEntry& entry : all->entries) kinds += entry.kind + " " + entry.record_id + ";";
  EXPECT_EQ(kinds, R"(delete "c";update "d";update "a";add "d";)");
  EXPECT_EQ(all->entries[1].old_values, R"({"title":"fourth"})");
  EXPECT_EQ(all->entries[1].new_values, R"({"title":"x"})");
  EXPECT_EQ(all->entries[1].affected_fields, R"(["title"])");
  AuditQuery page;
  page.limit = 1;
  page.offset = 1;
  const auto second = read_audit(store_->root(), *types, page);
  EXPECT_EQ(second->entries.front().record_id, "\"d\"");
  EXPECT_TRUE(second->has_more);
  page = {};
  page.record_id = "a";
  EXPECT_EQ(read_audit(store_->root(), *types, page)->entries.size(), 1U);
}

}  // namespace
}  // namespace sluice::records::testing
