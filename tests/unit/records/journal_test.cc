#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record_folder.h"

namespace sluice::records::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kJournal = "_journal/tasks/00000001.log";

class JournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    records_.make_tasks();
    const auto store = records_.open();
    ASSERT_TRUE(add(*store, R"({"task_id":"d","title":"fourth"})").ok());
    ASSERT_TRUE(add(*store, R"({"task_id":"e","title":"fifth"})").ok());
    journal_ = records_.folder().read(kJournal);
    file_ = records_.folder().read("tasks/tasks.parquet");
  }

  // As a crash would have left it: the file is the old one, the journal what it was at the time.
  void crash_with(const std::string& journal) {
    records_.folder().write("tasks/tasks.parquet", file_);
    records_.folder().write(kJournal, journal);
  }

  RecordFolder records_;
  std::string journal_;
  std::string file_;
};

TEST_F(JournalTest, ReplaysWhatWasNotInTheFile) {
  crash_with(journal_);
  const auto store = records_.open();
  EXPECT_THAT(records_of(*store), HasSubstr("fourth"));
  EXPECT_THAT(records_of(*store), HasSubstr("fifth"));
}

TEST_F(JournalTest, ALastLineThatIsCutWasNeverThere) {
  const std::size_t begin = journal_.find('\n', journal_.find("fourth")) + 1;
  for (std::size_t size = begin; size < journal_.size(); size += 7) {
    crash_with(journal_.substr(0, size));
    const auto store = records_.open();
    const std::string found = records_of(*store);
    EXPECT_THAT(found, HasSubstr("fourth"));
    EXPECT_EQ(found.find("fifth"), std::string::npos);
    ASSERT_TRUE(add(*store, R"({"task_id":"f","title":"sixth"})").ok());
    EXPECT_THAT(records_of(*records_.open()), HasSubstr("sixth"));
  }
}

TEST_F(JournalTest, ALastLineOfZerosWasNeverThere) {
  const std::size_t begin = journal_.find('\n', journal_.find("fourth")) + 1;
  crash_with(journal_.substr(0, begin) + std::string(4096, '\0'));
  const auto store = records_.open();
  EXPECT_THAT(records_of(*store), HasSubstr("fourth"));
  ASSERT_TRUE(add(*store, R"({"title":"sixth"})").ok());
  EXPECT_THAT(records_of(*store), HasSubstr("sixth"));
}

TEST_F(JournalTest, ADamagedLineBeforeOthersStopsEverything) {
  std::string damaged = journal_;
  damaged[damaged.find("fourth")] = 'F';
  crash_with(damaged);
  const auto store = records_.open();
  EXPECT_THAT(records_of(*store), HasSubstr("journal_damaged"));
  EXPECT_EQ(code_of(add(*store, R"({"title":"x"})")), "journal_damaged");
  EXPECT_EQ(records_.folder().read(kJournal), damaged);  // Nothing is cut away.
}

}  // namespace
}  // namespace sluice::records::testing
