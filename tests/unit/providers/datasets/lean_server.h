#pragma once

#include <string>
#include <string_view>

#include "data_server.h"
#include "outcome.h"

namespace sluice::datasets::testing {

// A folder of files behind the three tools of the lean profile.
class LeanServer {
 public:
  explicit LeanServer(const TestFolder& folder, DataServerOptions options = {})
      : server_(folder.path(), plain_collection(), lean(std::move(options))) {}

  // The text of a tool; an error's object where it failed.
  std::string text(std::string_view tool, std::string_view arguments) {
    return outcome(server_, tool, arguments).text;
  }
  std::string code(std::string_view tool, std::string_view arguments) {
    return outcome(server_, tool, arguments).code;
  }
  // The answer to one statement.
  std::string query(std::string_view sql) { return text("query", "{\"sql\":" + in_json(sql) + "}"); }
  std::string query_code(std::string_view sql) { return code("query", "{\"sql\":" + in_json(sql) + "}"); }

  DataServer& server() { return server_; }

 private:
  static DataServerOptions lean(DataServerOptions options) {
    options.profile = ToolProfile::kLean;
    return options;
  }

  DataServer server_;
};

}  // namespace sluice::datasets::testing
