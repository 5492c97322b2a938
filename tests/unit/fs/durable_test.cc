#include "sluice/fs/durable.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace sluice::fs {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const TempFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

TEST(ReplaceFile, MakesAndReplaces) {
  const TempFolder folder;
  folder.make_folder("sub");
  const Root root = folder.root();
  for (const char* path : {"a", "sub/b"}) {
    ASSERT_TRUE(replace_file(root, path, "first").ok());
    EXPECT_EQ(folder.read(path), "first");
    ASSERT_TRUE(replace_file(root, path, "").ok());
    EXPECT_EQ(folder.read(path), "");
  }
  EXPECT_EQ(count_of(folder), 2U);  // No temporary file is left.
}

TEST(ReplaceFile, KeepsThePermissionsOfTheOldFile) {
  const TempFolder folder;
  folder.write("a", "old");
  std::filesystem::permissions(folder.at("a"), std::filesystem::perms::owner_read);
  ASSERT_TRUE(replace_file(folder.root(), "a", "new").ok());
  EXPECT_EQ(std::filesystem::status(folder.at("a")).permissions(), std::filesystem::perms::owner_read);
}

TEST(ReplaceFile, KeepsASecretFromOthersWhateverTheOldFileWas) {
  const TempFolder folder;
  const Root root = folder.root();
  ASSERT_TRUE(replace_file(root, "open", "old").ok());
  EXPECT_FALSE(root.open_beneath("open")->status()->is_private);
  for (const char* path : {"open", "new"}) {
    ASSERT_TRUE(replace_private_file(root, path, "secret").ok());
    EXPECT_EQ(folder.read(path), "secret");
    EXPECT_TRUE(root.open_beneath(path)->status()->is_private);
  }
}

TEST(ReplaceFile, ReplacesALinkAndNotItsTarget) {
  const TempFolder outside;
  outside.write("victim", "untouched");
  const TempFolder folder;
  folder.link(outside.path() + "/victim", "a");
  ASSERT_TRUE(replace_file(folder.root(), "a", "new").ok());
  EXPECT_EQ(outside.read("victim"), "untouched");
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(ReplaceFile, RefusesToLeaveTheFolder) {
  const TempFolder outside;
  const TempFolder folder;
  folder.link(outside.path(), "link");
  for (const char* path : {"../x", "/tmp/x", "link/x", "", ".", "a/../x", "missing/x"}) {
    const Status status = replace_file(folder.root(), path, "x");
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_THAT(status.error().message, Not(HasSubstr(folder.path())));
    EXPECT_FALSE(append_durable(folder.root(), path, "x").ok()) << path;
  }
  EXPECT_EQ(count_of(outside), 0U);
  EXPECT_EQ(count_of(folder), 1U);
}

TEST(ReplaceFile, DoesNotReplaceAFolder) {
  const TempFolder folder;
  folder.make_folder("sub");
  EXPECT_EQ(replace_file(folder.root(), "sub", "x").error().kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(count_of(folder), 1U);
}

TEST(ReplaceFile, NeverShowsAMixture) {
  const TempFolder folder;
  const Root root = folder.root();
  const std::string zeros(50'000, '0');
  const std::string ones(70'000, '1');
  ASSERT_TRUE(replace_file(root, "a", zeros).ok());
  std::atomic<bool> done{false};
  std::vector<std::thread> writers;
  for (const std::string* text : {&zeros, &ones}) {
    writers.emplace_back([&root, text] {
      for (int i = 0; i < 30; ++i) EXPECT_TRUE(replace_file(root, "a", *text).ok());
    });
  }
  std::thread reader([&] {
    while (!done.load()) {
      const std::string seen = root.open_beneath("a")->read_all(100'000).value();
      EXPECT_TRUE(seen == zeros || seen == ones);
    }
  });
  for (std::thread& writer : writers) writer.join();
  done.store(true);
  reader.join();
  EXPECT_EQ(count_of(folder), 1U);
}

TEST(AppendDurable, MakesAndExtends) {
  const TempFolder folder;
  const Root root = folder.root();
  ASSERT_TRUE(append_durable(root, "log", "one\n").ok());
  ASSERT_TRUE(append_durable(root, "log", "").ok());
  ASSERT_TRUE(append_durable(root, "log", "two\n").ok());
  EXPECT_EQ(folder.read("log"), "one\ntwo\n");
}

TEST(AppendDurable, FollowsALinkOnlyInside) {
  const TempFolder outside;
  outside.write("victim", "untouched");
  const TempFolder folder;
  folder.link(outside.path() + "/victim", "evil");
  folder.link("log", "current");
  EXPECT_FALSE(append_durable(folder.root(), "evil", "x").ok());
  EXPECT_EQ(outside.read("victim"), "untouched");
  EXPECT_TRUE(append_durable(folder.root(), "current", "x").ok());
  EXPECT_EQ(folder.read("log"), "x");
}

TEST(AppendDurable, RefusesAFolder) {
  const TempFolder folder;
  folder.make_folder("sub");
  EXPECT_FALSE(append_durable(folder.root(), "sub", "x").ok());
}

TEST(RemoveTemporaries, RemovesWhatACrashLeft) {
  const TempFolder folder;
  for (const char* name : {".sluice-1-0.tmp", ".sluice-77-3.tmp", "a", ".sluice", "x.tmp"})
    folder.write(name, "x");
  EXPECT_EQ(*remove_temporaries(folder.root(), ""), 2U);
  EXPECT_EQ(count_of(folder), 3U);
  EXPECT_FALSE(remove_temporaries(folder.root(), "missing").ok());
}

}  // namespace
}  // namespace sluice::fs
