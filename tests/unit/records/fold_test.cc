#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/engine/sql.h"
#include "sluice/fs/fault.h"

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

using ::testing::HasSubstr;

// What a reader finds that knows nothing of journals.
std::string file_alone(const RecordFolder& records) {
  const fs::TempFolder copy;
  copy.make_folder("tasks");
  std::filesystem::copy_file(records.folder().at("tasks/tasks.parquet"), copy.at("tasks/tasks.parquet"));
  StoreOptions options;
  options.path = copy.path();
  const auto store = Store::open(options).value();
  return records_of(*store);
}

class FoldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    records_.make_tasks();
    store_ = records_.open();
  }

  RecordFolder records_;
  std::unique_ptr<Store> store_;
};

TEST_F(FoldTest, PutsEverythingIntoAPlainFile) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d","extra":[1]})").ok());
  ASSERT_TRUE(update(*store_, R"({"task_id":"a"})", R"({"title":"x"})").ok());
  ASSERT_TRUE(remove(*store_, R"({"task_id":"b"})").ok());
  const std::string expected = records_of(*store_);
  EXPECT_NE(file_alone(records_), expected);
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_EQ(file_alone(records_), expected);
  EXPECT_EQ(records_of(*store_), expected);
  EXPECT_EQ(type_of(*store_)->waiting(), 0U);
}

TEST_F(FoldTest, HappensByItselfWhenWritesStop) {
  store_.reset();
  StoreOptions options;
  options.path = records_.folder().path();
  options.writable = true;
  options.fold_after = std::chrono::milliseconds(50);
  store_ = Store::open(options).value();
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (type_of(*store_)->waiting() > 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_THAT(file_alone(records_), HasSubstr(R"({"task_id":"d"})"));
}

TEST_F(FoldTest, IsCompletedAfterACrashWithoutAWrite) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  {
    const fs::FaultInjection fault = fs::FaultInjection::failing(fs::FaultPoint::kMove, EIO);
    EXPECT_FALSE(store_->fold_all().ok());
    store_.reset();
  }
  EXPECT_EQ(file_alone(records_).find(R"("d")"), std::string::npos);
  StoreOptions options;
  options.path = records_.folder().path();
  options.writable = true;
  options.fold_after = std::chrono::milliseconds(10);
  store_ = Store::open(options).value();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (file_alone(records_).find(R"("d")") == std::string::npos && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_THAT(file_alone(records_), HasSubstr(R"({"task_id":"d"})"));
}

TEST_F(FoldTest, ThatWasCutShortIsNotLostToAnotherProgramsFile) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  const std::string mine = records_of(*store_);
  {
    const fs::FaultInjection fault = fs::FaultInjection::failing(fs::FaultPoint::kMove, EIO);
    EXPECT_FALSE(store_->fold_all().ok());
    store_.reset();
  }
  // Neither the snapshot nor the file is ours any more: the file that waits is the only one.
  std::filesystem::remove_all(records_.folder().at("snapshots"));
  records_.make("tasks", "SELECT 'z' AS task_id");
  store_ = records_.open();
  EXPECT_THAT(records_of(*store_), HasSubstr("file_replaced"));
  Operation operation;
  operation.kind = "restore";
  operation.id = "0123456789abcdef";
  const auto restored = type_of(*store_)->restore(1, operation, {});
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(records_of(*store_), mine);
}

TEST_F(FoldTest, HappensAtTheEnd) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  store_.reset();
  EXPECT_THAT(file_alone(records_), HasSubstr(R"({"task_id":"d"})"));
}

std::vector<std::string> snapshots_of(const RecordFolder& records) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(records.folder().at("snapshots")))
    out.push_back("snapshots/" + entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Known defect 4: two writes within a second overwrote each other's snapshot, and a snapshot was not the
// file's bytes.
TEST_F(FoldTest, EveryFileHasASnapshotOfItsOwnBytes) {
  std::vector<std::string> bytes;
  for (int i = 0; i < 4; ++i) {
    bytes.push_back(records_.folder().read("tasks/tasks.parquet"));
    ASSERT_EQ(code_of(add(*store_, fmt::format(R"({{"task_id":"s{}"}})", i))), "");
    ASSERT_EQ(code_of(add(*store_, fmt::format(R"({{"task_id":"t{}"}})", i))), "");
    ASSERT_TRUE(store_->fold_all().ok());
  }
  const std::vector<std::string> snapshots = snapshots_of(records_);
  ASSERT_EQ(snapshots.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(records_.folder().read(snapshots[i]), bytes[i]) << i;
}

// Known defect 5: a write that failed left entries in the audit log.
TEST_F(FoldTest, WhatFailedIsNotInTheAuditLog) {
  ASSERT_EQ(code_of(add(*store_, R"({"task_id":"d"})")), "");
  for (unsigned step = 0;; ++step) {
    const fs::FaultInjection fault = fs::FaultInjection::failing_step(step, EIO);
    const auto removed = remove(*store_, R"({"task_id":"a"})");
    if (removed.ok()) break;
    const auto page = read_audit(store_->root(), {"tasks"}, {});
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->entries.size(), 1U) << step;
  }
  EXPECT_EQ(read_audit(store_->root(), {"tasks"}, {})->entries.size(), 2U);
}

TEST_F(FoldTest, OldSnapshotsAreForgottenAsConfigured) {
  store_.reset();
  StoreOptions options;
  options.path = records_.folder().path();
  options.writable = true;
  options.fold_after = std::chrono::milliseconds(1);
  options.retention.snapshots_max = 2;
  store_ = Store::open(options).value();
  std::string last;
  for (int i = 0; i < 5; ++i) {
    const auto added = add(*store_, fmt::format(R"({{"task_id":"s{}"}})", i));
    ASSERT_EQ(code_of(added), "");
    last = added->operation.snapshot;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (type_of(*store_)->waiting() > 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }
  store_.reset();
  const std::vector<std::string> kept = snapshots_of(records_);
  EXPECT_LE(kept.size(), 3U);  // The last fold may have been that of the end.
  EXPECT_EQ(kept.back(), last);
}

// Segments of the journal are forgotten whole, once the last line of one is old enough. The newest stays: the
// present state is in it.
TEST_F(FoldTest, OldOperationsAreForgottenAndYoungOnesAreNot) {
  StoreOptions options;
  options.path = records_.folder().path();
  options.writable = true;
  options.fold_after = std::chrono::hours(1);
  options.retention.audit_age = std::chrono::hours(24);
  store_.reset();
  store_ = Store::open(options).value();
  const std::string long_title(3 << 20, 'x');  // A segment ends at the fold after its fourth megabyte.
  const auto first = add(*store_, fmt::format(R"({{"task_id":"old","title":"{}"}})", long_title));
  ASSERT_EQ(code_of(first), "");
  ASSERT_EQ(code_of(update(*store_, R"({"task_id":"old"})", fmt::format(R"({{"title":"{}y"}})", long_title))),
            "");
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_EQ(code_of(add(*store_, R"({"task_id":"young"})")), "");
  ASSERT_TRUE(store_->fold_all().ok());
  const std::filesystem::path segment = records_.folder().at("_journal/tasks/00000001.log");
  ASSERT_TRUE(std::filesystem::exists(segment));
  EXPECT_EQ(read_audit(store_->root(), {"tasks"}, {})->entries.size(), 3U);

  const auto made_old = [&](std::chrono::hours age) {
    std::filesystem::last_write_time(segment, std::filesystem::file_time_type::clock::now() - age);
  };
  made_old(std::chrono::hours(23));
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_TRUE(std::filesystem::exists(segment));
  made_old(std::chrono::hours(25));
  ASSERT_TRUE(store_->fold_all().ok());
  EXPECT_FALSE(std::filesystem::exists(segment));

  const std::string records = records_of(*store_);
  EXPECT_EQ(read_audit(store_->root(), {"tasks"}, {})->entries.size(), 1U);
  EXPECT_EQ(code_of(undo(*store_, first->operation.id)), "unknown_audit_id");
  store_.reset();
  store_ = Store::open(options).value();
  EXPECT_EQ(records_of(*store_), records);
  EXPECT_THAT(records, HasSubstr(R"("young")"));
}

// Two files whose values differ may have equal footers: a value between the least and the greatest, changed
// for one of its length. A fold that was cut short between its line and the move of its file must not take
// one for the other.
TEST_F(FoldTest, AFileIsNotTakenForAnotherWithTheSameFooter) {
  ASSERT_EQ(code_of(add(*store_, R"({"task_id":"x1","title":"AAA"})")), "");
  ASSERT_EQ(code_of(add(*store_, R"({"task_id":"x2","title":"mmm"})")), "");
  ASSERT_EQ(code_of(add(*store_, R"({"task_id":"x3","title":"zzz"})")), "");
  ASSERT_TRUE(store_->fold_all().ok());
  for (unsigned step = 0;; ++step) {
    const std::string title = step % 2 == 0 ? "nnn" : "mmm";
    ASSERT_EQ(code_of(update(*store_, R"({"task_id":"x2"})", fmt::format(R"({{"title":"{}"}})", title))), "");
    bool folded = false;
    {
      const fs::FaultInjection fault = fs::FaultInjection::failing_step(step, EIO);
      folded = store_->fold_all().ok();
    }
    store_.reset();
    StoreOptions options;
    options.path = records_.folder().path();
    options.writable = step % 3 != 0;  // For readers it is the same.
    store_ = Store::open(options).value();
    EXPECT_THAT(rows_of(type_of(*store_)->view({}).value()), HasSubstr("\"" + title + "\"")) << step;
    options.writable = true;
    store_.reset();
    store_ = Store::open(options).value();
    ASSERT_TRUE(store_->fold_all().ok()) << step;
    EXPECT_THAT(file_alone(records_), HasSubstr(title)) << step;
    if (folded) break;
  }
}

TEST_F(FoldTest, AViewStaysAsItWas) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  const View view = type_of(*store_)->view({}).value();
  const std::string then = rows_of(view);
  ASSERT_TRUE(remove(*store_, R"({"task_id":["a","d"]})").ok());
  ASSERT_TRUE(store_->fold_all().ok());
  ASSERT_TRUE(add(*store_, R"({"task_id":"e"})").ok());
  EXPECT_EQ(rows_of(view), then);
}

TEST_F(FoldTest, WritersGoOnMeanwhile) {
  std::atomic<bool> done{false};
  std::thread folding([&] {
    while (!done) EXPECT_TRUE(store_->fold_all().ok());
  });
  std::string expected;
  for (int i = 0; i < 120; ++i) {
    ASSERT_EQ(code_of(add(*store_, fmt::format(R"({{"task_id":"n{}","priority":{}}})", i, i))), "");
    if (i % 3 == 1) {
      ASSERT_EQ(code_of(update(*store_, fmt::format(R"({{"task_id":"n{}"}})", i - 1), R"({"title":"u"})")),
                "");
    }
    if (i % 5 == 4) {
      const auto removed = remove(*store_, fmt::format(R"({{"task_id":"n{}"}})", i - 2));
      ASSERT_EQ(code_of(removed), "");
      const auto back = i % 2 == 0 ? undo(*store_, removed->operation.id) : removed;
      ASSERT_EQ(code_of(back), "");
    }
  }
  done = true;
  folding.join();
  for (int i = 0; i < 120; ++i) {
    const bool is_gone = i % 5 == 2 && (i + 2) % 2 != 0;
    if (is_gone) continue;
    const bool is_updated = (i + 1) % 3 == 1 && i + 1 < 120;
    expected +=
        fmt::format(R"(,{{"task_id":"n{}",{}"priority":{}}})", i, is_updated ? R"("title":"u",)" : "", i);
  }
  const std::string found = records_of(*store_);
  EXPECT_EQ(found.substr(found.find(R"(,{"task_id":"n0")")), expected + "]");
  store_.reset();
  EXPECT_EQ(file_alone(records_), found);
}

// Each durable step of an operation fails once, with each errno.
class FailingStep : public FoldTest, public ::testing::WithParamInterface<int> {};

TEST_P(FailingStep, OfAnOperationLosesNothing) {
  unsigned steps = 0;
  for (unsigned step = 0;; ++step) {
    const std::string before = records_of(*store_);
    bool has_fired = false;
    Result<Mutated> result = internal_error("not run");
    {
      const fs::FaultInjection fault = fs::FaultInjection::failing_step(step, GetParam());
      result = add(*store_, fmt::format(R"({{"task_id":"s{}"}})", step));
      has_fired = fault.has_fired();
    }
    if (!has_fired) break;
    ++steps;
    if (!result.ok()) {
      EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable) << result.error().message;
      EXPECT_FALSE(result.error().hint.empty());
      EXPECT_EQ(records_of(*store_), before) << "step " << step;
    }
    EXPECT_EQ(records_of(*records_.open(false)), records_of(*store_)) << "step " << step;
    ASSERT_EQ(code_of(add(*store_, fmt::format(R"({{"task_id":"after{}"}})", step))), "");
    ASSERT_TRUE(step % 3 != 2 || store_->fold_all().ok());  // So that snapshots are made again.
  }
  EXPECT_GE(steps, 5U);
}

TEST_P(FailingStep, OfAFoldLosesNothing) {
  unsigned steps = 0;
  for (unsigned step = 0;; ++step) {
    ASSERT_EQ(code_of(add(*store_, fmt::format(R"({{"task_id":"s{}"}})", step))), "");
    const std::string before = records_of(*store_);
    bool has_fired = false;
    {
      const fs::FaultInjection fault = fs::FaultInjection::failing_step(step, GetParam());
      const Status folded = store_->fold_all();
      has_fired = fault.has_fired();
      EXPECT_EQ(records_of(*store_), before) << "step " << step;
    }
    if (!has_fired) break;
    ++steps;
    EXPECT_EQ(records_of(*records_.open(false)), before) << "step " << step;
    ASSERT_EQ(code_of(add(*store_, fmt::format(R"({{"task_id":"after{}"}})", step))), "");
    const std::string after = records_of(*store_);
    if (step % 2 == 0) {
      store_ = nullptr;
      EXPECT_EQ(file_alone(records_), after) << "step " << step;
      store_ = records_.open();
    } else {
      ASSERT_TRUE(store_->fold_all().ok());
    }
    EXPECT_EQ(records_of(*store_), after) << "step " << step;
  }
  EXPECT_GE(steps, 6U);
}

INSTANTIATE_TEST_SUITE_P(Errors, FailingStep, ::testing::Values(ENOSPC, EIO));

// While it lives no file of this process grows beyond so many bytes, whoever writes it: what a full disk
// does, also to the engine.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(FoldTest, ADiskThatIsFullIsAnErrorAndNothingIsLost) {
  ASSERT_TRUE(add(*store_, R"({"task_id":"d"})").ok());
  const std::string before = records_of(*store_);
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{100}, rlim_t{600}}) {
    {
      const FullDisk disk(bytes);
      EXPECT_EQ(code_of(add(*store_, R"({"task_id":"e"})")), "storage_failed") << bytes;
      EXPECT_FALSE(store_->fold_all().ok());
      Operation operation;
      operation.kind = "restore";
      operation.id = "0123456789abcdef";
      const auto restored = type_of(*store_)->restore(0, operation, {});
      ASSERT_FALSE(restored.ok());
      EXPECT_EQ(restored.error().code, "storage_failed");
    }
    EXPECT_EQ(records_of(*store_), before) << bytes;
    EXPECT_EQ(records_of(*records_.open(false)), before) << bytes;
  }
  ASSERT_EQ(code_of(add(*store_, R"({"task_id":"e"})")), "");
  EXPECT_TRUE(store_->fold_all().ok());
  EXPECT_THAT(file_alone(records_), HasSubstr(R"({"task_id":"e"})"));
}

}  // namespace
}  // namespace sluice::records::testing
