#include "sluice/fs/root.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace sluice::fs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names(const Listing& listing) {
  std::vector<std::string> found;
  for (const Entry& entry : listing.entries) found.push_back(entry.name);
  return found;
}

// Every rule about escapes holds with the kernel's resolution and with our own.
class RootRules : public testing::TestWithParam<Resolution> {
 protected:
  RootRules() {
    outside_.write("secret", "secret");
    folder_.write("a.txt", "a");
    folder_.write("sub/b.txt", "b");
  }

  Root root(Symlinks symlinks = Symlinks::kInside) const {
    return folder_.root({.symlinks = symlinks, .resolution = GetParam()});
  }

  // Neither opened nor described, and the error does not tell where the folder is.
  void expect_unreachable(std::string_view path) const {
    for (const Symlinks symlinks : {Symlinks::kInside, Symlinks::kRefuse}) {
      const Root beneath = root(symlinks);
      const auto file = beneath.open_beneath(path);
      ASSERT_FALSE(file.ok()) << path;
      EXPECT_THAT(file.error().message, Not(HasSubstr(folder_.path()))) << path;
      EXPECT_THAT(file.error().message, Not(HasSubstr(outside_.path()))) << path;
      EXPECT_FALSE(beneath.stat(path).ok()) << path;
      EXPECT_FALSE(beneath.list(path).ok()) << path;
    }
  }

  TempFolder folder_;
  TempFolder outside_;
};

INSTANTIATE_TEST_SUITE_P(Resolutions, RootRules,
                         testing::Values(Resolution::kKernel, Resolution::kComponents), [](const auto& each) {
                           return each.param == Resolution::kKernel ? "Kernel" : "Components";
                         });

TEST_P(RootRules, OpensWhatIsBeneath) {
  EXPECT_EQ(*root().open_beneath("a.txt")->read_all(10), "a");
  EXPECT_EQ(*root().open_beneath("sub/b.txt")->read_all(10), "b");
}

TEST_P(RootRules, RefusesPathsThatAreNotPlain) {
  const std::string_view paths[] = {"/etc/passwd",
                                    "..",
                                    "../a.txt",
                                    "sub/../a.txt",
                                    "sub/..",
                                    "../../../../etc/passwd",
                                    "./a.txt",
                                    ".",
                                    "sub/./b.txt",
                                    "sub//b.txt",
                                    "sub/",
                                    "//a.txt",
                                    "/",
                                    std::string_view("a.txt\0.png", 10),
                                    std::string_view("\0", 1)};
  for (const std::string_view path : paths) {
    const auto file = root().open_beneath(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_EQ(file.error().code, "invalid_path") << path;
    expect_unreachable(path);
  }
}

TEST_P(RootRules, RefusesPathsThatAreTooLong) {
  EXPECT_EQ(root().open_beneath(std::string(256, 'a')).error().code, "invalid_path");
  EXPECT_EQ(root().open_beneath(std::string(255, 'a')).error().kind, ErrorKind::kNotFound);
  std::string deep = "a";
  while (deep.size() < 4096) deep += "/a";
  EXPECT_EQ(root().open_beneath(deep).error().code, "invalid_path");
  EXPECT_LT(root().open_beneath(std::string(1'000'000, 'a')).error().message.size(), 400U);
}

TEST_P(RootRules, TakesNamesThatOnlyLookLikeEscapes) {
  for (const char* name : {"...", "..a", "a..", "%2e%2e", "\\..\\a", "~", "$HOME", "-rf", " "}) {
    folder_.write(name, "x");
    EXPECT_TRUE(root().open_beneath(name).ok()) << name;
  }
}

TEST_P(RootRules, SaysWhatIsMissingByItsRelativePath) {
  const auto file = root().open_beneath("sub/missing.txt");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(file.error().message, HasSubstr("sub/missing.txt"));
  EXPECT_THAT(file.error().message, Not(HasSubstr(folder_.path())));
  EXPECT_EQ(root().open_beneath("a.txt/b").error().kind, ErrorKind::kNotFound);
}

TEST_P(RootRules, DoesNotFollowALinkToTheOutside) {
  folder_.link("/etc", "absolute");
  folder_.link("/", "top");
  folder_.link(outside_.path(), "folder");
  folder_.link(outside_.path() + "/secret", "file");
  folder_.link("../" + outside_.at("").parent_path().filename().string() + "/secret", "relative");
  folder_.link("..", "sub/up_is_fine");
  folder_.link("../..", "sub/up");
  folder_.link("/proc/self/cwd", "magic");
  folder_.link("folder/secret", "chain");
  for (const char* path :
       {"absolute/passwd", "absolute", "top/etc/passwd", "folder", "folder/secret", "file", "relative",
        "sub/up", "sub/up/x", "magic", "magic/CMakeCache.txt", "chain", "sub/up_is_fine/folder/secret"}) {
    expect_unreachable(path);
  }
}

TEST_P(RootRules, DoesNotConfuseASiblingWithTheSamePrefix) {
  TempFolder parent;
  parent.write("data/a", "inside");
  parent.write("data-secret/a", "secret");
  parent.link("../data-secret", "data/x");
  parent.link("../data-secret/a", "data/y");
  const Root data = Root::open(parent.path() + "/data", {.resolution = GetParam()}).value();
  for (const char* path : {"../data-secret/a", "-secret/a", "x/a", "x", "y"}) {
    EXPECT_FALSE(data.open_beneath(path).ok()) << path;
  }
  EXPECT_THAT(names(*data.list("")), ElementsAre("a"));
}

TEST_P(RootRules, RefusesWhatIsNotARegularFile) {
  ASSERT_EQ(::mkfifo(folder_.at("pipe").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder_.at("socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
  EXPECT_EQ(root().open_beneath("pipe").error().kind,
            ErrorKind::kForbidden);  // And does not wait for a writer.
  EXPECT_FALSE(root().open_beneath("socket").ok());
  EXPECT_EQ(root().open_beneath("sub").error().kind, ErrorKind::kInvalidInput);
  EXPECT_FALSE(root().open_beneath("").ok());
  EXPECT_EQ(root().stat("pipe")->kind, EntryKind::kOther);
}

TEST_P(RootRules, ListsInOrderWithWhatIsThere) {
  folder_.write("Z", "12345");
  folder_.write("é", "");
  const Listing listing = root().list("").value();
  EXPECT_THAT(names(listing), ElementsAre("Z", "a.txt", "sub", "é"));
  EXPECT_FALSE(listing.truncated);
  EXPECT_EQ(listing.entries[0].kind, EntryKind::kFile);
  EXPECT_EQ(listing.entries[0].bytes, 5U);
  EXPECT_GT(listing.entries[0].modified, WallTime(std::chrono::seconds(1'600'000'000)));
  EXPECT_EQ(listing.entries[2].kind, EntryKind::kFolder);
  EXPECT_THAT(names(*root().list("sub")), ElementsAre("b.txt"));
}

TEST_P(RootRules, LeavesOutWhatCannotBeOpened) {
  folder_.link("/etc/passwd", "outside");
  folder_.link("nowhere", "dangling");
  folder_.link("self", "self");
  folder_.write("bad\xff", "x");
  folder_.write(".sluice-1-2.tmp", "x");
  EXPECT_THAT(names(*root().list("")), ElementsAre("a.txt", "sub"));
}

TEST_P(RootRules, FailsToListWhatIsNoFolder) {
  EXPECT_FALSE(root().list("a.txt").ok());
  EXPECT_EQ(root().list("missing").error().kind, ErrorKind::kNotFound);
}

TEST(RootLinks, AreFollowedWhileTheyStayInside) {
  const TempFolder folder;
  folder.write("data/a", "inside");
  folder.write("b", "b");
  folder.link("data", "latest");
  folder.link("../b", "data/up");
  const Root root = folder.root();
  EXPECT_EQ(*root.open_beneath("latest/a")->read_all(10), "inside");
  EXPECT_EQ(*root.open_beneath("latest/up")->read_all(10), "b");
  EXPECT_THAT(names(*root.list("latest")), ElementsAre("a", "up"));
  const Entry entry = root.stat("latest").value();
  EXPECT_TRUE(entry.is_link);
  EXPECT_EQ(entry.kind, EntryKind::kFolder);
  EXPECT_FALSE(root.stat("data")->is_link);
}

TEST(RootLinks, CanBeRefusedAltogether) {
  const TempFolder folder;
  folder.write("data/a", "inside");
  folder.link("data", "latest");
  const Root root = folder.root({.symlinks = Symlinks::kRefuse});
  EXPECT_EQ(root.open_beneath("latest/a").error().kind, ErrorKind::kForbidden);
  EXPECT_THAT(names(*root.list("")), ElementsAre("data"));
}

TEST(Root, NamesOnlyTheLastPartOfAFolderThatCannotBeOpened) {
  const TempFolder folder;
  folder.write("file", "x");
  for (const char* name : {"missing", "file"}) {
    const auto root = Root::open(folder.path() + "/" + name);
    ASSERT_FALSE(root.ok());
    EXPECT_THAT(root.error().message, HasSubstr(name));
    EXPECT_THAT(root.error().message, Not(HasSubstr(folder.path())));
  }
}

TEST(Root, StaysWithTheFolderThatWasOpened) {
  const TempFolder folder;
  folder.write("data/a", "first");
  const Root root = Root::open(folder.path() + "/data").value();
  folder.rename("data", "moved");
  folder.write("data/a", "second");
  EXPECT_EQ(*root.open_beneath("a")->read_all(10), "first");
}

}  // namespace
}  // namespace sluice::fs
