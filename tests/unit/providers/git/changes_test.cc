// Who hears of what happens in a repository.

#include <string>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

using server::testing::kLegacyPipe;

class GitChanges : public ::testing::Test {
 protected:
  GitChanges() {
    repository_.commit("a", "1", "first");
    server_ = std::make_unique<GitServer>(repository_);
    client_ = server_->connect(kLegacyPipe);
  }
  void subscribe(const std::string& uri) {
    const WireMessage reply = client_->call("resources/subscribe", json::to_text(json::Object{{"uri", uri}}));
    EXPECT_TRUE(reply.is_result()) << reply.error();
  }
  void unsubscribe(const std::string& uri) {
    client_->call("resources/unsubscribe", json::to_text(json::Object{{"uri", uri}}));
  }
  std::string next() { return client_->next().text({"params", "uri"}); }
  // Whether that URI is told, among others.
  bool hears(const std::string& uri) {
    for (int i = 0; i < 100; ++i) {
      if (next() == uri) return true;
    }
    return false;
  }

  TestRepository repository_;
  std::unique_ptr<GitServer> server_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(GitChanges, ACommitIsToldToWhoeverFollowsRefs) {
  for (const char* uri :
       {"git://branches", "git://log", "git://main/commits", "git://status", "git://tags"}) {
    subscribe(uri);
    repository_.commit("a", uri, "next");
    EXPECT_TRUE(hears(uri)) << uri;
    unsubscribe(uri);
  }
}

TEST_F(GitChanges, TagsBranchesAndCheckoutsAreTold) {
  subscribe("git://tags");
  repository_.git({"tag", "v1"});
  EXPECT_TRUE(hears("git://tags"));
  subscribe("git://branches");
  repository_.git({"branch", "feature/deep/x"});
  EXPECT_TRUE(hears("git://branches"));
  subscribe("git://log?limit=3");
  repository_.git({"checkout", "-q", "-b", "other"});
  EXPECT_TRUE(hears("git://log?limit=3"));
  unsubscribe("git://branches");
  unsubscribe("git://tags");
  repository_.git({"pack-refs", "--all"});
  EXPECT_TRUE(hears("git://log?limit=3"));
}

TEST_F(GitChanges, FilesAreToldToWhoeverFollowsTheStatus) {
  subscribe("git://log");
  subscribe("git://status");
  EXPECT_EQ(next(), "git://status");  // From now on its files are watched.
  repository_.files().write("a", "changed");
  EXPECT_EQ(next(), "git://status");
  repository_.files().write("deep/er/b", "new");
  EXPECT_EQ(next(), "git://status");
  repository_.git({"add", "."});
  EXPECT_EQ(next(), "git://status");
}

TEST_F(GitChanges, WhoeverGoesWhileFilesChangeHoldsNobodyUp) {
  for (int i = 0; i < 20; ++i) {
    const auto gone = server_->connect(server::testing::kModernPipe);
    const auto stream =
        gone->start("subscriptions/listen",
                    R"({"notifications":{"resourceSubscriptions":["git://status","git://log"]}})");
    EXPECT_EQ(stream->next().method(), "notifications/subscriptions/acknowledged");
    for (int file = 0; file < 10; ++file)
      repository_.files().write("f" + std::to_string(file), std::to_string(i));
    if (i % 2 == 0) stream->cancel();
    gone->close();
  }
  subscribe("git://log");
  repository_.commit("a", "2", "next");
  EXPECT_EQ(next(), "git://log");
}

TEST_F(GitChanges, ACommitByItsIdNeverChanges) {
  const std::string commit = "git://commit/" + repository_.git({"rev-parse", "HEAD"});
  subscribe(commit);
  subscribe("git://log");
  repository_.commit("a", "2", "next");
  EXPECT_EQ(next(), "git://log");
}

TEST_F(GitChanges, AnotherRepositoryInTheSamePlaceIsFollowed) {
  TestRepository other;
  other.commit("a", "of the other", "other");
  subscribe("git://log");
  std::filesystem::rename(repository_.files().at(".git"), repository_.files().at("away"));
  std::filesystem::rename(other.files().at(".git"), repository_.files().at(".git"));
  EXPECT_TRUE(hears("git://log"));
  EXPECT_EQ(server_->text("git://log").substr(11), "other\n");
  while (!client_->is_quiet()) next();
  repository_.git({"tag", "v1"});
  EXPECT_TRUE(hears("git://log"));
}

}  // namespace
}  // namespace sluice::git::testing
