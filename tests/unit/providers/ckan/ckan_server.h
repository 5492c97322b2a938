#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/budget.h"
#include "sluice/ckan/ckan_provider.h"

#include "portal_fixture.h"
#include "test_client.h"
#include "test_server.h"

namespace sluice::ckan::testing {

using server::testing::TestClient;
using server::testing::TestClock;
using server::testing::WireMessage;

// The fixture as dati.gov.it, and as demo.ckan.org.
CkanSpec spec_at(const PortalFixture& fixture);

// A server over portals.
class CkanServer {
 public:
  explicit CkanServer(const PortalFixture& fixture) : CkanServer(spec_at(fixture)) {}
  explicit CkanServer(const CkanSpec& spec, const Budget& budget = {});

  TestClient& client() { return *client_; }
  TestClock& clock() { return clock_; }

  WireMessage reply(const std::string& uri);  // To resources/read.
  std::string text(const std::string& uri);   // Of its contents. The test fails on an error.
  json::Value json(const std::string& uri);   // The same, read.
  std::string code(const std::string& uri);   // Of an error; "" where it is none.
  json::Value call(const std::string& tool, const json::Object& arguments);  // structuredContent.
  std::string markdown(const std::string& tool, const json::Object& arguments);
  std::string tool_error(const std::string& tool, const json::Object& arguments);  // Its code.
  WireMessage call_raw(const std::string& tool, const json::Object& arguments);

 private:
  TestClock clock_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

// What a path of keys and numbers leads to, as text: "results/0/name".
std::string at(const json::Value& value, std::string_view path);
std::size_t size_at(const json::Value& value, std::string_view path);

}  // namespace sluice::ckan::testing
