#include "file_catalog.h"

#include <chrono>

#include <gmock/gmock.h>

#include "temp_folder.h"

namespace sluice::collections {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

const WallTime kWritten{std::chrono::hours(500'000)};

fs::Entry file(std::uint64_t inode, WallTime modified = kWritten) {
  return fs::Entry{.name = "",
                   .kind = fs::EntryKind::kFile,
                   .is_link = false,
                   .bytes = 4,
                   .modified = modified,
                   .identity = {.device = 1, .inode = inode}};
}

class FileCatalogTest : public testing::Test {
 protected:
  FileCatalogTest() {
    CollectionSpec spec;
    spec.name = "files";
    catalog_.emplace(FileCatalog::create(spec, std::make_shared<const fs::Root>(folder_.root())).value());
  }
  std::vector<query::DatasetPtr> changes() { return catalog_->take_changes().value(); }

  fs::TempFolder folder_;
  std::optional<FileCatalog> catalog_;
};

TEST_F(FileCatalogTest, KeepsTheDatasetOfAFileThatLooksTheSame) {
  catalog_->replace_all({{.path = "a.csv", .entry = file(1)}, {.path = "b.csv", .entry = file(2)}},
                        kWritten + milliseconds(100));
  const std::vector<query::DatasetPtr> before = changes();
  ASSERT_THAT(before, SizeIs(2));
  catalog_->replace_all({{.path = "a.csv", .entry = file(1)}, {.path = "b.csv", .entry = file(2)}},
                        kWritten + milliseconds(200));
  EXPECT_FALSE(catalog_->take_changes().has_value());
  catalog_->replace_all({{.path = "a.csv", .entry = file(1)}}, kWritten + milliseconds(300));
  EXPECT_THAT(changes(), ElementsAre(before[0]));
  catalog_->replace_all({{.path = "a.csv", .entry = file(3)}}, kWritten + milliseconds(400));
  const std::vector<query::DatasetPtr> after = changes();
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_NE(after[0]->identity().version, before[0]->identity().version);
}

TEST_F(FileCatalogTest, BelievesTheWatcherWhereTheFilesClockIsTooCoarse) {
  catalog_->update("a.csv", file(1), FileCatalog::Hint::kNone, kWritten + milliseconds(1));
  const query::DatasetPtr first = changes().at(0);
  catalog_->update("a.csv", file(1), FileCatalog::Hint::kWritten, kWritten + milliseconds(50));
  const query::DatasetPtr second = changes().at(0);
  EXPECT_NE(second->identity().version, first->identity().version);
  catalog_->update("a.csv", file(1), FileCatalog::Hint::kWritten, kWritten + milliseconds(90));
  EXPECT_FALSE(catalog_->take_changes().has_value());  // Seen since: a second event of the same write.
}

TEST_F(FileCatalogTest, ForgetsAFileThatBecomesAFolder) {
  catalog_->update("a.csv", file(1), FileCatalog::Hint::kNone, kWritten);
  EXPECT_THAT(changes(), SizeIs(1));
  fs::Entry folder = file(2);
  folder.kind = fs::EntryKind::kFolder;
  catalog_->update("a.csv", folder, FileCatalog::Hint::kNone, kWritten);
  EXPECT_THAT(changes(), SizeIs(0));
}

TEST_F(FileCatalogTest, GivesTheSameNamesWhateverTheOrder) {
  for (const char* path : {"a.json", "a.csv", "b.csv", "a.parquet"})
    catalog_->update(path, file(1), FileCatalog::Hint::kNone, kWritten);
  std::vector<std::string> names;
  for (const query::DatasetPtr& dataset : changes())
    names.push_back(dataset->identity().path + "=" + dataset->name());
  EXPECT_THAT(names, ElementsAre("a.csv=a", "a.json=a.json", "a.parquet=a.parquet", "b.csv=b"));
  catalog_->update("a.csv", std::nullopt, FileCatalog::Hint::kNone, kWritten);
  names.clear();
  for (const query::DatasetPtr& dataset : changes())
    names.push_back(dataset->identity().path + "=" + dataset->name());
  EXPECT_THAT(names, ElementsAre("a.json=a", "a.parquet=a.parquet", "b.csv=b"));
}

}  // namespace
}  // namespace sluice::collections
