#include "sluice/fs/scan.h"

#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace sluice::fs {
namespace {

using testing::ElementsAre;

std::vector<std::string> paths(const Result<Scan>& scan) {
  std::vector<std::string> found;
  for (const ScannedEntry& each : scan.value().entries) found.push_back(each.path);
  return found;
}

TEST(Scan, FindsEverythingInOrderOfPath) {
  const TempFolder folder;
  for (const char* path : {"b/c/d", "b/a", "a", "b-x"}) folder.write(path, "x");
  const Root root = folder.root();
  EXPECT_THAT(paths(scan(root, "")), ElementsAre("a", "b", "b-x", "b/a", "b/c", "b/c/d"));
  EXPECT_THAT(paths(scan(root, "b")), ElementsAre("b/a", "b/c", "b/c/d"));
}

TEST(Scan, DoesNotRunInCircles) {
  const TempFolder folder;
  folder.write("a/x", "x");
  folder.link("..", "a/up");
  folder.link(".", "here");
  EXPECT_THAT(paths(scan(folder.root(), "")), ElementsAre("a", "a/up", "a/x", "here"));
}

TEST(Scan, SkipsWhatItIsToldToSkip) {
  const TempFolder folder;
  for (const char* path : {".git/config", "a"}) folder.write(path, "x");
  const auto skips = [](std::string_view path) { return path == ".git"; };
  EXPECT_THAT(paths(scan(folder.root(), "", {.skips = skips})), ElementsAre("a"));
}

TEST(Scan, IsBounded) {
  const TempFolder folder;
  for (int i = 0; i < 20; ++i) folder.write("f" + std::to_string(i), "x");
  const Scan found = scan(folder.root(), "", {.entries_max = 7}).value();
  EXPECT_EQ(found.entries.size(), 7U);
  EXPECT_TRUE(found.truncated);
}

TEST(Scan, StopsAtTheDepthThatAPathMayHave) {
  const TempFolder folder;
  std::string path = "d";
  for (int i = 1; i < 70; ++i) path += "/d";
  folder.make_folder(path);
  const Scan found = scan(folder.root(), "").value();
  EXPECT_EQ(found.entries.size(), 64U);
  EXPECT_TRUE(found.truncated);
}

TEST(Scan, CanBeStopped) {
  const TempFolder folder;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(scan(folder.root(), "", {.stop = stop.get_token()}).error().kind, ErrorKind::kCancelled);
}

TEST(Scan, SaysWhereThereIsNoFolder) {
  const TempFolder folder;
  EXPECT_EQ(scan(folder.root(), "missing").error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace sluice::fs
