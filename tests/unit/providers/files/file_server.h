#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/files/files_provider.h"

#include "temp_folder.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::files::testing {

using server::testing::TestClient;
using server::testing::WireMessage;

// A server over folders.
class FileServer {
 public:
  explicit FileServer(const fs::TempFolder& folder);
  explicit FileServer(const std::vector<FolderSpec>& folders);

  TestClient& client() { return *client_; }
  std::unique_ptr<TestClient> connect(server::testing::Dialect dialect);

  WireMessage reply(const std::string& uri);  // To resources/read.
  std::string text(const std::string& uri);   // Of the first of its contents. The test fails on an error.
  std::string bytes(const std::string& uri);  // The same of a blob.
  // That member of every resource, over all pages.
  std::vector<std::string> listed(const char* member);
  std::string completed(std::string_view typed);  // The values, as JSON.

  // A read that must be refused as one that nothing stands at.
  void expect_not_found(const std::string& uri);

 private:
  std::vector<std::string> places_;  // No answer may name them.
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

}  // namespace sluice::files::testing
