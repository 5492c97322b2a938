// Logs, commits and diffs.

#include <algorithm>
#include <string>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string lines(const std::vector<std::string>& ids, const std::vector<std::string>& subjects) {
  std::string out;
  for (std::size_t i = 0; i < ids.size(); ++i) out += ids[i].substr(0, 10) + " " + subjects[i] + "\n";
  return out;
}

TEST(GitLog, HasTheLastTenCommitsInOneLineEach) {
  TestRepository repository;
  std::vector<std::string> ids;
  std::vector<std::string> subjects;
  for (int i = 0; i < 12; ++i) {
    ids.insert(ids.begin(), repository.commit("a.txt", std::to_string(i), "Commit " + std::to_string(i)));
    subjects.insert(subjects.begin(), "Commit " + std::to_string(i));
  }
  GitServer server(repository);
  ids.resize(10);
  EXPECT_EQ(server.text("git://log"), lines(ids, subjects));
  EXPECT_EQ(server.text("git://HEAD/commits"), server.text("git://log"));
  const WireMessage reply = server.reply("git://log");
  EXPECT_EQ(reply.text({"result", "contents", 0, "mimeType"}), "text/plain");
  EXPECT_EQ(reply.text({"result", "ttlMs"}), "60000");
  EXPECT_EQ(reply.text({"result", "cacheScope"}), "private");
}

TEST(GitLog, IsReadInPages) {
  TestRepository repository;
  std::vector<std::string> ids;
  for (int i = 0; i < 7; ++i) ids.insert(ids.begin(), repository.commit("a", std::to_string(i), "c"));
  GitServer server(repository);
  std::string uri = "git://log?limit=3";
  std::string all;
  int pages = 0;
  for (; !uri.empty() && pages < 10; ++pages) {
    all += server.text(uri);
    uri = server.meta(uri, "sluice/next");
  }
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(all, lines(ids, std::vector<std::string>(7, "c")));
  EXPECT_EQ(server.meta("git://main/commits?limit=3&format=json", "sluice/next"),
            "git://main/commits?after=" + ids[2] + "&limit=3&format=json");
  EXPECT_EQ(server.text("git://log?after=" + ids[6]), "");
  server.expect_not_found("git://log?after=0123456789012345678901234567890123456789");
}

TEST(GitLog, OfAPathHasTheCommitsThatChangedIt) {
  TestRepository repository;
  const std::string first = repository.commit("src/a.txt", "1", "first");
  repository.commit("b.txt", "1", "other");
  const std::string second = repository.commit("src/a.txt", "2", "second");
  repository.commit("b.txt", "2", "other");
  repository.git({"rm", "-q", "src/a.txt"});
  const std::string third = repository.commit_staged("third");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://log?path=src/a.txt"),
            lines({third, second, first}, {"third", "second", "first"}));
  EXPECT_EQ(server.text("git://log?path=src"), server.text("git://log?path=src/a.txt"));
  EXPECT_EQ(server.text("git://log?path=none"), "");
  EXPECT_EQ(server.text("git://log?path=:(exclude)src"), "");
}

TEST(GitLog, AsJsonHasAddressesAndTimes) {
  TestRepository repository;
  const std::string first = repository.commit("a", "1", "one");
  const std::string second = repository.commit("a", "2", "two\n\nbody");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://log?format=json&limit=1"),
            R"({"commits":[{"id":")" + second + R"(","parents":[")" + first +
                R"("],"author":{"name":"Ada","email":"ada@example.org"},)"
                R"("time":"2026-01-01T00:02:00Z","subject":"two"}]})");
  EXPECT_THAT(server.text("git://log"), Not(HasSubstr("example.org")));
  EXPECT_EQ(server.reply("git://log?format=json").text({"result", "contents", 0, "mimeType"}),
            "application/json");
}

TEST(GitLog, OfARepositoryWithoutCommitsIsEmpty) {
  const TestRepository repository;
  GitServer server(repository);
  EXPECT_EQ(server.text("git://log"), "");
  EXPECT_EQ(server.text("git://log?format=json"), R"({"commits":[]})");
  EXPECT_EQ(server.text("git://branches"), "");
  server.expect_not_found("git://main/commits");
  server.expect_not_found("git://HEAD/a.txt");
  server.expect_not_found("git://log?after=0123456789012345678901234567890123456789");
}

TEST(GitLog, OfAShallowCloneEndsWhereItEnds) {
  TestRepository source;
  for (int i = 0; i < 5; ++i) source.commit("a", std::to_string(i), "commit " + std::to_string(i));
  const TestRepository clone;
  clone.git({"fetch", "-q", "--depth", "2", "file://" + source.path(), "main"});
  clone.git({"update-ref", "refs/heads/main", clone.git({"rev-parse", "FETCH_HEAD"})});
  GitServer server(clone);
  const std::string log = server.text("git://log");
  EXPECT_EQ(log.substr(11, 9), "commit 4\n");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2);
  EXPECT_EQ(server.text("git://log?path=a"), log);
  const std::string last = log.substr(20, 10);
  EXPECT_THAT(server.text("git://commit/" + last), HasSubstr("A\ta\n"));
}

TEST(GitLog, IsInTheOrderOfGit) {
  TestRepository repository;
  std::string stream;
  const auto add = [&](int mark, int time, const std::string& parents) {
    const std::string subject = std::to_string(mark);
    stream += "commit refs/heads/main\nmark :" + subject + "\ncommitter Ada <a@b> " + std::to_string(time) +
              " +0000\ndata " + std::to_string(subject.size()) + "\n" + subject + "\n" + parents + "\n";
  };
  add(1, 1'000, "");
  for (int i = 2; i < 60;
       ++i) {  // Times are not those of ancestry, some are equal, and every third is a merge.
    std::string parents = "from :" + std::to_string(i - 1) + "\n";
    if (i % 3 == 0) parents += "merge :" + std::to_string(i / 2) + "\nmerge :" + std::to_string(i / 3) + "\n";
    add(i, 1'000 + (i * 37) % 23, parents);
  }
  repository.git({"fast-import", "--quiet"}, stream);
  GitServer server(repository);
  EXPECT_EQ(server.text("git://log?limit=100"),
            repository.git({"log", "--abbrev=10", "--format=%h %s"}) + "\n");
}

TEST(GitLog, PagesAreBoundedInBytes) {
  TestRepository repository;
  std::string stream;
  for (int i = 0; i < 600; ++i)
    stream += "commit refs/heads/main\ncommitter Ada <a@b> " + std::to_string(1'000 + i) +
              " +0000\ndata 400\n" + std::string(400, 'x') + "\n";
  repository.git({"fast-import", "--quiet"}, stream);
  GitServer server(repository);
  std::string uri = "git://log?limit=1000";
  std::ptrdiff_t commits = 0;
  int pages = 0;
  for (; !uri.empty() && pages < 10; ++pages) {
    const std::string text = server.text(uri);
    EXPECT_THAT(text, Not(HasSubstr("truncated")));
    commits += std::count(text.begin(), text.end(), '\n');
    uri = server.meta(uri, "sluice/next");
  }
  EXPECT_EQ(commits, 600);
  EXPECT_EQ(pages, 3);
}

TEST(GitLog, FollowsMerges) {
  TestRepository repository;
  repository.commit("a", "1", "base");
  repository.git({"checkout", "-q", "-b", "side"});
  const std::string side = repository.commit("b", "1", "on the side");
  repository.git({"checkout", "-q", "main"});
  const std::string main = repository.commit("a", "2", "on main");
  repository.git({"merge", "-q", "--no-ff", "-m", "merged", "side"});
  GitServer server(repository);
  EXPECT_THAT(server.text("git://log"), HasSubstr("on the side"));
  EXPECT_THAT(server.text("git://log"), HasSubstr("on main"));
  EXPECT_THAT(server.text("git://commit/HEAD"),
              HasSubstr("\nMerge: " + main.substr(0, 10) + " " + side.substr(0, 10) + "\n"));
  EXPECT_THAT(server.text("git://commit/HEAD"), HasSubstr("A\tb\n"));  // Against the first parent.
  EXPECT_EQ(server.text("git://main/commits?path=b").substr(11), "on the side\n");
}

TEST(GitCommit, HasHeadMessageFilesAndPatch) {
  TestRepository repository;
  repository.commit("a.txt", "one\n", "first");
  const std::string id = repository.commit("a.txt", "two\n", "Second\n\nBecause of it.\n");
  GitServer server(repository);
  const std::string text = server.text("git://commit/" + id);
  EXPECT_THAT(text,
              StartsWith("commit " + id +
                         "\nAuthor: Ada\nDate:   2026-01-01T00:02:00Z\n\n"
                         "    Second\n    \n    Because of it.\n\nM\ta.txt\n\ndiff --git a/a.txt b/a.txt\n"));
  EXPECT_THAT(text, EndsWith("@@ -1 +1 @@\n-one\n+two\n"));
  EXPECT_EQ(server.text("git://commit/" + id.substr(0, 8)), text);
  const json::Value read = server.json("git://commit/" + id + "?format=json");
  EXPECT_EQ(json::to_text(*read.find("files")),
            R"([{"status":"M","path":"a.txt","additions":1,"deletions":1}])");
  EXPECT_EQ(*read.find("message")->if_string(), "Second\n\nBecause of it.\n");
}

TEST(GitCommit, ThatIsTheFirstAddsEverything) {
  TestRepository repository;
  const std::string id = repository.commit("a.txt", "one\n", "first");
  GitServer server(repository);
  EXPECT_THAT(server.text("git://commit/" + id), HasSubstr("A\ta.txt\n"));
}

TEST(GitCommit, InAnotherEncodingIsConverted) {
  TestRepository repository;
  repository.git({"config", "i18n.commitEncoding", "ISO-8859-1"});
  repository.commit("a.txt", "one\n", "caf\xe9");
  GitServer server(repository);
  EXPECT_THAT(server.text("git://log"), EndsWith(" café\n"));
  EXPECT_THAT(server.text("git://commit/HEAD"), HasSubstr("    café\n"));
}

TEST(GitDiff, OfARangeComparesItsEnds) {
  TestRepository repository;
  repository.commit("a.txt", "one\n", "base");
  repository.git({"checkout", "-q", "-b", "feature/x"});
  repository.commit("b.txt", "new\n", "on the branch");
  repository.git({"checkout", "-q", "main"});
  repository.commit("c.txt", "main\n", "on main");
  GitServer server(repository);
  EXPECT_THAT(server.text("git://diff/main..feature%2Fx"), StartsWith("A\tb.txt\nD\tc.txt\n\ndiff --git"));
  EXPECT_THAT(server.text("git://diff/main..feature/x"), StartsWith("A\tb.txt\nD\tc.txt\n"));
  EXPECT_THAT(server.text("git://diff/main...feature/x"), StartsWith("A\tb.txt\n\ndiff --git"));
  EXPECT_EQ(server.text("git://diff/main..main"), "");
  const json::Value read = server.json("git://diff/main...feature/x?format=json");
  EXPECT_EQ(json::to_text(*read.find("files")),
            R"([{"status":"A","path":"b.txt","additions":1,"deletions":0}])");
  for (const char* uri : {"git://diff/main", "git://diff/main..", "git://diff/..main",
                          "git://diff/main....main", "git://diff/", "git://diff/main..none"})
    server.expect_not_found(uri);
}

TEST(GitDiff, FindsRenamesAndBinaries) {
  TestRepository repository;
  repository.commit("old.txt", std::string(2'000, 'x') + "\n", "base");
  repository.git({"mv", "old.txt", "new.txt"});
  repository.commit("image.bin", std::string("\0\1\2", 3), "renamed");
  GitServer server(repository);
  const json::Value read = server.json("git://commit/HEAD?format=json");
  EXPECT_EQ(json::to_text(*read.find("files")),
            R"([{"status":"A","path":"image.bin","binary":true},)"
            R"({"status":"R","path":"new.txt","oldPath":"old.txt","additions":0,"deletions":0}])");
  EXPECT_THAT(server.text("git://commit/HEAD"), HasSubstr("R\told.txt\tnew.txt\n"));
}

TEST(GitDiff, IsBounded) {
  TestRepository repository;
  repository.commit("base", "1", "base");
  for (int i = 0; i < 1'500; ++i)
    repository.files().write("many/" + std::to_string(i), std::string(200, 'x') + "\n");
  repository.git({"add", "."});
  repository.commit_staged("many");
  GitServer server(repository);
  const std::string text = server.text("git://commit/HEAD");
  EXPECT_THAT(text, HasSubstr("[500 more files]\n"));
  EXPECT_THAT(text, EndsWith("\n\n[Content truncated...]"));
  EXPECT_LE(text.size(), 100U * 1024 + 100);
  const json::Value read = server.json("git://commit/HEAD?format=json");
  EXPECT_EQ(json::to_text(*read.find("total")), "1500");
  EXPECT_EQ(read.find("files")->if_array()->size(), 1'000U);
  const std::string next = server.meta("git://commit/HEAD?format=json", "sluice/next");
  EXPECT_EQ(next, "git://commit/HEAD?format=json&offset=1000");
  EXPECT_EQ(server.json(next).find("files")->if_array()->size(), 500U);
  EXPECT_EQ(server.meta(next, "sluice/next"), "");
}

TEST(GitDiff, ThatIsLongIsReadInParts) {
  TestRepository repository;
  repository.commit("a", "short", "base");
  std::string lines;
  for (int i = 0; i < 30'000; ++i) lines += "line " + std::to_string(i) + " €\n";
  repository.commit("a", lines, "long");
  GitServer server(repository);
  const std::string expected = repository.git({"show", "--format=", "--no-color", "HEAD"});
  repository.git({"branch", "base", "main~1"});
  for (const std::string start : {"git://commit/HEAD", "git://diff/base..main"}) {
    std::string joined;
    std::string uri = start;
    for (int pages = 0; pages < 20 && !uri.empty(); ++pages) {
      std::string text = server.text(uri);
      uri = server.meta(uri, "sluice/next");
      if (!uri.empty()) text.resize(text.rfind("\n\n[Content"));
      joined += text;
    }
    EXPECT_THAT(joined, EndsWith(expected.substr(expected.find("@@")) + "\n")) << start;
  }
  EXPECT_EQ(server.text("git://commit/HEAD?offset=0&length=7"), "commit ");
}

}  // namespace
}  // namespace sluice::git::testing
