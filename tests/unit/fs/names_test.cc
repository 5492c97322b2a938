#include "sluice/fs/names.h"

#include <sys/stat.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/fs/place.h"

#include "temp_folder.h"

namespace sluice::fs {
namespace {

using testing::UnorderedElementsAre;

std::vector<std::string> described(const Result<std::vector<Name>>& names) {
  std::vector<std::string> out;
  for (const Name& name : names.value()) {
    const char* kind = name.kind == EntryKind::kFile     ? "file "
                       : name.kind == EntryKind::kFolder ? "folder "
                                                         : "other ";
    out.push_back((name.is_link ? "linked " : "") + std::string(kind) + name.name);
  }
  return out;
}

TEST(Names, AreThoseOfTheListingWithTheirKinds) {
  const TempFolder folder;
  folder.write("a/b.txt", "x");
  folder.write("a/c/d.txt", "x");
  folder.link("b.txt", "a/inside");
  folder.link("/etc/passwd", "a/outside");
  folder.link("nowhere", "a/dangling");
  folder.write("a/\xff", "not UTF-8");
  ASSERT_EQ(::mkfifo(folder.at("a/pipe").c_str(), 0600), 0);
  EXPECT_THAT(described(list_names(folder.root(), "a")),
              UnorderedElementsAre("file b.txt", "folder c", "linked file inside", "other pipe"));
  EXPECT_EQ(list_names(folder.root(), "none").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(list_names(folder.root(), "../a").error().kind, ErrorKind::kInvalidInput);
}

TEST(Place, TellsWhetherAnotherFolderStandsThere) {
  const TempFolder folder;
  folder.make_folder("served");
  const std::string path = folder.at("served");
  const Root root = Root::open(path).value();
  EXPECT_TRUE(is_at(root, path));
  folder.rename("served", "away");
  EXPECT_TRUE(is_at(root, path));  // Nothing has taken its place.
  folder.make_folder("served");
  EXPECT_FALSE(is_at(root, path));
}

}  // namespace
}  // namespace sluice::fs
