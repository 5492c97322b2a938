#include "sluice/fs/plain_tree.h"

#include <sys/stat.h>

#include <string>

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace sluice::fs {
namespace {

TEST(PlainTree, OfFilesAndFoldersIsPlain) {
  const TempFolder folder;
  folder.write("a/b/c.txt", "x");
  EXPECT_TRUE(check_plain_tree(folder.root(), "").ok());
  EXPECT_TRUE(check_plain_tree(folder.root(), "a").ok());
  EXPECT_FALSE(check_plain_tree(folder.root(), "none").ok());
}

TEST(PlainTree, IsNotPlainWithLinksOrPipes) {
  for (const char* target : {"c.txt", "/etc/passwd", "nowhere", ".."}) {
    const TempFolder folder;
    folder.write("a/c.txt", "x");
    folder.link(target, "a/link");
    EXPECT_EQ(check_plain_tree(folder.root(), "").error().kind, ErrorKind::kForbidden) << target;
  }
  const TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(check_plain_tree(folder.root(), "").error().kind, ErrorKind::kForbidden);
}

TEST(PlainTree, LooksOnlyAtWhatIsOfConcern) {
  const TempFolder folder;
  folder.write("a/c.txt", "x");
  folder.link("/etc", "a/link");
  folder.link("/etc", "skipped");
  PlainTreeOptions options;
  options.skips = [](std::string_view path) { return path == "skipped"; };
  options.concerns = [](std::string_view path) { return !path.ends_with("link"); };
  EXPECT_TRUE(check_plain_tree(folder.root(), "", options).ok());
}

TEST(PlainTree, IsBounded) {
  const TempFolder folder;
  folder.write("a", "12345");
  folder.write("b", "1");
  EXPECT_EQ(check_plain_tree(folder.root(), "", {.file_bytes_max = 4}).error().kind, ErrorKind::kForbidden);
  EXPECT_TRUE(check_plain_tree(folder.root(), "", {.file_bytes_max = 5}).ok());
  EXPECT_EQ(check_plain_tree(folder.root(), "", {.entries_max = 1}).error().kind, ErrorKind::kLimitReached);
}

}  // namespace
}  // namespace sluice::fs
