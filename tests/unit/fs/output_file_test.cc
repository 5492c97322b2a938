#include "sluice/fs/output_file.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "temp_folder.h"

namespace sluice::fs {
namespace {

class OutputFileTest : public testing::Test {
 protected:
  File source(const std::string& text) {
    folder_.write("source", text);
    return std::move(Root::open(folder_.path())).value().open_beneath("source").value();
  }
  std::string target() const { return folder_.at("out/result").string(); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.at("out"))) ++count;
    return count;
  }
  void SetUp() override { std::filesystem::create_directory(folder_.at("out")); }

  TempFolder folder_;
};

TEST_F(OutputFileTest, AppearsWhenItIsComplete) {
  const std::string text(3'000'000, 'x');
  auto file = OutputFile::create(target(), IfExists::kRefuse);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->copy(source(text), {}).ok());
  EXPECT_FALSE(std::filesystem::exists(target()));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(folder_.read("out/result"), text);
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingUnlessItIsCommitted) {
  {
    auto file = OutputFile::create(target(), IfExists::kRefuse);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->copy(source("x"), {}).ok());
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, StopsCopyingIfItIsCancelled) {
  auto file = OutputFile::create(target(), IfExists::kRefuse);
  ASSERT_TRUE(file.ok());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(file->copy(source("x"), stop.get_token()).error().kind, ErrorKind::kCancelled);
}

TEST_F(OutputFileTest, DoesNotReplaceAFileUnlessItIsAskedTo) {
  folder_.write("out/result", "old");
  EXPECT_EQ(OutputFile::create(target(), IfExists::kRefuse).error().code, "file_exists");
  EXPECT_EQ(files(), 1U);
  auto file = OutputFile::create(target(), IfExists::kReplace);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->copy(source("new"), {}).ok());
  EXPECT_EQ(folder_.read("out/result"), "old");
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(folder_.read("out/result"), "new");
}

TEST_F(OutputFileTest, DoesNotReplaceAFileThatAppearsMeanwhile) {
  auto file = OutputFile::create(target(), IfExists::kRefuse);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->copy(source("new"), {}).ok());
  folder_.write("out/result", "of somebody else");
  EXPECT_EQ(file->commit().error().code, "file_exists");
  EXPECT_EQ(folder_.read("out/result"), "of somebody else");
}

TEST_F(OutputFileTest, RefusesWhatIsNoFileAndFoldersThatDoNotExist) {
  EXPECT_EQ(OutputFile::create(folder_.at("out").string(), IfExists::kReplace).error().code, "output_failed");
  EXPECT_EQ(OutputFile::create("/dev/null", IfExists::kReplace).error().code, "output_failed");
  EXPECT_EQ(OutputFile::create(folder_.at("missing/result").string(), IfExists::kRefuse).error().code,
            "output_failed");
  ASSERT_EQ(::symlink("elsewhere", folder_.at("out/link").c_str()), 0);
  EXPECT_EQ(OutputFile::create(folder_.at("out/link").string(), IfExists::kReplace).error().code,
            "output_failed");
}

}  // namespace
}  // namespace sluice::fs
