#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/git/git_provider.h"

#include "test_client.h"
#include "test_repository.h"
#include "test_server.h"

namespace sluice::git::testing {

using server::testing::TestClient;
using server::testing::WireMessage;

// A server over repositories.
class GitServer {
 public:
  explicit GitServer(const TestRepository& repository);
  explicit GitServer(const std::vector<RepositorySpec>& repositories);

  TestClient& client() { return *client_; }
  std::unique_ptr<TestClient> connect(server::testing::Dialect dialect);

  WireMessage reply(const std::string& uri);                     // To resources/read.
  std::string text(const std::string& uri);                      // The test fails on an error.
  std::string meta(const std::string& uri, const char* member);  // Of the contents' `_meta`.
  json::Value json(const std::string& uri);                      // The text, read.
  std::vector<std::string> listed(const char* method, const char* list, const char* member);
  // The values, as JSON. `resolved` is a JSON object.
  std::string completed(const char* uri_template, const char* argument, std::string_view typed,
                        std::string_view resolved = "{}");

  // A read that must be refused as one that nothing stands at.
  void expect_not_found(const std::string& uri);

 private:
  std::vector<std::string> places_;  // No answer may name them.
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

}  // namespace sluice::git::testing
