#pragma once

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "sluice/engine/postgres.h"

#include "database_testing.h"
#include "postgres_server.h"

namespace sluice::engine {

// One server of each version for the whole program, started when the first test needs it.
inline testing_support::PostgresServer& server_of(int version) {
  static std::unique_ptr<testing_support::PostgresServer> servers[2];
  std::unique_ptr<testing_support::PostgresServer>& server = servers[version == 15 ? 0 : 1];
  if (!server) {
    server = std::make_unique<testing_support::PostgresServer>(version, SLUICE_REPOSITORY);
    server->run(
        "CREATE ROLE reader LOGIN PASSWORD 'reader-secret'; ALTER DEFAULT PRIVILEGES GRANT SELECT ON "
        "TABLES TO reader; ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO reader; "
        "GRANT CREATE, USAGE ON SCHEMA public TO reader");
  }
  return *server;
}

inline std::unique_ptr<Database> open_as(testing_support::PostgresServer& server, const std::string& role,
                                         PostgresOptions options = {}) {
  options.url = server.url(role, role + "-secret");
  return std::move(open_postgres(options)).value();
}

// Tests that run against both versions.
class PostgresTest : public testing::TestWithParam<int> {
 protected:
  testing_support::PostgresServer& server() { return server_of(GetParam()); }
  std::unique_ptr<Database> reader(PostgresOptions options = {}) {
    return open_as(server(), "reader", std::move(options));
  }
};

inline std::string version_name(const testing::TestParamInfo<int>& version) {
  return "Version" + std::to_string(version.param);
}

}  // namespace sluice::engine
