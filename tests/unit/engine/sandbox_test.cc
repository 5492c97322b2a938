#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing.h"

namespace sluice::engine {
namespace {

// `engine_escape`: an engine with one allowed folder. Whatever text reaches it, nothing else can be read, set
// or loaded.
class Sandbox : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice_sandbox_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    outside_ = name;
    inside_ = outside_ / "served";
    std::filesystem::create_directory(inside_);
    std::ofstream(inside_ / "data.csv") << "a,b\n1,2\n";
    std::ofstream(outside_ / "secret.csv") << "a,b\n3,4\n";
    std::filesystem::create_directory(outside_ / "served-too");
    std::ofstream(outside_ / "served-too" / "secret.csv") << "a,b\n3,4\n";
    std::filesystem::create_symlink(outside_ / "secret.csv", inside_ / "link.csv");
    engine_ = open_engine({.folders = {inside_.string()}});
  }
  void TearDown() override { std::filesystem::remove_all(outside_); }

  std::filesystem::path outside_;
  std::filesystem::path inside_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(Sandbox, ReadsBeneathTheServedFolder) {
  const auto rows =
      integers(*engine_, {.sql = "SELECT a FROM read_csv('" + inside_.string() + "/data.csv')"});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_THAT(*rows, ::testing::ElementsAre(1));
}

TEST_F(Sandbox, ReadsAnOpenDescriptorOfAServedFile) {
  std::FILE* file = std::fopen((inside_ / "data.csv").c_str(), "r");
  ASSERT_NE(file, nullptr);
  const auto rows = integers(
      *engine_, {.sql = "SELECT a FROM read_csv('/proc/self/fd/" + std::to_string(fileno(file)) + "')"});
  std::fclose(file);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
}

TEST_F(Sandbox, V4RefusesEveryOtherFile) {
  const std::string out = outside_.string();
  for (const std::string& sql : std::vector<std::string>{
           "SELECT * FROM read_text('/etc/passwd')",
           "SELECT * FROM read_blob('/etc/passwd')",
           "SELECT * FROM read_csv('/etc/passwd')",
           "SELECT * FROM '/etc/passwd'",
           "SELECT * FROM glob('/etc/*')",
           "SELECT * FROM glob('/*')",
           "SELECT * FROM parquet_metadata('/etc/passwd')",
           "SELECT * FROM parquet_schema('/etc/passwd')",
           "SELECT * FROM sniff_csv('/etc/passwd')",
           "SELECT * FROM read_csv('" + out + "/secret.csv')",
           "SELECT * FROM read_csv('" + out + "/served-too/secret.csv')",
           "SELECT * FROM read_csv('" + out + "/served/../secret.csv')",
           "SELECT * FROM read_csv('" + out + "/served/link.csv')",
           "SELECT * FROM read_csv('http://169.254.169.254/latest/meta-data')",
           "SELECT * FROM read_parquet('s3://bucket/key')",
           "SELECT * FROM read_csv('/proc/self/environ')",
       }) {
    const auto rows = engine_->query({.sql = sql}, {});
    EXPECT_FALSE(rows.ok()) << sql;
  }
}

TEST_F(Sandbox, V4RefusesToWriteAttachLoadOrSet) {
  const std::string out = outside_.string();
  for (const std::string& sql : std::vector<std::string>{
           "COPY (SELECT 1) TO '" + out + "/stolen.csv'",
           "EXPORT DATABASE '" + out + "/stolen'",
           "ATTACH '" + out + "/stolen.db' AS stolen",
           "INSTALL httpfs",
           "LOAD httpfs",
           "LOAD '" + out + "/evil.duckdb_extension'",
           "SET enable_external_access = true",
           "SET allowed_directories = ['/']",
           "RESET lock_configuration",
           "PRAGMA threads = 64",
           "SET memory_limit = '100GB'",
           "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
       }) {
    EXPECT_FALSE(engine_->execute({.sql = sql}, {}).ok()) << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(outside_ / "stolen.csv"));
  EXPECT_FALSE(std::filesystem::exists(outside_ / "stolen"));
  EXPECT_FALSE(std::filesystem::exists(outside_ / "stolen.db"));
}

TEST_F(Sandbox, AllowsItsScratchFolderAndNothingBesides) {
  const auto engine =
      open_engine({.folders = {inside_.string()}, .scratch_folder = (outside_ / "scratch").string()});
  EXPECT_FALSE(
      engine->query({.sql = "SELECT * FROM read_csv('" + outside_.string() + "/secret.csv')"}, {}).ok());
  EXPECT_TRUE(engine->query({.sql = "SELECT * FROM read_csv('" + inside_.string() + "/data.csv')"}, {}).ok());
}

TEST(SandboxWithoutFolders, ReadsNothing) {
  const auto engine = open_engine();
  EXPECT_FALSE(engine->query({.sql = "SELECT * FROM read_text('/etc/hostname')"}, {}).ok());
}

}  // namespace
}  // namespace sluice::engine
