#include <chrono>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "sluice/collections/collection_source.h"
#include "sluice/fs/durable.h"

#include "inventory_watch.h"
#include "temp_folder.h"

namespace sluice::collections {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CollectionWatch : public testing::Test {
 protected:
  void start(const std::string& pattern = "") {
    CollectionSpec spec;
    spec.name = "files";
    spec.folder = folder_.path();
    spec.pattern = pattern;
    source_ = CollectionSource::start(spec, registry_).value();
  }
  bool wait_until_served(const std::vector<std::string>& names) {
    return watch_.wait_for([&] { return names_of(registry_) == names; });
  }
  query::DatasetPtr find(const std::string& name) { return registry_.inventory().find(name); }

  fs::TempFolder folder_;
  query::Registry registry_;
  InventoryWatch watch_{registry_};
  std::unique_ptr<CollectionSource> source_;
};

TEST_F(CollectionWatch, TellsOfAFileThatAppears) {
  folder_.write("a.csv", "x\n1\n");
  start();
  const query::DatasetPtr before = find("a");
  before->set_row_count(1);
  folder_.write("b.csv", "x\n1\n");
  EXPECT_TRUE(wait_until_served({"a", "b"}));
  EXPECT_EQ(find("a"), before);  // Still counted.
  folder_.write("new/deep/c.csv", "x\n1\n");
  EXPECT_TRUE(wait_until_served({"a", "b", "new/deep/c"}));
}

TEST_F(CollectionWatch, TellsOfAFileThatChanges) {
  folder_.write("a.csv", "x\n1\n");
  folder_.write("b.csv", "x\n1\n");
  start();
  const query::DatasetPtr a = find("a");
  const query::DatasetPtr b = find("b");
  a->set_row_count(1);
  const int lists = watch_.list_changes();
  folder_.write("a.csv", "x\n1\n2\n");
  ASSERT_TRUE(watch_.wait_for_update("a"));
  EXPECT_NE(find("a"), a);
  EXPECT_NE(find("a")->identity().version, a->identity().version);
  EXPECT_EQ(find("a")->count_state(), query::CountState::kPending);
  EXPECT_EQ(find("b"), b);
  EXPECT_EQ(watch_.list_changes(), lists);
}

TEST_F(CollectionWatch, TellsOfAFileThatAnotherTakesThePlaceOf) {
  folder_.write("a.csv", "x\n1\n");
  start();
  ASSERT_TRUE(fs::replace_file(folder_.root(), "a.csv", "x\n2\n").ok());
  EXPECT_TRUE(watch_.wait_for_update("a"));
}

TEST_F(CollectionWatch, ServesAFolderThatIsRemovedAndMadeAgain) {
  folder_.write("served/a.csv", "x\n1\n");
  CollectionSpec spec;
  spec.name = "files";
  spec.folder = folder_.path() + "/served";
  source_ = CollectionSource::start(spec, registry_).value();
  ASSERT_NE(find("a"), nullptr);
  std::filesystem::rename(spec.folder, folder_.path() + "/elsewhere");
  folder_.write("served/b.csv", "x\n1\n");
  EXPECT_TRUE(wait_until_served({"b"}));
  std::filesystem::remove_all(spec.folder);
  EXPECT_TRUE(wait_until_served({}));
  folder_.write("served/c.csv", "x\n1\n");
  EXPECT_TRUE(wait_until_served({"c"}));
  folder_.write("served/d.csv", "x\n1\n");  // And is followed from then on.
  EXPECT_TRUE(wait_until_served({"c", "d"}));
}

TEST_F(CollectionWatch, TellsOfAFileThatGoes) {
  folder_.write("a.csv", "x\n1\n");
  folder_.write("deep/b.csv", "x\n1\n");
  start();
  folder_.remove("deep");
  EXPECT_TRUE(wait_until_served({"a"}));
  folder_.rename("a.csv", "c.csv");
  EXPECT_TRUE(wait_until_served({"c"}));
  folder_.rename("c.csv", "c.txt");
  EXPECT_TRUE(wait_until_served({}));
}

TEST_F(CollectionWatch, GivesTheNamesThatALaterStartWouldGive) {
  folder_.write("a.json", "[]");
  start();
  EXPECT_THAT(names_of(registry_), ElementsAre("a"));
  folder_.write("a.csv", "x\n1\n");
  ASSERT_TRUE(wait_until_served({"a", "a.json"}));
  EXPECT_TRUE(watch_.wait_for([&] { return find("a")->identity().path == "a.csv"; }));
  folder_.remove("a.csv");
  ASSERT_TRUE(wait_until_served({"a"}));
  EXPECT_EQ(find("a")->identity().path, "a.json");
}

TEST_F(CollectionWatch, HearsOnlyOfFilesThatFitThePattern) {
  start("{region}.csv");
  EXPECT_THAT(names_of(registry_), IsEmpty());
  folder_.write("notes.txt", "x");
  folder_.write("deep/north.csv", "x\n1\n");
  folder_.write(".hidden.csv", "x\n1\n");
  folder_.write("south.csv", "x\n1\n");
  EXPECT_TRUE(wait_until_served({"south"}));
}

TEST_F(CollectionWatch, EndsWhileFilesKeepChanging) {
  start();
  for (int i = 0; i < 200; ++i) folder_.write("f" + std::to_string(i) + ".csv", "x\n1\n");
  source_.reset();
  const std::vector<std::string> names = names_of(registry_);
  folder_.write("late.csv", "x\n1\n");
  EXPECT_EQ(names_of(registry_), names);
}

}  // namespace
}  // namespace sluice::collections
