// SELECTs of the operator, whose parameters come from callers.

#include <string>

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;

constexpr const char* kUsers =
    "CREATE TABLE users (id int PRIMARY KEY, name text, joined date); INSERT INTO users VALUES (1, 'Ada', "
    "'2024-05-17'), "
    "(2, 'O''Brien', NULL), (3, '$1', NULL)";

// The rows, or the code of what went wrong.
std::vector<std::string> ask(const DatabaseServer& server, const std::string& sql,
                             std::vector<std::string> parameters, std::uint64_t rows_max = 100) {
  const Result<std::vector<std::string>> rows = server.databases().ask({.database = "shop",
                                                                        .sql = sql,
                                                                        .parameters = std::move(parameters),
                                                                        .rows_max = rows_max,
                                                                        .bytes_max = 10'000},
                                                                       {});
  return rows.ok() ? *rows : std::vector<std::string>{rows.error().code};
}

void expect_values_are_bound(const DatabaseServer& server) {
  const std::string by_name = "SELECT id FROM users WHERE name = $1";
  EXPECT_THAT(ask(server, by_name, {"O'Brien"}), ElementsAre(R"({"id":2})"));
  EXPECT_THAT(ask(server, by_name, {"$1"}), ElementsAre(R"({"id":3})"));
  EXPECT_THAT(ask(server, by_name, {"' OR '1'='1"}), ElementsAre());
  EXPECT_THAT(ask(server, by_name, {std::string(50'000, 'x')}), ElementsAre());
  EXPECT_THAT(ask(server, by_name, {std::string("Ada\0x", 5)}),
              AnyOf(ElementsAre(), ElementsAre("invalid_value")));
  const std::string by_id = "SELECT name FROM users WHERE id = $1";
  EXPECT_THAT(ask(server, by_id, {"1"}), ElementsAre(R"({"name":"Ada"})"));
  for (const char* value : {"1 OR 1=1", "x", "", "99999999999999999999", "1;DELETE FROM users"})
    EXPECT_THAT(ask(server, by_id, {value}),
                AnyOf(ElementsAre(), ElementsAre("invalid_value"), ElementsAre("out_of_range")))
        << value;
  EXPECT_THAT(ask(server, "SELECT id FROM users ORDER BY id", {}, 2), ElementsAre("oversize_result"));
  EXPECT_THAT(ask(server, "SELECT id FROM users ORDER BY id LIMIT 2", {}, 2),
              ElementsAre(R"({"id":1})", R"({"id":2})"));
}

void expect_only_selects_run(const DatabaseServer& server) {
  for (const char* sql :
       {"DELETE FROM users", "SELECT 1; DELETE FROM users", "DROP TABLE users",
        "INSERT INTO users VALUES (9, 'x', NULL) RETURNING id", "SELECT nothing FROM users"}) {
    const auto rows = server.databases().ask(
        {.database = "shop", .sql = sql, .parameters = {}, .rows_max = 10, .bytes_max = 1'000}, {});
    EXPECT_FALSE(rows.ok()) << sql;
  }
  EXPECT_THAT(ask(server, "SELECT count(*) AS n FROM users", {}), ElementsAre(R"({"n":3})"));
  EXPECT_FALSE(server.databases()
                   .ask({.database = "other", .sql = "SELECT 1", .rows_max = 1, .bytes_max = 100}, {})
                   .ok());
}

TEST(AskSqlite, BindsValuesInSqlite) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kUsers);
  const DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))});
  expect_values_are_bound(server);
  expect_only_selects_run(server);
  // A column that is a number in one row and text in the next is text.
  EXPECT_THAT(ask(server, "SELECT 1 AS x UNION ALL SELECT 'a'", {}),
              ElementsAre(R"({"x":"1"})", R"({"x":"a"})"));
}

TEST(Ask, MatchesRegularExpressionsInSqlite) {
  const TestFolder folder;
  SqliteWriter(folder.at("shop.db")).run(kUsers);
  const DatabaseServer server({sqlite_spec("shop", folder.at("shop.db"))});
  EXPECT_THAT(ask(server, "SELECT id FROM users WHERE name REGEXP $1", {"^A|Br"}),
              ElementsAre(R"({"id":1})", R"({"id":2})"));
  EXPECT_THAT(ask(server, "SELECT id FROM users WHERE regex($1, name)", {"^\\$\\d$"}),
              ElementsAre(R"({"id":3})"));
  EXPECT_THAT(ask(server, "SELECT id FROM users WHERE regex($1, name)", {"("}), ElementsAre("invalid_query"));
}

class AskPostgres : public ::testing::TestWithParam<int> {};

TEST_P(AskPostgres, BindsValues) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
  postgres(GetParam()).run(kUsers);
  const DatabaseServer server({spec});
  expect_values_are_bound(server);
  expect_only_selects_run(server);
  EXPECT_THAT(ask(server, "SELECT id, joined FROM users WHERE joined = $1 -- a comment", {"2024-05-17"}),
              ElementsAre(R"({"id":1,"joined":"2024-05-17"})"));
}

INSTANTIATE_TEST_SUITE_P(Both, AskPostgres, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
