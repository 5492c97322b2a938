// Content that is kept: in memory and on disk alike.

#include "sluice/gateway/artifact_store.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "sluice/base/text.h"

#include "temp_folder.h"
#include "test_server.h"

namespace sluice::gateway {
namespace {

using server::testing::TestClock;

const Principal kAnna{.id = "token:anna"};
const Principal kBert{.id = "token:bert"};

enum class Kind : std::uint8_t { kMemory, kDisk };

class Artifacts : public ::testing::TestWithParam<Kind> {
 protected:
  std::shared_ptr<ArtifactStore> open(ArtifactBounds bounds = {}) {
    if (GetParam() == Kind::kMemory) return std::make_shared<InMemoryArtifactStore>(bounds, clock_);
    auto store = DiskArtifactStore::open(folder_.at("artifacts"), bounds, clock_);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return *store;
  }

  fs::TempFolder folder_;
  TestClock clock_;
};

TEST_P(Artifacts, AreNamedAfterTheirContent) {
  const auto store = open();
  const auto first = store->put(kAnna, "hello", {.name_space = "fs", .mime_type = "text/plain"});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->id, "fs_2cf24dba5fb0");
  EXPECT_EQ(first->sha256, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
  EXPECT_EQ(first->size_bytes, 5U);
  EXPECT_EQ(store->put(kAnna, "hello", {.name_space = "fs"})->id, first->id);
  EXPECT_EQ(store->list(kAnna, "", 10).size(), 1U);
  EXPECT_EQ(*store->read(kAnna, first->id), "hello");
}

TEST_P(Artifacts, BelongToWhoMadeThem) {
  const auto store = open();
  const std::string id = store->put(kAnna, "secret of anna", {.name_space = "fs"})->id;
  EXPECT_EQ(store->read(kBert, id).error().code, "unknown_artifact");
  EXPECT_EQ(store->find(kBert, id).error().code, "unknown_artifact");
  EXPECT_TRUE(store->list(kBert, "", 10).empty());
  // The same content of another owner is another artifact, though it has the same name.
  EXPECT_EQ(store->put(kBert, "secret of anna", {.name_space = "fs"})->id, id);
  EXPECT_EQ(store->list(kBert, "", 10).size(), 1U);
}

TEST_P(Artifacts, ExpireAndMakeRoom) {
  const auto store =
      open({.retention = std::chrono::seconds(60), .artifact_bytes_max = 100, .bytes_max = 150});
  const std::string first = store->put(kAnna, std::string(100, 'a'), {.name_space = "fs"})->id;
  EXPECT_EQ(store->put(kAnna, std::string(101, 'b'), {.name_space = "fs"}).error().code,
            "artifact_too_large");
  clock_.advance(std::chrono::seconds(1));
  const std::string second = store->put(kAnna, std::string(100, 'c'), {.name_space = "fs"})->id;
  EXPECT_FALSE(store->read(kAnna, first).ok()) << "the older one made room";
  EXPECT_TRUE(store->read(kAnna, second).ok());
  clock_.advance(std::chrono::seconds(61));
  EXPECT_FALSE(store->read(kAnna, second).ok());
  EXPECT_FALSE(store->find(kAnna, second).ok());
}

TEST_P(Artifacts, OfTheOwnerThatHasMostMakeRoom) {
  const auto store = open({.artifact_bytes_max = 100, .bytes_max = 500});
  const std::string theirs = store->put(kBert, std::string(100, 'b'), {.name_space = "fs"})->id;
  std::string first;
  for (int i = 0; i < 10; ++i) {
    clock_.advance(std::chrono::seconds(1));
    const std::string id =
        store->put(kAnna, std::string(99, 'a') + std::to_string(i), {.name_space = "fs"})->id;
    if (first.empty()) first = id;
  }
  EXPECT_TRUE(store->read(kBert, theirs).ok());
  EXPECT_FALSE(store->read(kAnna, first).ok());
}

TEST_P(Artifacts, HostileIdsNameNothing) {
  const auto store = open();
  (void)store->put(kAnna, "x", {.name_space = "fs"});
  for (const std::string id : {"../../etc/passwd", "..", "", "fs_2d711642b726/../x", "a\0b", ".bin"}) {
    EXPECT_FALSE(store->read(kAnna, id).ok()) << id;
    EXPECT_FALSE(store->find(kAnna, id).ok()) << id;
  }
  EXPECT_FALSE(is_artifact_id("../x"));
  EXPECT_FALSE(is_artifact_id(std::string(200, 'a')));
  EXPECT_TRUE(is_artifact_id("fs_2d711642b726"));
  const auto odd = store->put(kAnna, "y", {.name_space = "../../evil"});
  ASSERT_TRUE(odd.ok());
  EXPECT_TRUE(is_artifact_id(odd->id)) << odd->id;
}

INSTANTIATE_TEST_SUITE_P(Both, Artifacts, ::testing::Values(Kind::kMemory, Kind::kDisk));

TEST(DiskArtifacts, AreThereAfterARestart) {
  const fs::TempFolder folder;
  const TestClock clock;
  std::string id;
  {
    auto store = DiskArtifactStore::open(folder.at("a"), {}, clock);
    ASSERT_TRUE(store.ok());
    id = (*store)
             ->put(kAnna, "kept", {.name_space = "fs", .mime_type = "text/plain", .filename = "k.txt"})
             ->id;
  }
  auto again = DiskArtifactStore::open(folder.at("a"), {}, clock);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*(*again)->read(kAnna, id), "kept");
  EXPECT_EQ((*again)->find(kAnna, id)->filename, "k.txt");
  EXPECT_FALSE((*again)->read(kBert, id).ok());
}

TEST(DiskArtifacts, HalfOfOneIsNone) {
  const fs::TempFolder folder;
  std::string id;
  {
    auto store = DiskArtifactStore::open(folder.at("a"));
    id = (*store)->put(kAnna, "kept", {.name_space = "fs"})->id;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.at("a"))) {
    if (entry.path().extension() == ".bin") std::filesystem::remove(entry.path());
  }
  folder.write("a/stray.bin", "left by a crash");
  folder.write("a/broken.json", "{");
  auto again = DiskArtifactStore::open(folder.at("a"));
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE((*again)->read(kAnna, id).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.at("a")));
}

}  // namespace
}  // namespace sluice::gateway
