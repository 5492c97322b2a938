#include "test_repository.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <utility>

#include <gtest/gtest.h>

namespace sluice::git::testing {

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Every date is after 2026-01-01T00:00:00Z.
std::string date(int minutes) { return "@" + std::to_string(1'767'225'600 + 60 * minutes) + " +0000"; }

}  // namespace

TestRepository::TestRepository(const std::vector<std::string>& init) {
  std::vector<std::string> arguments = {"init", "-q", "-b", "main"};
  arguments.insert(arguments.end(), init.begin(), init.end());
  git(arguments);
}

std::string TestRepository::git(const std::vector<std::string>& arguments, std::string_view input) const {
  home_.write("in", input);
  const std::string in = home_.at("in").string();
  const std::string out = home_.at("out").string();
  std::vector<std::string> command = {"git", "-C", files_.path()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin",
                                          "HOME=" + home_.path(),
                                          "GIT_CONFIG_NOSYSTEM=1",
                                          "GIT_CONFIG_GLOBAL=/dev/null",
                                          "GIT_AUTHOR_NAME=Ada",
                                          "GIT_AUTHOR_EMAIL=ada@example.org",
                                          "GIT_COMMITTER_NAME=Ada",
                                          "GIT_COMMITTER_EMAIL=ada@example.org",
                                          "GIT_AUTHOR_DATE=" + date(minutes_),
                                          "GIT_COMMITTER_DATE=" + date(minutes_)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int spawned = ::posix_spawnp(&child, "git", &actions, nullptr, pointers(command).data(),
                                     pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (spawned == 0) ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "git " << (arguments.empty() ? "" : arguments.front());
  std::string written = home_.read("out");
  if (written.ends_with('\n')) written.pop_back();
  return written;
}

std::string TestRepository::commit(std::string_view path, std::string_view text, const std::string& message) {
  files_.write(path, text);
  git({"add", "-f", "--", std::string(path)});
  return commit_staged(message);
}

std::string TestRepository::commit_staged(const std::string& message) {
  ++minutes_;
  git({"commit", "-q", "--allow-empty", "-m", message});
  return git({"rev-parse", "HEAD"});
}

}  // namespace sluice::git::testing
