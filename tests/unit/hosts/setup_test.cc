#include "sluice/hosts/setup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/fs/fault.h"
#include "sluice/fs/private_folder.h"

namespace sluice::hosts {
namespace {

namespace filesystem = std::filesystem;
using ::testing::HasSubstr;

const ServerEntry kEntry = {.command = "/opt/sluice", .arguments = {"serve", "/data"}};
constexpr std::string_view kBefore = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"b\"}\n  }\n}\n";

Monotonic soon() { return system_clock().now() + std::chrono::seconds(10); }

// A home with one Cursor in it.
class HostSetup : public ::testing::Test {
 protected:
  HostSetup() : folder_(*fs::PrivateFolder::make_temporary("sluice-hosts")) {
    machine_.home = folder_.path();
    machine_.environment = [](const std::string&) { return std::nullopt; };
    filesystem::create_directory(folder_.path() + "/.cursor");
    write(kBefore);
  }

  std::string file(std::string_view name = "mcp.json") const {
    return folder_.path() + "/.cursor/" + std::string(name);
  }
  void write(std::string_view text) const { std::ofstream(file()) << text; }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::string text() const { return read(file()); }
  Result<FileChange> plan() const { return plan_setup(*find_host("cursor"), machine_, "sluice", kEntry); }
  Status set_up() const {
    SLUICE_TRY(const FileChange change, plan());
    return carry_out(change, soon());
  }
  Status undo() const {
    SLUICE_TRY(const FileChange change, plan_undo(*find_host("cursor"), machine_, "sluice"));
    return carry_out(change, soon());
  }
  std::size_t names() const {
    const filesystem::directory_iterator all(folder_.path() + "/.cursor");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  fs::PrivateFolder folder_;
  Machine machine_;
};

TEST_F(HostSetup, KeepsACopyThatOnlyTheOwnerMayReadAndGivesItBack) {
  ASSERT_EQ(::chmod(file().c_str(), 0640), 0);
  ASSERT_TRUE(set_up().ok());
  EXPECT_THAT(text(), HasSubstr("/opt/sluice"));
  EXPECT_EQ(read(file("mcp.json.before-sluice")), kBefore);
  struct stat status {};
  ASSERT_EQ(::stat(file("mcp.json.before-sluice").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(text(), kBefore);
  EXPECT_EQ(names(), 1U);
}

TEST_F(HostSetup, RemovesAFileThatItMade) {
  filesystem::remove(file());
  ASSERT_TRUE(set_up().ok());
  EXPECT_EQ(names(), 1U);
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(names(), 0U);
}

TEST_F(HostSetup, UndoKeepsWhatTheHostWroteSince) {
  ASSERT_TRUE(set_up().ok());
  std::string changed = text();
  changed.replace(changed.find("\"b\""), 3, "\"new\"");
  write(changed);
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(text(), "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"new\"}\n  }\n}\n");
  EXPECT_EQ(names(), 1U);
}

TEST_F(HostSetup, UndoAfterTwoSetupsGivesBackTheFileFromBeforeBoth) {
  ASSERT_TRUE(set_up().ok());
  const Result<FileChange> change = plan_setup(*find_host("cursor"), machine_, "sluice",
                                               {.command = "/opt/sluice", .arguments = {"serve", "/other"}});
  ASSERT_TRUE(change.ok());
  ASSERT_TRUE(carry_out(*change, soon()).ok());
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(text(), kBefore);
}

TEST_F(HostSetup, WritesWhereALinkLeadsAndKeepsTheLink) {
  filesystem::create_directory(folder_.path() + "/dotfiles");
  filesystem::rename(file(), folder_.path() + "/dotfiles/mcp.json");
  filesystem::create_symlink("../dotfiles/mcp.json", file());
  ASSERT_TRUE(set_up().ok());
  EXPECT_TRUE(filesystem::is_symlink(file()));
  EXPECT_THAT(read(folder_.path() + "/dotfiles/mcp.json"), HasSubstr("/opt/sluice"));
  ASSERT_TRUE(undo().ok());
  EXPECT_EQ(text(), kBefore);
}

TEST_F(HostSetup, RefusesLinksToNothingAndInCircles) {
  filesystem::remove(file());
  filesystem::create_symlink("nothing.json", file());
  EXPECT_THAT(plan().error().message, HasSubstr("No such file"));
  filesystem::remove(file());
  filesystem::create_symlink("mcp.json", file());
  EXPECT_FALSE(plan().ok());
}

TEST_F(HostSetup, RefusesWhatOthersMayWriteTo) {
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  EXPECT_EQ(plan().error().code, "host_file_unsafe");
  ASSERT_EQ(::chmod(file().c_str(), 0600), 0);
  ASSERT_EQ(::chmod((folder_.path() + "/.cursor").c_str(), 0777), 0);
  EXPECT_EQ(plan().error().code, "host_file_unsafe");
  ASSERT_EQ(::chmod((folder_.path() + "/.cursor").c_str(), 0755), 0);
  filesystem::create_hard_link(file(), file("second.json"));
  EXPECT_EQ(plan().error().code, "host_file_unsafe");
}

TEST_F(HostSetup, RefusesFoldersAndPipesWithTheNameOfTheFile) {
  filesystem::remove(file());
  filesystem::create_directory(file());
  EXPECT_EQ(plan().error().code, "host_file_unsafe");
  filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(plan().error().code, "host_file_unsafe");
}

TEST_F(HostSetup, LeavesTheFileAloneWhenTheDiskIsFull) {
  for (const fs::FaultPoint point : {fs::FaultPoint::kReplaceCreate, fs::FaultPoint::kReplaceHalfWrite,
                                     fs::FaultPoint::kReplaceSyncFile, fs::FaultPoint::kReplaceRename}) {
    for (unsigned skip = 0; skip < 2; ++skip) {  // The copy, then the file itself.
      const Result<FileChange> change = plan();
      ASSERT_TRUE(change.ok());
      FileChange file_only = *change;
      file_only.writes_copy = skip == 0;
      const fs::FaultInjection fault = fs::FaultInjection::failing(point, ENOSPC);
      EXPECT_FALSE(carry_out(file_only, soon()).ok());
      EXPECT_TRUE(fault.has_fired());
      EXPECT_EQ(text(), kBefore);
      EXPECT_EQ(names(), 1U);
    }
  }
}

TEST_F(HostSetup, RefusesToWriteOverAChangeThatNobodyHasSeen) {
  const Result<FileChange> change = plan();
  ASSERT_TRUE(change.ok());
  write("{}");
  EXPECT_EQ(carry_out(*change, soon()).error().code, "host_file_changed");
  EXPECT_EQ(text(), "{}");
}

TEST_F(HostSetup, TwoAtTheSameTimeBothSucceed) {
  const auto add = [this](const std::string& name) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      const Result<FileChange> change = plan_setup(*find_host("cursor"), machine_, name, kEntry);
      if (change.ok() && carry_out(*change, soon()).ok()) return;
    }
    ADD_FAILURE() << name;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(add, "server-" + std::to_string(i));
  for (std::thread& thread : threads) thread.join();
  const auto servers = read_servers(find_host("cursor")->shape, text());
  ASSERT_TRUE(servers.ok());
  EXPECT_EQ(servers->size(), 9U);
}

TEST_F(HostSetup, KeepsItsHandsOffAnotherServerOfThatName) {
  write(R"({"mcpServers": {"sluice": {"command": "/opt/other"}}})");
  EXPECT_EQ(plan().error().code, "host_name_taken");
  ASSERT_TRUE(undo().ok());
  EXPECT_THAT(text(), HasSubstr("/opt/other"));
}

TEST_F(HostSetup, ShowsOnlyWhatDiffersAndNoControlCharacters) {
  write("{\n  \"x\": \"" + std::string(5000, 'y') + "\",\n  \"\x7f\": 1,\n  \"mcpServers\": {}\n}\n");
  const Result<FileChange> change = plan();
  ASSERT_TRUE(change.ok());
  const std::string shown = describe(*change);
  EXPECT_THAT(shown, HasSubstr("+    \"sluice\": {\n"));
  EXPECT_LT(shown.size(), 1500U);
  EXPECT_EQ(shown.find('\x7f'), std::string::npos);
}

}  // namespace
}  // namespace sluice::hosts
