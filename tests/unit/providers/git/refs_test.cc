// Branches, tags, and how a URI names a ref.

#include <string>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPathTemplate = "git://{ref}/{+path}";

TEST(GitOffers, AreListed) {
  TestRepository repository;
  repository.commit("a", "1", "c");
  GitServer server(repository);
  EXPECT_THAT(server.listed("resources/list", "resources", "uri"),
              ElementsAre("git://branches", "git://log", "git://status", "git://tags"));
  EXPECT_THAT(server.listed("resources/templates/list", "resourceTemplates", "uriTemplate"),
              ElementsAre("git://commit/{id}", "git://diff/{range}", "git://log{?limit,after,path,format}",
                          "git://{ref}/commits", "git://{ref}/{+path}"));
}

TEST(GitOffers, OfSeveralRepositoriesStandBehindTheirNames) {
  TestRepository one;
  one.commit("a", "of one", "c");
  TestRepository two;
  two.commit("a", "of two", "c");
  GitServer server({{.name = "two & more", .path = two.path()}, {.name = "one", .path = one.path()}});
  EXPECT_THAT(server.listed("resources/list", "resources", "uri"),
              ElementsAre("git://one/branches", "git://one/log", "git://one/status", "git://one/tags",
                          "git://two%20%26%20more/branches", "git://two%20%26%20more/log",
                          "git://two%20%26%20more/status", "git://two%20%26%20more/tags"));
  EXPECT_EQ(server.text("git://one/main/a"), "of one");
  EXPECT_EQ(server.text("git://two%20%26%20more/main/a"), "of two");
  EXPECT_EQ(server.completed("git://{repo}/{ref}/commits", "repo", "T"), R"(["two & more"])");
  EXPECT_EQ(server.completed("git://{repo}/{ref}/commits", "ref", "m", R"({"repo":"one"})"), R"(["main"])");
  for (const char* uri :
       {"git://main/a", "git://log", "git://one", "git://one/", "git://none/log", "git:///log"})
    server.expect_not_found(uri);
}

TEST(GitBranches, HaveTheirLastCommits) {
  TestRepository repository;
  const std::string first = repository.commit("a", "1", "first");
  repository.git({"branch", "feature/x"});
  const std::string second = repository.commit("a", "2", "second");
  repository.git({"update-ref", "refs/remotes/origin/main", first});
  GitServer server(repository);
  EXPECT_EQ(server.text("git://branches"), "  feature/x " + first.substr(0, 10) + " first\n* main " +
                                               second.substr(0, 10) + " second\n  origin/main " +
                                               first.substr(0, 10) + " first\n");
  const json::Value read = server.json("git://branches?format=json");
  EXPECT_EQ(json::to_text((*read.find("branches")->if_array())[1]),
            R"({"name":"main","id":")" + second +
                R"(","head":true,"remote":false,"time":"2026-01-01T00:02:00Z","subject":"second"})");
  repository.git({"pack-refs", "--all"});
  EXPECT_THAT(server.text("git://branches"), HasSubstr("feature/x"));
  EXPECT_EQ(server.text("git://feature%2Fx/a"), "1");
}

TEST(GitTags, AreAnnotatedOrNot) {
  TestRepository repository;
  const std::string id = repository.commit("a", "1", "first");
  repository.git({"tag", "light"});
  repository.git({"tag", "-a", "v1.0", "-m", "Release one"});
  repository.git({"tag", "of-a-tree", "HEAD^{tree}"});
  GitServer server(repository);
  EXPECT_THAT(server.text("git://tags"), HasSubstr("light " + id.substr(0, 10) + " first\n"));
  EXPECT_THAT(server.text("git://tags"), HasSubstr("v1.0 " + id.substr(0, 10) + " Release one\n"));
  EXPECT_THAT(server.text("git://tags?format=json"),
              HasSubstr(R"({"name":"v1.0","id":")" + id +
                        R"(","annotated":true,"tagger":{"name":"Ada","email":"ada@example.org"},)"));
  EXPECT_THAT(server.text("git://tags?format=json"), HasSubstr(R"("type":"tree")"));
  EXPECT_EQ(server.text("git://v1.0/a"), "1");
  EXPECT_EQ(server.text("git://" + repository.git({"rev-parse", "v1.0"}) + "/a"), "1");  // The tag's own id.
}

TEST(GitRefs, OfADetachedHeadAreRead) {
  TestRepository repository;
  const std::string first = repository.commit("a", "1", "first");
  repository.commit("a", "2", "second");
  repository.git({"checkout", "-q", "--detach", first});
  GitServer server(repository);
  EXPECT_EQ(server.text("git://log"), first.substr(0, 10) + " first\n");
  EXPECT_EQ(server.text("git://HEAD/a"), "1");
  EXPECT_EQ(server.text("git://status"), "## HEAD (" + first.substr(0, 10) + ")\n");
}

TEST(GitRefs, WithSlashesAreEncodedOrNot) {
  TestRepository repository;
  repository.commit("src/a.txt", "on main", "c");
  repository.git({"checkout", "-q", "-b", "feature/x"});
  repository.commit("src/a.txt", "on the branch", "c2");
  GitServer server(repository);
  for (const char* uri :
       {"git://feature%2Fx/src/a.txt", "git://feature/x/src/a.txt", "git://refs/heads/feature/x/src/a.txt",
        "git://refs%2Fheads%2Ffeature%2Fx/src/a.txt"})
    EXPECT_EQ(server.text(uri), "on the branch") << uri;
  EXPECT_EQ(server.text("git://feature/x/commits"), server.text("git://feature%2Fx/commits"));
  EXPECT_THAT(server.text("git://feature/x/"), HasSubstr(R"("uri":"git://feature%2Fx/src/")"));
  server.expect_not_found("git://feature/src/a.txt");
}

// The fewest segments that name a ref win; the other one is read with its slash encoded.
TEST(GitRefs, ThatBeginAnotherArePreferred) {
  TestRepository repository;
  repository.commit("x/a.txt", "of the tag", "c");
  repository.git({"tag", "release"});
  repository.git({"checkout", "-q", "-b", "release/x"});
  repository.commit("a.txt", "of the branch", "c2");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://release/x/a.txt"), "of the tag");
  EXPECT_EQ(server.text("git://release%2Fx/a.txt"), "of the branch");
}

TEST(GitRefs, WithNamesOfOurWordsAreRead) {
  TestRepository repository;
  repository.commit("commits", "a file", "c");
  repository.commit("src/commits", "deeper", "c");
  for (const char* name : {"log", "status", "commit", "diff", "tags"}) repository.git({"branch", name});
  GitServer server(repository);
  EXPECT_EQ(server.text("git://log/src/commits"), "deeper");
  EXPECT_EQ(server.text("git://status/commits"), server.text("git://main/commits"));
  EXPECT_EQ(server.text("git://main/%63ommits"), "a file");
  EXPECT_EQ(server.text("git://%63ommit/src/commits"), "deeper");
  EXPECT_EQ(server.text("git://refs/heads/diff/src/commits"), "deeper");
  EXPECT_THAT(server.text("git://main/"), HasSubstr(R"("uri":"git://main/%63ommits")"));
  EXPECT_THAT(server.text("git://%63ommit/"), HasSubstr(R"("uri":"git://%63ommit/src/")"));
  EXPECT_EQ(server.completed(kPathTemplate, "path", "", R"({"ref":"main"})"), R"(["%63ommits","src/"])");
}

TEST(GitRefs, AreCompleted) {
  TestRepository repository;
  repository.commit("docs/guide/a b?.md", "x", "c");
  repository.commit("docs/index.md", "x", "c");
  repository.git({"branch", "feature/x"});
  repository.git({"tag", "v1"});
  GitServer server(repository);
  EXPECT_EQ(server.completed(kPathTemplate, "ref", ""), R"(["HEAD","feature/x","main","v1"])");
  EXPECT_EQ(server.completed(kPathTemplate, "ref", "F"), R"(["feature/x"])");
  EXPECT_EQ(server.completed(kPathTemplate, "path", "", R"({"ref":"feature/x"})"), R"(["docs/"])");
  EXPECT_EQ(server.completed(kPathTemplate, "path", "docs/", R"({"ref":"main"})"),
            R"(["docs/guide/","docs/index.md"])");
  EXPECT_EQ(server.completed(kPathTemplate, "path", "docs/guide/a"), R"(["docs/guide/a b%3F.md"])");
  EXPECT_EQ(server.completed(kPathTemplate, "path", "none/"), "[]");
  EXPECT_EQ(server.completed(kPathTemplate, "path", "", R"({"ref":"none"})"), "[]");
}

TEST(GitRefs, CommitsAndRangesAreCompleted) {
  TestRepository repository;
  const std::string first = repository.commit("a.txt", "1", "first");
  const std::string second = repository.commit("a.txt", "2", "second");
  repository.git({"tag", "v1"});
  GitServer server(repository);
  constexpr const char* id = "git://commit/{id}";
  EXPECT_EQ(server.completed(id, "id", ""), R"([")" + second + R"(",")" + first + R"(","HEAD","main","v1"])");
  EXPECT_EQ(server.completed(id, "id", first.substr(0, 12)), R"([")" + first + R"("])");
  EXPECT_EQ(server.completed(id, "id", "v"), R"(["v1"])");
  EXPECT_EQ(server.completed(id, "id", "none"), "[]");
  constexpr const char* range = "git://diff/{range}";
  EXPECT_EQ(server.completed(range, "range", "m"), R"(["main.."])");
  EXPECT_EQ(server.completed(range, "range", "v1.."), R"(["v1..HEAD","v1..main","v1..v1"])");
  EXPECT_EQ(server.completed(range, "range", "v1...m"), R"(["v1...main"])");
  EXPECT_EQ(server.completed("git://log{?limit,after,path,format}", "format", ""), R"(["json"])");
}

TEST(GitRefs, OfABareRepositoryAreRead) {
  TestRepository source;
  source.commit("a.txt", "one", "first");
  const TestRepository bare({"--bare"});
  source.git({"push", "-q", bare.path(), "main"});
  GitServer server(bare);
  EXPECT_EQ(server.text("git://main/a.txt"), "one");
  EXPECT_THAT(server.listed("resources/list", "resources", "uri"),
              ElementsAre("git://branches", "git://log", "git://tags"));
  server.expect_not_found("git://status");
}

}  // namespace
}  // namespace sluice::git::testing
