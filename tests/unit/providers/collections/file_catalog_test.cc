#include "file_catalog.h"

#include <chrono>
#include <map>
#include <random>

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

std::vector<std::string> names_of(const std::vector<query::DatasetPtr>& datasets) {
  std::vector<std::string> names;
  for (const query::DatasetPtr& dataset : datasets)
    names.push_back(dataset->identity().path + "=" + dataset->name());
  return names;
}

class FileCatalogTest : public testing::Test {
 protected:
  FileCatalog make_catalog() const {
    CollectionSpec spec;
    spec.name = "files";
    return FileCatalog::create(spec, std::make_shared<const fs::Root>(folder_.root())).value();
  }
  std::vector<query::DatasetPtr> changes() { return catalog_->take_changes().value(); }

  fs::TempFolder folder_;
  std::optional<FileCatalog> catalog_ = make_catalog();
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

TEST_F(FileCatalogTest, OffersTheRestOfAJsonDocumentBesideItsRows) {
  CollectionSpec spec;
  spec.name = "files";
  const auto copies = std::make_shared<query::FileCopies>(
      fs::PrivateFolder::make_temporary("sluice-test").value(), std::uint64_t{1} << 20U, system_clock());
  FileCatalog catalog =
      FileCatalog::create(spec, std::make_shared<const fs::Root>(folder_.root()), copies).value();
  folder_.write("towns.json", R"({"type": "FeatureCollection", "features": [{"id": 1}]})");
  folder_.write("plain.json", R"([{"id": 1}])");
  folder_.write("only.json", R"({"data": [{"id": 1}]})");
  folder_.write("rival.json", R"({"n": 1, "data": [{"id": 1}]})");
  folder_.write("rival.about.json", R"([{"id": 1}])");
  std::vector<fs::ScannedEntry> entries;
  std::uint64_t inode = 0;
  for (const char* path : {"only.json", "plain.json", "rival.about.json", "rival.json", "towns.json"})
    entries.push_back({.path = path, .entry = file(++inode)});
  catalog.replace_all(entries, kWritten + milliseconds(100));
  const std::vector<query::DatasetPtr> datasets = catalog.take_changes().value();
  EXPECT_THAT(names_of(datasets),
              ElementsAre("only.json=only", "plain.json=plain", "rival.about.json=rival.about",
                          "rival.json=rival", "towns.json=towns", "towns.json=towns.about"));
  catalog.replace_all({}, kWritten + milliseconds(200));
  EXPECT_THAT(catalog.take_changes().value(), SizeIs(0));
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
  EXPECT_THAT(names_of(changes()), ElementsAre("a.csv=a", "a.json=a.json", "a.parquet=a.parquet", "b.csv=b"));
  catalog_->update("a.csv", std::nullopt, FileCatalog::Hint::kNone, kWritten);
  EXPECT_THAT(names_of(changes()), ElementsAre("a.json=a", "a.parquet=a.parquet", "b.csv=b"));
}

TEST_F(FileCatalogTest, GivesTheNamesThatAScanWouldGiveAfterAnyChanges) {
  // Their names are in another order than their paths, and some are the same.
  const std::vector<std::string> paths = {"a.csv", "a-b.csv", "a.csv.csv", "a.tsv", "a/b.csv", "a b.csv",
                                          "b.csv", "b.json",  "c.csv",     "d.csv", "d-.csv",  "e.csv"};
  std::map<std::string, fs::Entry> there;
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same every time.
  std::uint64_t inode = 0;
  for (int turn = 0; turn < 2'000; ++turn) {
    const std::string& path = paths[random() % paths.size()];
    if (random() % 2 == 0) {
      there[path] = file(++inode);
      catalog_->update(path, there[path], FileCatalog::Hint::kNone, kWritten);
    } else {
      there.erase(path);
      catalog_->update(path, std::nullopt, FileCatalog::Hint::kNone, kWritten);
    }
    const std::optional<std::vector<query::DatasetPtr>> changed = catalog_->take_changes();
    if (!changed) continue;
    std::vector<fs::ScannedEntry> found;
    for (const auto& [each, entry] : there) found.push_back({.path = each, .entry = entry});
    FileCatalog fresh = make_catalog();
    fresh.replace_all(found, kWritten);
    ASSERT_EQ(names_of(*changed), names_of(fresh.take_changes().value())) << turn;
  }
}

TEST_F(FileCatalogTest, TakesAChangeThatComesWithAScan) {
  catalog_->replace_all({{.path = "a.csv", .entry = file(1)},
                         {.path = "b.csv", .entry = file(2)},
                         {.path = "c.csv", .entry = file(3)}},
                        kWritten);
  EXPECT_THAT(changes(), SizeIs(3));
  catalog_->replace_all({{.path = "b.csv", .entry = file(2)}}, kWritten);
  catalog_->update("b.csv", file(4), FileCatalog::Hint::kNone, kWritten);
  catalog_->update("d.csv", file(5), FileCatalog::Hint::kNone, kWritten);
  EXPECT_THAT(names_of(changes()), ElementsAre("b.csv=b", "d.csv=d"));
}

}  // namespace
}  // namespace sluice::collections
