#include <filesystem>

#include <gmock/gmock.h>

#include "sluice/config/config_file.h"

#include "temp_folder.h"

namespace sluice::config {
namespace {

using ::testing::HasSubstr;

Result<Config> load(const std::vector<std::string>& sources) {
  return load_config(sources, [](const std::string&) { return std::nullopt; });
}

TEST(Sources, AreFoldersWithoutConfiguration) {
  const fs::TempFolder folder;
  folder.write("north/a.csv", "x\n1\n");
  const Config config = load({folder.path() + "/north"}).value();
  ASSERT_EQ(config.collections.size(), 1U);
  EXPECT_EQ(config.collections[0].name, "north");
  EXPECT_EQ(config.collections[0].scheme, "data");
  EXPECT_EQ(config.collections[0].folder, std::filesystem::canonical(folder.path()).string() + "/north");
  EXPECT_EQ(config.collections[0].name_prefix, "");
}

// So that a client's configuration for the original record server goes on to work.
TEST(Sources, AreTheRecordsOfDataDirWhereNoneIsNamed) {
  const Environment environment = [](const std::string& name) {
    return name == "DATA_DIR" ? std::optional<std::string>("/data/records") : std::nullopt;
  };
  const Config config = load_config({}, environment).value();
  ASSERT_TRUE(config.records.has_value());
  EXPECT_EQ(config.records->path, "/data/records");
  EXPECT_TRUE(config.records->writable);
  EXPECT_FALSE(load({}).value().records.has_value());
  const fs::TempFolder folder;
  folder.write("north/a.csv", "x\n1\n");
  EXPECT_FALSE(load_config({folder.path() + "/north"}, environment).value().records.has_value());
}

std::string sqlite_file() { return std::string("SQLite format 3\0", 16) + std::string(84, '\0'); }

TEST(Sources, AreDatabasesWhereFilesOfSqliteAreRightInThem) {
  const fs::TempFolder folder;
  folder.write("data/a.csv", "x\n1\n");
  folder.write("data/shop.db", sqlite_file());
  folder.write("data/other/shop.sqlite3", sqlite_file());
  folder.write("data/Old.SQLite", sqlite_file());
  folder.write("data/text.db", "no database");
  folder.write("data/sqlite.bin", sqlite_file());
  folder.link("../outside.db", "data/link.db");
  folder.write("outside.db", sqlite_file());
  const Config config = load({folder.path() + "/data", folder.path() + "/data/other"}).value();
  std::vector<std::string> names;
  for (const databases::DatabaseSpec& database : config.databases) names.push_back(database.name);
  EXPECT_THAT(names, ::testing::ElementsAre("Old", "shop", "shop-2"));
  EXPECT_EQ(config.collections.size(), 2U);
}

TEST(Sources, MayBeADatabaseThemselves) {
  const fs::TempFolder folder;
  folder.write("shop.db", sqlite_file());
  folder.write("text.db", "no database");
  const Config config = load({folder.path() + "/shop.db"}).value();
  EXPECT_TRUE(config.collections.empty());
  ASSERT_EQ(config.databases.size(), 1U);
  EXPECT_EQ(config.databases[0].name, "shop");
  EXPECT_EQ(load({folder.path() + "/text.db"}).error().code, "unsupported_source");
}

TEST(Sources, AreRepositoriesWhereAGitFolderIsRightInThem) {
  const fs::TempFolder folder;
  for (const std::string name : {"a/repo", "b/repo"}) {
    folder.write(name + "/x.csv", "x\n1\n");
    folder.write(name + "/.git/HEAD", "ref: refs/heads/main\n");
    folder.make_folder(name + "/.git/objects");
    folder.make_folder(name + "/.git/refs");
  }
  folder.write("linked/x.csv", "x\n1\n");
  folder.link("../a/repo/.git", "linked/.git");
  const Config config =
      load({folder.path() + "/a/repo", folder.path() + "/b/repo", folder.path() + "/linked"}).value();
  EXPECT_EQ(config.collections.size(), 3U);
  ASSERT_EQ(config.git.size(), 2U);
  EXPECT_EQ(config.git[0].name, "repo");
  EXPECT_EQ(config.git[1].name, "repo-2");
  EXPECT_TRUE(load({folder.path() + "/a"}).value().git.empty());
}

TEST(Sources, GetNamesThatDiffer) {
  const fs::TempFolder folder;
  folder.write("a/data/x.csv", "x\n1\n");
  folder.write("b/data/x.csv", "x\n1\n");
  const Config config = load({folder.path() + "/a/data", folder.path() + "/b/data/"}).value();
  ASSERT_EQ(config.collections.size(), 2U);
  EXPECT_EQ(config.collections[0].name_prefix, "data/");
  EXPECT_EQ(config.collections[1].name, "data-2");
  EXPECT_EQ(config.collections[1].name_prefix, "data-2/");
}

TEST(Sources, GetAnotherNameThanOneThatIsReserved) {
  const fs::TempFolder folder;
  folder.write("records/x.csv", "x\n1\n");
  folder.write("Main.db", sqlite_file());
  const Config config = load({folder.path() + "/records", folder.path() + "/Main.db"}).value();
  EXPECT_EQ(config.collections[0].name, "records-2");
  EXPECT_EQ(config.databases[0].name, "Main-2");
}

TEST(Sources, AreSingleFilesToo) {
  const fs::TempFolder folder;
  folder.write("sales.csv.gz", "");
  folder.write("other.json", "[]");
  const Config one = load({folder.path() + "/sales.csv.gz"}).value();
  EXPECT_EQ(one.collections[0].file, "sales.csv.gz");
  EXPECT_EQ(one.collections[0].name, "sales");
  const Config two = load({folder.path() + "/sales.csv.gz", folder.path() + "/other.json"}).value();
  EXPECT_EQ(two.collections[1].name, "other");
  EXPECT_EQ(two.collections[1].name_prefix, "");
}

TEST(Sources, StandBesideAConfiguration) {
  const fs::TempFolder folder;
  folder.write("extra/x.csv", "x\n1\n");
  folder.write("sluice.yaml",
               "collections:\n  - { preset: budget, path: processed }\n"
               "  - { name: sales, path: \"sales/{region}/{month}.csv\" }\n");
  const Config config = load({folder.path() + "/extra", folder.path() + "/sluice.yaml"}).value();
  ASSERT_EQ(config.collections.size(), 3U);
  EXPECT_EQ(config.collections[0].folder, folder.path() + "/processed");
  EXPECT_EQ(config.collections[0].name_prefix, "");  // 2023_BUDGET_LAW
  EXPECT_EQ(config.collections[1].name_prefix, "sales/");
  EXPECT_EQ(config.collections[2].name_prefix, "extra/");
}

TEST(Sources, OfDatabasesSayForHowLongClientsMayKeepWhatTheyRead) {
  const fs::TempFolder folder;
  folder.write("sluice.yaml",
               "databases:\n"
               "  - { name: shop, url: \"sqlite:shop.db\", ttl: 5s }\n"
               "  - { name: sales, url: \"postgres://reader@127.0.0.1/sales\", ttl: 500ms }\n"
               "  - { name: old, url: \"sqlite:old.db\" }\n");
  const Config config = load({folder.path() + "/sluice.yaml"}).value();
  ASSERT_EQ(config.databases.size(), 3U);
  EXPECT_EQ(config.databases[0].ttl, std::chrono::seconds(5));
  EXPECT_EQ(config.databases[1].ttl, std::chrono::milliseconds(500));
  EXPECT_EQ(config.databases[2].ttl, std::chrono::seconds(60));
}

TEST(Sources, AreRefusedWithTheReason) {
  const fs::TempFolder folder;
  folder.write("notes.txt", "x");
  EXPECT_EQ(load({folder.path() + "/notes.txt"}).error().code, "unsupported_source");
  const Error missing = load({folder.path() + "/missing"}).error();
  EXPECT_EQ(missing.code, "source_not_found");
  EXPECT_THAT(missing.message, HasSubstr("/missing: No such file or directory"));
}

}  // namespace
}  // namespace sluice::config
