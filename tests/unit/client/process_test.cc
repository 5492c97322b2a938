// Child processes: what they are given, and that none of them stays.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using ::testing::HasSubstr;

// Whether anybody of a group runs; who has ended and was not waited for yet does not.
bool group_lives(pid_t group) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (!std::getline(file, text)) continue;
    std::istringstream fields(
        text.substr(text.rfind(')') + 1));  // A name may have anything within its brackets.
    char state = 'Z';
    pid_t parent = 0;
    pid_t its_group = 0;
    fields >> state >> parent >> its_group;
    if (its_group == group && state != 'Z') return true;
  }
  return false;
}

bool ends_soon(pid_t group) {
  const auto by = std::chrono::steady_clock::now() + kPatience;
  while (group_lives(group)) {
    if (std::chrono::steady_clock::now() > by) return false;
    std::this_thread::yield();
  }
  return true;
}

// Not running any more: gone, or not waited for by whoever inherited it.
bool leader_ends_soon(pid_t process) {
  const auto by = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < by) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    if (!std::getline(file, text) || text.find(") Z ") != std::string::npos) return true;
    std::this_thread::yield();
  }
  return false;
}

pid_t stubborn_pid(const Client& client) {
  const std::string text = client.error_output();
  const std::size_t at = text.find("stubborn ");
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + 9));
}

TEST(Processes, AndTheirChildrenEndWithTheClientWhateverTheyIgnore) {
  auto client = make_client(misbehaving("stubborn"));
  ASSERT_TRUE(client->connect().ok());
  const CallOptions quick{.timeout = std::chrono::milliseconds{100}};
  EXPECT_FALSE(client->call_tool("t", {}, quick).ok());
  const pid_t group = stubborn_pid(*client);
  ASSERT_GT(group, 1);
  EXPECT_TRUE(group_lives(group));
  client->close();
  EXPECT_TRUE(ends_soon(group));
}

// A process that is killed cannot clean up, so the kernel does.
TEST(Processes, EndWhenTheirParentIsKilled) {
  int pipe[2] = {-1, -1};
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto client = make_client(misbehaving("stubborn"));
    const CallOptions quick{.timeout = std::chrono::milliseconds{100}};
    pid_t group = -1;
    if (client->connect().ok() && !client->call_tool("t", {}, quick).ok()) group = stubborn_pid(*client);
    [[maybe_unused]] const ssize_t written = ::write(pipe[1], &group, sizeof group);
    while (true) ::pause();
  }
  pid_t child = -1;
  ASSERT_EQ(::read(pipe[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ASSERT_GT(child, 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(leader_ends_soon(child));
  ::kill(-child, SIGKILL);  // Its own child: the kernel does not look that far.
  ::close(pipe[0]);
  ::close(pipe[1]);
}

// What a shell finds in its environment, and whether it finds descriptors that are not its own.
std::string said_by(const std::string& script, const Environment& environment) {
  auto client = make_client(Command{.program = "/bin/sh",
                                    .arguments = {"-c", script},
                                    .environment = environment,
                                    .folder = "/",
                                    .exit_grace = std::chrono::milliseconds{100}});
  [[maybe_unused]] const auto info = client->connect();
  return client->error_output();
}

TEST(Processes, GetTheEnvironmentTheyAreGivenAndNothingElse) {
  ::setenv("SLUICE_TEST_SECRET", "hunter2", 1);
  const std::string said = said_by("env >&2; pwd >&2", {{"ONLY", "this"}, {"PATH", "/usr/bin:/bin"}});
  EXPECT_THAT(said, HasSubstr("ONLY=this"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("hunter2")));
}

TEST(Processes, GetNoDescriptorsOfOurs) {
  int pipe[2] = {-1, -1};
  ASSERT_EQ(::pipe(pipe), 0);  // Without close-on-exec, as a careless library would.
  const std::string said = said_by("ls /proc/self/fd | wc -l >&2", {{"PATH", "/usr/bin:/bin"}});
  // Three, and the folder that ls itself has opened.
  EXPECT_THAT(said, HasSubstr("4"));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(Processes, AreNeverRunByAShell) {
  const auto client = make_client(
      Command{.program = "/bin/echo; touch /tmp/never", .arguments = {}, .environment = {}, .folder = {}});
  EXPECT_EQ(code_of(client->connect()), "command_not_found");
}

TEST(Processes, AreLookedForInTheirOwnPath) {
  EXPECT_EQ(
      code_of(
          make_client(
              Command{.program = "sh", .arguments = {}, .environment = {{"PATH", "/nowhere"}}, .folder = {}})
              ->connect()),
      "command_not_found");
}

TEST(InheritableEnvironment, HasNoSecrets) {
  const Environment all{{"PATH", "/bin"},
                        {"HOME", "/root"},
                        {"AWS_SECRET_ACCESS_KEY", "x"},
                        {"LC_ALL", "C"},
                        {"SHELL", "() { evil; }"}};
  const Environment kept = inheritable(all);
  EXPECT_EQ(kept, (Environment{{"HOME", "/root"}, {"LC_ALL", "C"}, {"PATH", "/bin"}}));
}

}  // namespace
}  // namespace sluice::client::testing
