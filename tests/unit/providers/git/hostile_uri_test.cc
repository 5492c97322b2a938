// `git_injection`: what a caller may write into a URI.

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GitUris : public ::testing::Test {
 protected:
  GitUris() {
    repository_.commit("a", "one", "first");
    id_ = repository_.commit("a", "two", "second");
    repository_.git({"update-ref", "ORIG_HEAD", id_});
    repository_.git({"update-ref", "refs/stash", id_});
    server_ = std::make_unique<GitServer>(repository_);
  }
  void expect_none(const std::vector<std::string>& uris) {
    for (const std::string& uri : uris) server_->expect_not_found(uri);
  }

  TestRepository repository_;
  std::string id_;
  std::unique_ptr<GitServer> server_;
};

TEST_F(GitUris, OptionsAreNoRefs) {
  expect_none({"git://-/a", "git://--all/commits", "git://--upload-pack=touch%20x/a", "git://-c%20x/commits",
               "git://commit/--all", "git://commit/-1", "git://diff/--output=x..main", "git://diff/main..-x",
               "git://diff/--no-index", "git://log?after=--all", "git://main/commits?after=-1"});
}

TEST_F(GitUris, NothingOfTheLanguageOfRevisionsIsTaken) {
  expect_none({"git://HEAD~1/a",
               "git://HEAD~1/commits",
               "git://HEAD%5E/a",
               "git://HEAD%5E%7Btree%7D/a",
               "git://HEAD@%7B1%7D/a",
               "git://@%7B-1%7D/a",
               "git://@%7Bu%7D/commits",
               "git://@/a",
               "git://main@%7Bnow%7D/a",
               "git://:/first/a",
               "git://%3A%2Ffirst/a",
               "git://main:a/a",
               "git://HEAD:a",
               "git://HEAD:../../etc/passwd",
               "git://HEAD%3A..%2F../a",
               "git://commit/HEAD~1",
               "git://commit/HEAD:a",
               "git://commit/:/first",
               "git://commit/HEAD%5E%7B/first%7D",
               "git://diff/HEAD~1..HEAD",
               "git://diff/%5EHEAD..HEAD",
               "git://main..HEAD/a",
               "git://main...HEAD/commits",
               "git://v1-3-gabcdef/a"});
}

TEST_F(GitUris, PathspecMagicIsAName) {
  expect_none({"git://main/:(exclude)a", "git://main/:!a", "git://main/:/a", "git://main/*", "git://main/%3F",
               "git://main/:(top)a", "git://main/:(glob)**"});
  EXPECT_EQ(server_->text("git://log?path=:(top)a"), "");
  EXPECT_EQ(server_->text("git://log?path=*"), "");
  EXPECT_EQ(server_->text("git://log?path=../a"), "");
  EXPECT_EQ(server_->text("git://log?path=/a"), "");
}

TEST_F(GitUris, PathsLeadNowhere) {
  expect_none({"git://../HEAD", "git://%2e%2e%2fHEAD/a", "git://..%2F..%2Fetc%2Fpasswd/a", "git://main/../a",
               "git://main/%2e%2e/a", "git://main/%2e%2e%2fa", "git://main/./a", "git://main//a",
               "git:///main/a", "git://main/a//", "git://main/.git/config", "git://.git/config",
               "git://config", "git://main/%2Fetc%2Fpasswd", "git://refs/heads/../../HEAD/a",
               "git://refs/heads/%2e%2e/a"});
}

TEST_F(GitUris, OnlyBranchesTagsAndRemotesAreRefs) {
  expect_none({"git://ORIG_HEAD/a", "git://FETCH_HEAD/a", "git://refs/stash/a", "git://stash/a",
               "git://config/a", "git://index/a", "git://packed-refs/a", "git://refs/heads/a", "git://refs/a",
               "git://objects/a", "git://HEAD.lock/a", "git://main.lock/a", "git://main./a", "git://.main/a",
               "git://head/a"});
}

TEST_F(GitUris, ControlCharactersAndNulAreRefused) {
  expect_none({"git://main%00/a", "git://main/a%00", "git://main/a%00.txt", "git://main%0A/a",
               "git://main%7F/a", "git://main%1B%5B2J/a", "git://main%20/a", "git://main%5C/a",
               "git://main%09/commits", "git://%00", "git://%FF%FE/a", "git://main/%FF", "git://log%00",
               "git://commit/" + id_ + "%00", "git://diff/main..main%00", "git://log?path=%00",
               "git://log?path=a%00b"});
}

TEST_F(GitUris, IdsAreOfCommitsAndOfFourDigitsOrMore) {
  const std::string blob = repository_.git({"rev-parse", "HEAD:a"});
  const std::string tree = repository_.git({"rev-parse", "HEAD^{tree}"});
  expect_none({"git://" + id_.substr(0, 3) + "/a", "git://" + id_ + "0/a", "git://" + blob + "/a",
               "git://commit/" + blob, "git://commit/" + tree, "git://" + tree + "/a",
               "git://commit/" + id_.substr(0, 3), "git://commit/0x" + id_.substr(0, 8),
               "git://commit/" + std::string(40, '0'), "git://commit/", "git://commit",
               "git://diff/" + blob + ".." + tree});
}

TEST_F(GitUris, ParametersAreThoseOfTheirKindAndNoOthers) {
  expect_none({"git://log?",
               "git://log?limit=0",
               "git://log?limit=-1",
               "git://log?limit=x",
               "git://log?limit",
               "git://log?limit=1&limit=2",
               "git://log?format=xml",
               "git://log?offset=1",
               "git://log?all=1",
               "git://log?after=",
               "git://log?path=",
               "git://status?limit=1",
               "git://tags?path=a",
               "git://branches?after=" + id_,
               "git://main/a?limit=1",
               "git://main/a?format=json",
               "git://main/commits?offset=1",
               "git://main/a?length=0",
               "git://commit/HEAD?limit=1",
               "git://log#x",
               "git://main/a#x",
               "git://diff/main..HEAD?path=a"});
  EXPECT_EQ(server_->text("git://log?limit=99999999999"), server_->text("git://log"));
}

TEST_F(GitUris, LongAndDeepOnesAreRefused) {
  expect_none({"git://" + std::string(300, 'r') + "/a", "git://main/" + std::string(5'000, 'p')});
  std::string deep = "git://main";
  for (int i = 0; i < 2'000; ++i) deep += "/d";
  expect_none({deep, deep + "/commits"});
}

TEST_F(GitUris, MutatedOnesFindNothingOutside) {
  repository_.files().write("untracked-secret", "outside-of-history");
  repository_.git({"config", "user.secret", "outside-of-history"});
  const std::vector<std::string> parts = {"..",        ".",
                                          "/",         "//",
                                          "%2e",       "%2f",
                                          "%00",       "%25",
                                          "main",      "HEAD",
                                          "refs",      "heads",
                                          "commit",    "commits",
                                          "diff",      "log",
                                          "status",    "tags",
                                          "a",         "?",
                                          "#",         "&",
                                          "limit=",    "after=",
                                          "path=",     "format=",
                                          "json",      "offset=",
                                          "9",         "%",
                                          "~1",        "%5E",
                                          ":",         "@%7B",
                                          "-",         ".git",
                                          "config",    "%FF",
                                          "è",         "%0A",
                                          "*",         "...",
                                          "(exclude)", id_.substr(0, 6),
                                          id_,         "untracked-secret",
                                          "objects",   "stash",
                                          "ORIG_HEAD", "branches"};
  std::mt19937 random(17);  // The same ones every time.
  std::size_t read = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string uri = "git://";
    for (auto left = random() % 8; left > 0; --left) uri += parts[random() % parts.size()];
    const WireMessage reply =
        server_->client().call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    ASSERT_THAT(json::to_text(reply.value()), Not(HasSubstr("outside-of-history"))) << uri;
    if (reply.is_result()) {
      ++read;
    } else {
      ASSERT_EQ(reply.code(), -32602) << uri << ": " << reply.error();
    }
  }
  EXPECT_GT(read, 100U);
}

}  // namespace
}  // namespace sluice::git::testing
