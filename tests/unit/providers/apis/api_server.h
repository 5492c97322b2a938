#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/apis/apis_provider.h"

#include "compressed.h"
#include "http_fixture.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::apis::testing {

using fetch::testing::Answer;
using fetch::testing::HttpFixture;
using fetch::testing::SeenRequest;
using server::testing::TestClient;
using server::testing::TestClock;
using server::testing::WireMessage;

// An API at the fixture, with the endpoints that most tests need.
ApiSpec api_at(const HttpFixture& fixture);

// A server over APIs.
class ApiServer {
 public:
  explicit ApiServer(const ApiSpec& api) : ApiServer(std::vector<ApiSpec>{api}) {}
  explicit ApiServer(const std::vector<ApiSpec>& apis);

  TestClient& client() { return *client_; }
  TestClock& clock() { return clock_; }
  std::unique_ptr<TestClient> connect(server::testing::Dialect dialect,
                                      server::testing::ClientOptions options = {});

  WireMessage reply(const std::string& uri);  // To resources/read.
  std::string text(const std::string& uri);   // Of its contents. The test fails on an error.
  std::string type(const std::string& uri);
  std::string bytes(const std::string& uri);  // Of a blob.
  std::string next(const std::string& uri);   // sluice/next of its contents, or "".
  std::string listed(const char* method, const char* list, const char* member);  // Joined by spaces.

  // A read that must be refused as one that nothing stands at.
  void expect_not_found(const std::string& uri);

 private:
  TestClock clock_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

}  // namespace sluice::apis::testing
