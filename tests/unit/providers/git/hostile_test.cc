// `git_injection`: what a repository may hold that was made to harm.

#include <sys/stat.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "git_server.h"

namespace sluice::git::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::string& path) {
  const auto made = make_git_provider({{.name = "repo", .path = path}});
  if (made.ok()) return "opened";
  EXPECT_THAT(made.error().message, Not(HasSubstr(path)));
  EXPECT_FALSE(summarize({.name = "repo", .path = path}).ok());
  return made.error().code;
}

void read_everything(GitServer& server) {
  for (const char* uri : {"git://log", "git://status", "git://branches", "git://tags", "git://commit/HEAD",
                          "git://diff/main..main", "git://main/a", "git://main/", "git://log?path=a"})
    EXPECT_TRUE(server.reply(uri).is_result()) << uri << ": " << server.reply(uri).error();
}

TEST(GitInjection, NothingThatARepositoryNamesIsRun) {
  TestRepository repository;
  repository.commit("a", "one\n", "first");
  repository.commit(".gitattributes", "* filter=evil diff=evil merge=evil\n", "attributes");
  repository.commit("a", "two\n", "second");
  const fs::TempFolder outside;
  const std::string command = "touch " + outside.path() + "/ran";
  const std::vector<std::pair<std::string, std::string>> settings = {{"core.fsmonitor", command},
                                                                     {"core.sshCommand", command},
                                                                     {"core.pager", command},
                                                                     {"core.editor", command},
                                                                     {"core.hooksPath", outside.path()},
                                                                     {"filter.evil.clean", command},
                                                                     {"filter.evil.smudge", command},
                                                                     {"filter.evil.process", command},
                                                                     {"diff.evil.textconv", command},
                                                                     {"diff.evil.command", command},
                                                                     {"diff.external", command},
                                                                     {"credential.helper", "!" + command},
                                                                     {"core.alternateRefsCommand", command},
                                                                     {"uploadpack.packObjectsHook", command}};
  for (const auto& [key, value] : settings) repository.git({"config", key, value});
  for (const char* hook : {"post-checkout", "pre-commit", "post-index-change", "reference-transaction"}) {
    repository.files().write(std::string(".git/hooks/") + hook, "#!/bin/sh\n" + command + "\n");
    std::filesystem::permissions(repository.files().at(std::string(".git/hooks/") + hook),
                                 std::filesystem::perms::owner_all);
  }
  repository.files().write("a", "changed\n");
  GitServer server(repository);
  read_everything(server);
  EXPECT_FALSE(std::filesystem::exists(outside.at("ran")));
}

TEST(GitInjection, TheConfigurationOfARepositoryIsNotRead) {
  TestRepository repository;
  repository.commit("a", "one", "first");
  const fs::TempFolder outside;
  outside.write("secret-name", "x");
  outside.write("config", "[user]\n\tname = secret\n");
  repository.git({"config", "core.worktree", outside.path()});
  GitServer server(repository);
  EXPECT_EQ(server.text("git://status"), "## main\n");
  repository.files().write(".git/config",
                           "[include]\n\tpath = " + outside.path() + "/config\n[core]\n\tbare = true\n");
  EXPECT_EQ(server.text("git://status"), "## main\n");
  repository.files().write(".git/config", "this is [no configuration");
  read_everything(server);
  repository.files().remove(".git/config");
  repository.files().link("/dev/zero", ".git/config");
  read_everything(server);
}

TEST(GitInjection, AGitFileOrLinkLeadsNowhere) {
  TestRepository other;
  other.commit("a", "secret", "first");
  const fs::TempFolder folder;
  folder.write("file/.git", "gitdir: " + other.path() + "/.git\n");
  folder.make_folder("link");
  folder.link(other.path() + "/.git", "link/.git");
  folder.make_folder("dangling");
  folder.link("nowhere", "dangling/.git");
  EXPECT_EQ(refusal(folder.at("file")), "unsupported_repository");
  EXPECT_EQ(refusal(folder.at("link")), "unsupported_repository");
  EXPECT_EQ(refusal(folder.at("dangling")), "unsupported_repository");
  other.git({"worktree", "add", "-q", folder.path() + "/worktree"});
  EXPECT_EQ(refusal(folder.at("worktree")), "unsupported_repository");
  other.git({"config", "core.bare", "true"});
  EXPECT_EQ(refusal(other.path() + "/.git/worktrees/worktree"), "repository_not_found");
}

TEST(GitInjection, ACommonFolderElsewhereIsRefused) {
  TestRepository other;
  other.commit("a", "secret", "first");
  TestRepository repository;
  repository.commit("a", "own", "first");
  repository.files().write(".git/commondir", other.path() + "/.git\n");
  EXPECT_EQ(refusal(repository.path()), "unsupported_repository");
}

TEST(GitInjection, AlternatesAreNotFollowed) {
  TestRepository other;
  const std::string id = other.commit("a", "secret", "of the other");
  TestRepository repository;
  repository.commit("a", "own", "first");
  repository.files().write(".git/objects/info/alternates", other.path() + "/.git/objects\n");
  repository.files().write(".git/refs/heads/stolen", id + "\n");
  ASSERT_EQ(repository.git({"show", "stolen:a"}), "secret");
  GitServer server(repository);
  server.expect_not_found("git://stolen/a");
  server.expect_not_found("git://commit/" + id);
  EXPECT_THAT(server.text("git://branches"), Not(HasSubstr("of the other")));
  EXPECT_TRUE(summarize({.name = "repo", .path = repository.path()}).value().has_alternates);
}

TEST(GitInjection, LinksWithinARepositoryAreRefused) {
  for (const char* name : {"HEAD", "refs", "refs/heads", "refs/heads/main", "objects", "objects/pack",
                           "objects/info", "index", "packed-refs", "info", "info/exclude"}) {
    TestRepository other;
    other.commit("a", "secret", "of the other");
    other.git({"pack-refs"});
    TestRepository repository;
    repository.commit("a", "own", "first");
    const std::string inside = std::string(".git/") + name;
    repository.files().remove(inside);
    repository.files().link(other.path() + "/" + inside, inside);
    EXPECT_THAT(refusal(repository.path()), Not("opened")) << name;
  }
}

TEST(GitInjection, ALinkThatComesLaterIsRefused) {
  TestRepository other;
  other.commit("a", "secret", "of the other");
  TestRepository repository;
  repository.commit("a", "own", "first");
  GitServer server(repository);
  const auto client = server.connect(server::testing::kLegacyPipe);
  client->call("resources/subscribe", R"({"uri":"git://log"})");
  repository.files().link(other.path() + "/.git/refs/heads/main", ".git/refs/heads/evil");
  repository.git({"tag", "v1"});  // Links out of the folder are not told of by themselves.
  EXPECT_EQ(client->next().text({"params", "uri"}), "git://log");
  server.expect_not_found("git://main/a");
}

TEST(GitInjection, PipesAndHugeRefsAreRefused) {
  TestRepository piped;
  piped.commit("a", "own", "first");
  ASSERT_EQ(::mkfifo(piped.files().at(".git/refs/heads/pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(piped.path()), "unsupported_repository");
  TestRepository huge;
  huge.commit("a", "own", "first");
  huge.files().write(".git/refs/heads/huge", "");
  std::filesystem::resize_file(huge.files().at(".git/refs/heads/huge"), 1'000'000'000);
  EXPECT_EQ(refusal(huge.path()), "unsupported_repository");
}

TEST(GitInjection, ARefThatNamesAPathLeadsNowhere) {
  TestRepository repository;
  repository.commit("a", "own", "first");
  repository.files().write(".git/secret", repository.git({"rev-parse", "HEAD"}) + "\n");
  repository.files().write(".git/refs/heads/up", "ref: ../../secret\n");
  repository.files().write(".git/refs/heads/absolute", "ref: /etc/passwd\n");
  repository.files().write(".git/refs/heads/circle", "ref: refs/heads/circle\n");
  repository.files().write(".git/refs/heads/garbage", "\x01\x02 no ref");
  GitServer server(repository);
  for (const char* name : {"up", "absolute", "circle", "garbage"}) {
    const WireMessage reply = server.reply(std::string("git://") + name + "/a");
    EXPECT_FALSE(reply.is_result()) << name;
  }
  EXPECT_EQ(server.text("git://main/a"), "own");
  EXPECT_THAT(server.text("git://branches"), ::testing::StartsWith("* main "));
  EXPECT_EQ(server.completed("git://{ref}/commits", "ref", "ma"), R"(["main"])");
}

TEST(GitInjection, StatusDoesNotFollowLinks) {
  TestRepository repository;
  repository.commit("folder/a", "own", "first");
  const fs::TempFolder outside;
  outside.write("a", "own");
  outside.write("secret-name", "x");
  repository.files().remove("folder");
  repository.files().link(outside.path(), "folder");
  repository.files().link(outside.path(), "other");
  GitServer server(repository);
  const std::string status = server.text("git://status");
  EXPECT_THAT(status, HasSubstr(" D folder/a\n"));
  EXPECT_THAT(status, HasSubstr("?? other\n"));
  EXPECT_THAT(status, Not(HasSubstr("secret-name")));
}

TEST(GitInjection, StatusDoesNotWaitForAPipe) {
  TestRepository repository;
  repository.commit("sub/a", "own", "first");
  ASSERT_EQ(::mkfifo(repository.files().at("sub/.gitignore").c_str(), 0600), 0);
  GitServer server(repository);
  EXPECT_FALSE(server.reply("git://status").is_result());
  EXPECT_EQ(server.text("git://main/sub/a"), "own");
  repository.files().remove("sub/.gitignore");
  ASSERT_EQ(::mkfifo(repository.files().at("sub/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(server.reply("git://status").is_result());
}

TEST(GitInjection, NestedRepositoriesAreNotEntered) {
  TestRepository inner;
  inner.commit("inner-file", "x", "first");
  TestRepository repository;
  repository.commit("a", "own", "first");
  std::filesystem::copy(inner.path(), repository.files().at("nested"),
                        std::filesystem::copy_options::recursive);
  repository.files().write("nested/.git/config", "[core]\n\tworktree = /etc\n");
  GitServer server(repository);
  EXPECT_EQ(server.text("git://status"), "## main\n?? nested/\n");
}

TEST(InjectedData, NamesAndSubjectsWithControlCharactersAreShownEncoded) {
  TestRepository repository;
  repository.commit("a\nIgnore all\x1b[2J", "data", "Subject\x1b[2J \xE2\x80\xAEreversed");
  GitServer server(repository);
  EXPECT_THAT(server.text("git://log"), HasSubstr("Subject%1B[2J %E2%80%AEreversed\n"));
  EXPECT_THAT(server.text("git://main/"),
              HasSubstr(R"("uri":"git://main/a%0AIgnore%20all%1B%5B2J","name":"a%0AIgnore all%1B[2J")"));
  EXPECT_EQ(server.text("git://main/a%0AIgnore%20all%1B%5B2J"), "data");
  EXPECT_THAT(server.text("git://commit/HEAD"), HasSubstr("A\ta%0AIgnore all%1B[2J\n"));
}

TEST(InjectedData, TreesOfHostileNamesAreReadAsTrees) {
  TestRepository repository;
  const std::string blob = repository.git({"hash-object", "-w", "--stdin"}, "data");
  const std::string inner = repository.git({"mktree"}, "100644 blob " + blob + "\tpasswd\n");
  const std::string tree = repository.git({"mktree"}, "040000 tree " + inner + "\t..\n040000 tree " + inner +
                                                          "\t.git\n100644 blob " + blob + "\t\"\\377x\"\n");
  const std::string commit = repository.git({"commit-tree", "-m", "hostile", tree});
  repository.git({"update-ref", "refs/heads/main", commit});
  GitServer server(repository);
  const std::string listing = server.text("git://main/");
  EXPECT_THAT(listing, HasSubstr(R"("name":"..")"));
  EXPECT_THAT(listing, HasSubstr(R"("uri":"git://main/%FFx","name":"%FFx")"));
  EXPECT_EQ(server.text("git://main/%FFx"), "data");
  EXPECT_EQ(server.text("git://main/.git/passwd"), "data");  // Of the tree, not of the folder.
  EXPECT_EQ(server.text("git://main/../passwd"), "data");
}

TEST(VerboseError, AMissingRepositoryIsNamedWithoutItsPlace) {
  const fs::TempFolder folder;
  EXPECT_EQ(refusal(folder.path()), "repository_not_found");
  EXPECT_EQ(refusal(folder.path() + "/none"), "repository_not_found");
  folder.write("half/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(refusal(folder.path() + "/half"), "repository_not_found");
}

TEST(VerboseError, ABrokenRepositorySaysNothingOfPlaces) {
  TestRepository repository;
  const std::string id = repository.commit("a", "own", "first");
  GitServer server(repository);
  const std::string object = ".git/objects/" + id.substr(0, 2) + "/" + id.substr(2);
  repository.files().remove(object);
  repository.files().write(object, "broken");
  const WireMessage reply = server.reply("git://main/a");
  EXPECT_FALSE(reply.is_result());
  EXPECT_THAT(json::to_text(reply.value()), Not(HasSubstr("objects")));
}

}  // namespace
}  // namespace sluice::git::testing
