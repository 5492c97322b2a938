#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "sluice/engine/database.h"
#include "sluice/engine/postgres.h"

#include "postgres_server.h"

namespace sluice::databases::testing {

using testing_support::PostgresServer;

// A connection of the owner's, for what has to be seen at once: psql takes too long to start.
class Owner {
 public:
  explicit Owner(PostgresServer& server) {
    engine::PostgresOptions options;
    options.url = server.url(PostgresServer::kOwner, "owner-secret");
    options.powerful_roles = engine::PowerfulRoles::kAllow;
    database_ = engine::open_postgres(options).value();
  }

  std::int64_t number(const std::string& sql) {
    const engine::Select select{.statement = {.sql = sql, .parameters = {}},
                                .columns = {{.name = "n", .type = {.id = engine::TypeId::kInt64}}},
                                .table = {}};
    const Result<std::unique_ptr<engine::Rows>> rows = database_->query(select, {});
    const Result<const engine::Batch*> batch = rows.ok() ? (*rows)->next() : rows.error();
    if (!batch.ok() || *batch == nullptr) {
      ADD_FAILURE() << sql;
      return -1;
    }
    return (*batch)->columns[0].at<std::int64_t>(0);
  }

  // Connections of the role that runs questions.
  std::int64_t connections(const std::string& condition = "true") {
    return number("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND " + condition);
  }
  // Whatever is in a transaction, even if it does nothing there.
  std::int64_t busy() { return connections("state <> 'idle'"); }

 private:
  std::unique_ptr<engine::Database> database_;
};

}  // namespace sluice::databases::testing
