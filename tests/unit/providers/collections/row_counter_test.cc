#include "sluice/query/row_counter.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include <gmock/gmock.h>

#include "sluice/collections/collection_source.h"

#include "inventory_watch.h"
#include "temp_folder.h"

namespace sluice::collections {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Remembers what was counted.
class Counted {
 public:
  query::RowCounter::OnCounted callback() {
    return [this](const query::DatasetPtr& dataset) {
      const std::lock_guard lock(mutex_);
      counted_[dataset->name()] = dataset;
      happened_.notify_all();
    };
  }
  bool wait_for(const std::string& name, query::CountState state) {
    return wait_for(name, [&](const query::Dataset& dataset) { return dataset.count_state() == state; });
  }
  bool wait_for_rows(const std::string& name, std::uint64_t rows) {
    return wait_for(name, [&](const query::Dataset& dataset) { return dataset.row_count() == rows; });
  }

 private:
  bool wait_for(const std::string& name, const std::function<bool(const query::Dataset&)>& condition) {
    std::unique_lock lock(mutex_);
    return happened_.wait_for(lock, kPatience,
                              [&] { return counted_.contains(name) && condition(*counted_.at(name)); });
  }

  std::mutex mutex_;
  std::condition_variable happened_;
  std::map<std::string, query::DatasetPtr> counted_;
};

class RowCounterTest : public testing::Test {
 protected:
  void serve() {
    CollectionSpec spec;
    spec.name = "files";
    spec.folder = folder_.path();
    source_ = CollectionSource::start(spec, registry_).value();
    slot_.set_folders({source_->folder()});
  }
  query::DatasetPtr find(const std::string& name) { return registry_.inventory().find(name); }

  fs::TempFolder folder_;
  query::Registry registry_;
  query::EngineSlot slot_{engine::EngineOptions{}};
  query::Tables tables_{system_clock()};
  Counted counted_;
  std::unique_ptr<CollectionSource> source_;
  query::RowCounter counter_{
      {.registry = registry_, .engine = slot_, .tables = tables_, .clock = system_clock()},
      counted_.callback()};
};

TEST_F(RowCounterTest, CountsRecordsAndNotLines) {
  folder_.write("quoted.csv",
                "\xef\xbb\xbf"
                "a,b\n1,\"two\nlines\"\n2,\"a\r\nb\"\n");
  folder_.write("list.json", R"([{"a":1},{"a":2},{"a":3}])");
  serve();
  EXPECT_EQ(find("quoted")->count_state(), query::CountState::kPending);
  counter_.start();
  ASSERT_TRUE(counted_.wait_for("quoted", query::CountState::kExact));
  ASSERT_TRUE(counted_.wait_for("list", query::CountState::kExact));
  EXPECT_EQ(find("quoted")->row_count(), 2U);
  EXPECT_EQ(find("list")->row_count(), 3U);
  EXPECT_EQ(find("quoted")->count_error(), "");
}

TEST_F(RowCounterTest, CountsAgainWhatChanges) {
  folder_.write("a.csv", "x\n1\n");
  serve();
  counter_.start();
  ASSERT_TRUE(counted_.wait_for("a", query::CountState::kExact));
  folder_.write("a.csv", "x\n1\n2\n3\n");
  folder_.write("b.csv", "x\n1\n2\n");
  EXPECT_TRUE(counted_.wait_for_rows("b", 2));
  EXPECT_TRUE(counted_.wait_for_rows("a", 3));
}

TEST_F(RowCounterTest, KeepsTheReasonWhereAFileCannotBeRead) {
  folder_.write("broken.parquet", "PAR1 is not all of it");
  folder_.write("good.csv", "x\n1\n");
  serve();
  counter_.start();
  ASSERT_TRUE(counted_.wait_for("broken", query::CountState::kFailed));
  ASSERT_TRUE(counted_.wait_for("good", query::CountState::kExact));
  ASSERT_NE(find("broken"), nullptr);  // Listed, with its error.
  EXPECT_THAT(std::string(find("broken")->count_error()), HasSubstr("read Parquet footer"));
  EXPECT_THAT(std::string(find("broken")->count_error()), Not(HasSubstr("/proc/")));
}

TEST_F(RowCounterTest, DoesNothingBeforeItIsStarted) {
  folder_.write("a.csv", "x\n1\n");
  serve();
  folder_.write("b.csv", "x\n1\n");
  EXPECT_EQ(find("a")->count_state(), query::CountState::kPending);
}

TEST_F(RowCounterTest, InterruptsACountWhenItEnds) {
  std::string rows = "x\n";
  for (int i = 0; i < 2'000'000; ++i) rows += "123456789\n";
  folder_.write("large.csv", rows);
  serve();
  const Monotonic begin = system_clock().now();
  {
    query::RowCounter short_lived(
        {.registry = registry_, .engine = slot_, .tables = tables_, .clock = system_clock()});
    short_lived.start();
  }
  EXPECT_LT(system_clock().now() - begin, std::chrono::seconds(10));
  EXPECT_NE(find("large")->count_state(), query::CountState::kFailed);
  folder_.write("late.csv", "x\n1\n");  // The registry still calls what the counter left behind.
  InventoryWatch watch(registry_);
  EXPECT_TRUE(watch.wait_for([&] { return find("late") != nullptr; }));
}

}  // namespace
}  // namespace sluice::collections
