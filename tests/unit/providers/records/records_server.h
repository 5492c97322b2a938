#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "sluice/records/store.h"
#include "sluice/records_provider/records_provider.h"

#include "temp_folder.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::records_provider::testing {

using server::testing::TestClient;
using server::testing::WireMessage;

// How a call ended: with a result, or with an error that has a code.
struct Outcome {
  std::string code;  // Empty for a result.
  std::string text;  // The object that the tool answered with.
  WireMessage answer() const;
};

// A folder of records.
class RecordFolder {
 public:
  // <name>/<name>.parquet with the rows of a SELECT.
  void make(const std::string& name, const std::string& select) const {
    make_file(name + "/" + name + ".parquet", select);
  }
  void make_file(const std::string& path, const std::string& select) const;
  void make_tasks() const;  // Six tasks.

  const fs::TempFolder& folder() const { return folder_; }

 private:
  fs::TempFolder folder_;
};

enum class Access { kReadOnly, kWritable };

// A server over such a folder.
class RecordServer {
 public:
  explicit RecordServer(const RecordFolder& folder, Budget budget = {}, Access access = Access::kReadOnly,
                        const std::string& exchange = "");
  // Over a store that is opened as `options` say.
  RecordServer(const RecordFolder& folder, const records::StoreOptions& options, Budget budget = {});

  TestClient& client() { return *client_; }
  std::unique_ptr<TestClient> connect(server::testing::Dialect dialect);
  records::Store& store() { return *store_; }

  // Calls a tool. The test fails where an error has no code or no hint, is the server's own fault, or tells
  // where files are.
  Outcome call(std::string_view tool, std::string_view arguments);
  WireMessage answer(std::string_view tool, std::string_view arguments);  // Of a call that succeeds.
  std::string code(std::string_view tool, std::string_view arguments) { return call(tool, arguments).code; }

  WireMessage read(const std::string& uri);        // The object of a resource.
  WireMessage read_reply(const std::string& uri);  // The whole answer.

 private:
  std::string folder_;
  std::unique_ptr<records::Store> store_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

std::string test_data(std::string_view path);
// A member of every object of a list: "a b c".
std::string each(const json::Value& list, std::string_view member);

}  // namespace sluice::records_provider::testing
