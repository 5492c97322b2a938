#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/databases/databases_provider.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/query/file_dataset.h"
#include "sluice/query/row_counter.h"

#include "postgres_server.h"
#include "sqlite_writer.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::databases::testing {

using engine::SqliteWriter;
using server::testing::TestClient;
using server::testing::WireMessage;
using testing_support::PostgresServer;

struct DatabaseServerOptions {
  std::string folder;  // Of files that are datasets, too. Empty: there are none.
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  datasets::Limits limits{.usual = {}, .ceiling = {.tokens = 1'000'000}};
  datasets::ToolProfile profile = datasets::ToolProfile::kFull;
};

// A server over databases, with the tools for datasets, the db:// resources and the two tools that mirror
// them.
class DatabaseServer {
 public:
  explicit DatabaseServer(std::vector<DatabaseSpec> specs, const DatabaseServerOptions& options = {});

  TestClient& client() { return *client_; }
  const Databases& databases() const { return *databases_; }
  std::unique_ptr<TestClient> connect(server::testing::Dialect dialect);

  std::string text(std::string_view tool, std::string_view arguments);
  json::Value call(std::string_view tool, std::string_view arguments);  // An error's object included.
  std::string code(std::string_view tool, std::string_view arguments);  // Of an error; "" where it is none.
  // The member of an answer as JSON; "" where there is none.
  std::string member(std::string_view tool, std::string_view arguments, std::string_view key);

  WireMessage read(const std::string& uri);
  std::string contents(const std::string& uri);  // Of the first. The test fails on an error.
  std::vector<std::string> listed();             // URIs, over all pages.

  // Whether the database answers the question itself.
  bool is_pushed_down(const std::string& dataset, std::string_view arguments);
  // The same of a SELECT over `data`.
  bool is_statement_pushed_down(const std::string& dataset, std::string_view sql);

  // Looks again and again until `done`, within a bounded time. False: it never was.
  bool comes_true(const std::function<bool()>& done) const;
  const std::string& spool_folder() const { return spool_->folder(); }
  // Everything that was sent to clients and logged through this object's calls, to look for secrets in.
  const std::string& said() const { return said_; }

  query::Registry registry;

 private:
  void serve_files(const std::string& folder);

  const std::shared_ptr<engine::Sources> sources_ = std::make_shared<engine::Sources>();  // With the engine.
  std::shared_ptr<const fs::Root> root_;       // Shared with the datasets that are files.
  std::shared_ptr<query::FileCopies> copies_;  // Shared with the datasets.
  std::unique_ptr<query::Tables> tables_;
  std::unique_ptr<query::Spool> spool_;
  std::unique_ptr<query::EngineSlot> engines_;
  std::unique_ptr<Databases> databases_;
  std::unique_ptr<query::RowCounter> counter_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
  std::string said_;
};

// One PostgreSQL of each version for the whole program, started when the first test needs it. Its role
// `reader` has the password "reader-secret" and can read what the owner makes.
PostgresServer& postgres(int version);
DatabaseSpec postgres_spec(const std::string& name, PostgresServer& server);
// What a test makes there lives in a database of its own, by this name; it is made anew.
DatabaseSpec fresh_postgres(const std::string& name, PostgresServer& server);

// A folder for one test, gone with it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string path() const { return path_.string(); }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

DatabaseSpec sqlite_spec(const std::string& name, const std::string& path);

std::string in_json(std::string_view text);  // As a JSON string, with its quotes.

}  // namespace sluice::databases::testing
