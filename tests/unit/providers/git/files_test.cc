// Files and folders at a ref.

#include <string>

#include <gmock/gmock.h>

#include "sluice/base/base64.h"

#include "git_server.h"

namespace sluice::git::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(GitFiles, AreReadAsTheyWere) {
  TestRepository repository;
  const std::string first = repository.commit("a.md", "# one", "first");
  repository.commit("a.md", "# two", "second");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://main/a.md"), "# two");
  EXPECT_EQ(server.text("git://" + first + "/a.md"), "# one");
  EXPECT_EQ(server.text("git://" + first.substr(0, 7) + "/a.md"), "# one");
  EXPECT_EQ(server.reply("git://main/a.md").text({"result", "contents", 0, "mimeType"}), "text/markdown");
  repository.files().write("a.md", "not committed");
  EXPECT_EQ(server.text("git://main/a.md"), "# two");
  for (const char* uri : {"git://main/b.md", "git://main/a.md/", "git://main/a.md/b", "git://none/a.md"})
    server.expect_not_found(uri);
}

TEST(GitFiles, ThatAreLargeAreReadInParts) {
  TestRepository repository;
  repository.commit("large.txt", std::string(100 * 1024, 'a') + "rest", "c");
  repository.commit("large.bin", std::string(100 * 1024 + 1, '\0'), "c");
  GitServer server(repository);
  EXPECT_THAT(server.text("git://main/large.txt"), EndsWith("a\n\n[Content truncated...]"));
  EXPECT_EQ(server.meta("git://main/large.txt", "sluice/size"), "102404");
  EXPECT_EQ(server.meta("git://main/large.txt", "sluice/next"), "git://main/large.txt?offset=102400");
  EXPECT_EQ(server.text("git://main/large.txt?offset=102400"), "rest");
  EXPECT_EQ(server.text("git://main/large.txt?offset=102398&length=3"), "aar");
  const WireMessage refused = server.reply("git://main/large.bin");
  EXPECT_EQ(refused.text({"error", "data", "code"}), "resource_too_large");
  EXPECT_THAT(refused.text({"error", "data", "hint"}),
              HasSubstr("git://main/large.bin?offset=0&length=102400"));
  EXPECT_EQ(base64_decode(
                server.reply("git://main/large.bin?offset=102400").text({"result", "contents", 0, "blob"}))
                .value_or("none"),
            std::string(1, '\0'));
}

TEST(GitFiles, InOtherEncodingsAreConverted) {
  TestRepository repository;
  repository.commit("a.txt",
                    std::string("\xFF\xFE"
                                "h\0\xE9\0",
                                6),
                    "c");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://main/a.txt"), "hé");
}

TEST(GitFolders, AreListed) {
  TestRepository repository;
  repository.commit("src/deep/a.cc", "int a;", "c");
  repository.commit("src/b.cc", "int b;", "c");
  GitServer server(repository);
  const std::string listing =
      R"({"entries":[{"uri":"git://main/src/b.cc","name":"b.cc","mimeType":"text/x-c++","size":6},)"
      R"({"uri":"git://main/src/deep/","name":"deep","mimeType":"inode/directory"}],"total":2})";
  EXPECT_EQ(server.text("git://main/src/"), listing);
  EXPECT_EQ(server.text("git://main/src"), listing);
  EXPECT_EQ(server.text("git://main"), server.text("git://main/"));
  EXPECT_EQ(server.reply("git://main/").text({"result", "contents", 0, "mimeType"}), "inode/directory");
  server.expect_not_found("git://main/src/?offset=0");
}

TEST(GitFolders, ShowSubmodulesAsLinks) {
  TestRepository inner;
  const std::string id = inner.commit("secret", "of the submodule", "c");
  TestRepository repository;
  repository.git({"-c", "protocol.file.allow=always", "submodule", "-q", "add", inner.path(), "sub"});
  repository.commit_staged("with a submodule");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://main/sub"), "Subproject commit " + id + "\n");
  EXPECT_EQ(server.meta("git://main/sub", "sluice/submodule"), id);
  EXPECT_THAT(server.text("git://main/"),
              HasSubstr(R"("mimeType":"application/x-git-commit","commit":")" + id));
  server.expect_not_found("git://main/sub/secret");
  server.expect_not_found("git://main/sub/");
  EXPECT_EQ(server.text("git://status"), "## main\n");
}

TEST(GitFiles, OfLfsAreShownAsThePointersTheyAre) {
  TestRepository repository;
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, '0') + "\nsize 12345\n";
  repository.commit("photo.png", pointer, "c");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://main/photo.png"), pointer);
  EXPECT_EQ(server.meta("git://main/photo.png", "sluice/lfsPointer"), "true");
}

TEST(GitFiles, ThatAreLinksGiveTheirTarget) {
  TestRepository repository;
  repository.files().link("/etc/passwd", "link");
  repository.files().link("src", "folder");
  repository.commit("src/a.txt", "x", "c");
  repository.git({"add", "."});
  repository.commit_staged("links");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://main/link"), "/etc/passwd");
  EXPECT_EQ(server.meta("git://main/link", "sluice/symlink"), "true");
  EXPECT_THAT(server.text("git://main/"), HasSubstr(R"("name":"link","mimeType":"inode/symlink","size":11)"));
  server.expect_not_found("git://main/folder/a.txt");
}

TEST(GitFiles, AFolderOfManyFilesIsListedInPages) {
  TestRepository repository;
  for (int i = 0; i < 1'500; ++i) repository.files().write("many/" + std::to_string(i) + " &", "x");
  repository.git({"add", "."});
  repository.commit_staged("many");
  GitServer server(repository);
  const std::string next = server.meta("git://main/many", "sluice/next");
  EXPECT_THAT(next, ::testing::StartsWith("git://main/many/?after="));
  EXPECT_EQ(server.json("git://main/many").find("entries")->if_array()->size(), 1'000U);
  EXPECT_EQ(server.json(next).find("entries")->if_array()->size(), 500U);
  EXPECT_EQ(server.meta(next, "sluice/next"), "");
  server.expect_not_found("git://main/many/?after=none");
  server.expect_not_found("git://main/many/1%20%26?after=x");
}

}  // namespace
}  // namespace sluice::git::testing
