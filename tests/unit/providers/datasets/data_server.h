#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "sluice/datasets/datasets_provider.h"
#include "sluice/query/file_dataset.h"

#include "test_client.h"
#include "test_server.h"

namespace sluice::datasets::testing {

using server::testing::ClientOptions;
using server::testing::Dialect;
using server::testing::TestClient;
using server::testing::TestClock;
using server::testing::WireMessage;

// The sample collection: dimensions year and source_type.
std::shared_ptr<const query::Collection> budget_collection();
// What a folder without configuration becomes.
std::shared_ptr<const query::Collection> plain_collection();

struct DataServerOptions {
  Limits limits{.usual = {}, .ceiling = {.tokens = 25'000}};
  query::SpoolOptions spool;
  std::uint64_t memory_bytes_max = std::uint64_t{1} << 30U;
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  std::uint64_t copies_bytes_max = std::uint64_t{1} << 30U;  // Of files of text.
  bool arrow_ipc = false;
  bool analysis_tools = false;
  ToolProfile profile = ToolProfile::kFull;
  Policies policies;
  std::string equivalencies;  // A file for them. Empty: none can be registered.
};

// A server over the files of one folder.
class DataServer {
 public:
  DataServer(std::string folder, std::shared_ptr<const query::Collection> collection,
             DataServerOptions options = {});
  static DataServer budget(DataServerOptions options = {});

  void rescan();  // Puts the files there are now into the registry, and counts their rows.
  TestClient& client() { return *client_; }
  std::string spool_folder() const { return spool_->folder(); }
  std::unique_ptr<TestClient> connect(Dialect dialect, ClientOptions options = {});

  // The object that a tool answers with, an error's included.
  json::Value call(std::string_view tool, std::string_view arguments);
  std::string text(std::string_view tool, std::string_view arguments);
  std::string code(std::string_view tool, std::string_view arguments);  // Of an error; "" where it is none.

  query::Registry registry;
  std::unique_ptr<TestClock> clock = std::make_unique<TestClock>();

  // How the attempt ended to copy the rows of this version of the dataset in columns. Waits for its end; each
  // is reported once.
  Status copied(const std::string& dataset);

 private:
  struct Copied {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, Status> by_version;  // The name and the version.
  };

  std::string folder_;
  std::shared_ptr<const query::Collection> collection_;  // Shared with its datasets.
  std::shared_ptr<const fs::Root> root_;                 // Shared with its datasets.
  std::unique_ptr<query::Tables> tables_;
  std::unique_ptr<query::Spool> spool_;
  std::unique_ptr<query::EngineSlot> engines_;
  std::shared_ptr<query::FileCopies> copies_;  // Shared with the datasets.
  std::unique_ptr<Copied> copied_ = std::make_unique<Copied>();
  std::unique_ptr<query::ColumnCopier> copier_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

// A folder for one test, gone with it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string path() const { return path_.string(); }
  void write(const std::string& name, std::string_view content) const;
  // A file that has been left alone for a while: only then is anything of it kept or copied.
  void write_settled(const std::string& name, std::string_view content, int hours_ago = 2) const;

 private:
  std::filesystem::path path_;
};

std::string test_data(std::string_view path);

}  // namespace sluice::datasets::testing
