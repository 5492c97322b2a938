// What differs in the working tree.

#include <string>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

TEST(GitStatus, IsThatOfPorcelain) {
  TestRepository repository;
  for (const char* name : {"changed", "gone", "staged", "same"}) repository.commit(name, "one", "c");
  repository.commit(".gitignore", "*.log\n", "c");
  const fs::TempFolder& files = repository.files();
  files.write("changed", "two and more");
  files.remove("gone");
  files.write("staged", "two and more");
  repository.git({"add", "staged"});
  files.write("added", "new");
  repository.git({"add", "added"});
  files.write("x.log", "ignored");
  files.write("new/file", "untracked");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://status"), "## main\nA  added\n M changed\n D gone\n?? new/\nM  staged\n");
  const json::Value read = server.json("git://status?format=json");
  EXPECT_EQ(json::to_text(*read.find("branch")), R"("main")");
  EXPECT_EQ(json::to_text((*read.find("entries")->if_array())[1]),
            R"({"path":"changed","index":" ","worktree":"M"})");
  EXPECT_EQ(json::to_text(*read.find("total")), "5");
  EXPECT_EQ(server.reply("git://status").text({"result", "ttlMs"}), "0");
}

TEST(GitStatus, IsNeverKeptWhateverTheOperatorAllowsOfTheRest) {
  TestRepository repository;
  repository.commit("a", "one", "c");
  GitServer server({{.name = "r", .path = repository.path(), .ttl = std::chrono::seconds(7)}});
  EXPECT_EQ(server.reply("git://log").text({"result", "ttlMs"}), "7000");
  EXPECT_EQ(server.reply("git://status").text({"result", "ttlMs"}), "0");
}

TEST(GitStatus, AStagedRenameIsOne) {
  TestRepository repository;
  repository.commit("old.txt", "one\ntwo\nthree\n", "first");
  repository.git({"mv", "old.txt", "new.txt"});
  GitServer server(repository);
  EXPECT_EQ(server.text("git://status"), "## main\nR  old.txt -> new.txt\n");
  EXPECT_EQ(json::to_text(*server.json("git://status?format=json").find("entries")),
            R"([{"path":"new.txt","index":"R","oldPath":"old.txt","worktree":" "}])");
}

TEST(GitStatus, OfNoCommitsSaysSo) {
  TestRepository repository;
  repository.files().write("a", "x");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://status"), "## No commits yet on main\n?? a\n");
}

TEST(GitStatus, ChangesNothing) {
  TestRepository repository;
  repository.commit("a", "1", "c");
  const std::string before = repository.files().read(".git/index");
  std::filesystem::last_write_time(repository.files().at("a"), std::filesystem::file_time_type::clock::now());
  GitServer server(repository);
  EXPECT_EQ(server.text("git://status"), "## main\n");
  EXPECT_EQ(repository.files().read(".git/index"), before);
}

}  // namespace
}  // namespace sluice::git::testing
