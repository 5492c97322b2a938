#include "sluice/fs/file.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace sluice::fs {
namespace {

TEST(File, ReadsEverythingWithinTheBound) {
  const TempFolder folder;
  const std::string text(700'000, 'x');
  folder.write("a", text);
  folder.write("empty", "");
  const Root root = folder.root();
  EXPECT_EQ(*root.open_beneath("a")->read_all(700'000), text);
  EXPECT_EQ(*root.open_beneath("empty")->read_all(0), "");
}

TEST(File, RefusesToReadMoreThanTheBound) {
  const TempFolder folder;
  folder.write("a", "12345");
  const auto bytes = folder.root().open_beneath("a")->read_all(4);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().kind, ErrorKind::kLimitReached);
}

TEST(File, StopsAtTheBoundWhereTheSizeIsNotTold) {
  const Root root = Root::open("/proc/self").value();  // Files of /proc say that they are empty.
  const auto file = root.open_beneath("status");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->status()->bytes, 0U);
  EXPECT_GT(file->read_all(1'000'000)->size(), 100U);
  EXPECT_FALSE(file->read_all(10).ok());
}

TEST(File, ReadsAPart) {
  const TempFolder folder;
  folder.write("a", "0123456789");
  const File file = folder.root().open_beneath("a").value();
  EXPECT_EQ(*file.read_at(0, 3), "012");
  EXPECT_EQ(*file.read_at(7, 100), "789");
  EXPECT_EQ(*file.read_at(10, 1), "");
  EXPECT_EQ(*file.read_at(1'000'000, 1), "");
  EXPECT_EQ(*file.read_at(5, 0), "");
  EXPECT_EQ(*file.read_at(std::numeric_limits<std::uint64_t>::max(), 10), "");
  EXPECT_EQ(*file.read_at(static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), 10), "");
}

TEST(File, BoundsOneRead) {
  const TempFolder folder;
  folder.write("a", "x");
  const auto bytes = folder.root().open_beneath("a")->read_at(0, std::numeric_limits<std::size_t>::max());
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().kind, ErrorKind::kLimitReached);
}

TEST(File, TellsItsSizeTimeAndIdentity) {
  const TempFolder folder;
  folder.write("a", "12345");
  const auto time = std::filesystem::file_time_type::clock::from_sys(
      std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(1'700'000'000'123'456'789)));
  std::filesystem::last_write_time(folder.at("a"), time);
  const Root root = folder.root();
  const FileStatus status = root.open_beneath("a")->status().value();
  EXPECT_EQ(status.bytes, 5U);
  EXPECT_EQ(status.modified, WallTime(std::chrono::nanoseconds(1'700'000'000'123'456'789)));
  EXPECT_EQ(status.identity, root.stat("a")->identity);
}

TEST(File, ChangesItsIdentityWhenItIsReplaced) {
  const TempFolder folder;
  folder.write("a", "old");
  const Root root = folder.root();
  const File old = root.open_beneath("a").value();
  folder.write("b", "new");
  folder.rename("b", "a");
  EXPECT_NE(old.status()->identity, root.open_beneath("a")->status()->identity);
  EXPECT_EQ(*old.read_all(100), "old");
}

}  // namespace
}  // namespace sluice::fs
