#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sluice/query/engine_slot.h"
#include "sluice/query/registry.h"
#include "sluice/query/spool.h"
#include "sluice/query/tables.h"

#include "ckan_server.h"

namespace sluice::ckan::testing {

// A server over portals whose files can be queried.
class FileServer {
 public:
  explicit FileServer(const PortalFixture& fixture) : FileServer(spec_at(fixture)) {}
  explicit FileServer(const CkanSpec& spec);

  TestClient& client() { return *client_; }
  TestClock& clock() { return clock_; }

  // The resource `id` is at `url`, and called `format`.
  static void offer(PortalFixture& fixture, const std::string& url, const std::string& format = "CSV");
  // ckan_query_file about that resource: its structured content, or the error object.
  json::Value query(json::Object arguments = {});
  std::string code(const json::Object& arguments = {});  // Of the error; "" where there is none.
  std::string rows(json::Object arguments = {});         // `data` as JSON, in the shape of columns.
  WireMessage call(const std::string& tool, const json::Object& arguments);

 private:
  TestClock clock_;
  query::Registry registry_;
  std::unique_ptr<query::Spool> spool_;
  std::unique_ptr<query::Tables> tables_;
  std::unique_ptr<query::EngineSlot> engines_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<TestClient> client_;
};

// A zip file that holds these, stored as they are.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& files);
// One file that unpacks to at least so many bytes, whatever the directory claims.
std::string zip_bomb(std::string name, std::size_t bytes, std::uint32_t claimed);

}  // namespace sluice::ckan::testing
