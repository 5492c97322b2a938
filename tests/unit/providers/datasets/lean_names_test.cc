#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using server::testing::kLegacyHttp;
using server::testing::kLegacyPipe;
using server::testing::kModernHttp;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kMine[] = "token:mine";

class LeanNames : public ::testing::TestWithParam<Dialect> {
 protected:
  LeanNames() {
    folder.write("people.csv", "id,name\n1,Ann\n2,Bob\n3,Cid\n");
    server = std::make_unique<LeanServer>(folder);
  }

  std::unique_ptr<TestClient> connect(Dialect dialect, const std::string& principal = kMine) {
    return server->server().connect(dialect, {.principal = {.id = principal}});
  }
  static std::string query(TestClient& client, const std::string& sql, const std::string& more = "") {
    return client.call_tool("query", "{\"sql\":\"" + sql + "\"" + more + "}")
        .text({"result", "content", 0, "text"});
  }
  // What the answer says about the result that it keeps.
  static std::string kept(TestClient& client, const std::string& sql, const std::string& key,
                          const std::string& more = ",\"max_rows\":1") {
    return client.call_tool("query", "{\"sql\":\"" + sql + "\"" + more + "}")
        .text({"result", "_meta", "sluice/result", key.c_str()});
  }

  TestFolder folder;
  std::unique_ptr<LeanServer> server;
};

TEST_P(LeanNames, BelongToOneSessionOfAPrincipal) {
  const auto one = connect(GetParam());
  const auto other = connect(GetParam());
  EXPECT_EQ(kept(*one, "SELECT id FROM people ORDER BY id", "name"), "r1");
  EXPECT_THAT(query(*other, "SELECT * FROM r1"), HasSubstr("unknown_handle"));
  EXPECT_EQ(kept(*other, "SELECT name FROM people ORDER BY id", "name"), "r1");
  EXPECT_EQ(query(*one, "SELECT * FROM r1"), "id\n1\n2\n3\n");
  EXPECT_EQ(query(*other, "SELECT * FROM R1"), "name\nAnn\nBob\nCid\n");
  query(*one, "SELECT 1 AS n", ",\"name\":\"mine\"");
  EXPECT_THAT(query(*other, "SELECT * FROM mine"), HasSubstr("dataset_not_found"));
  query(*other, "SELECT 2 AS n", ",\"name\":\"mine\"");
  EXPECT_EQ(query(*one, "SELECT * FROM mine"), "n\n1\n");
  EXPECT_EQ(query(*other, "SELECT * FROM mine"), "n\n2\n");
}
INSTANTIATE_TEST_SUITE_P(Legacy, LeanNames, ::testing::Values(kLegacyHttp, kLegacyPipe));

TEST_F(LeanNames, OfAPrincipalWithoutSessionsAreItsOwnAndRandom) {
  const auto one = connect(kModernHttp);
  const auto other = connect(kModernHttp);
  const auto stranger = connect(kModernHttp, "token:yours");
  std::set<std::string> names;
  for (int i = 0; i < 8; ++i) names.insert(kept(*one, "SELECT id FROM people ORDER BY id", "name"));
  EXPECT_EQ(names.size(), 8U);
  for (const std::string& name : names) EXPECT_THAT(name, MatchesRegex("r[1-9][0-9]{5}"));
  const std::string name = *names.begin();
  EXPECT_EQ(query(*other, "SELECT * FROM " + name), "id\n1\n2\n3\n");
  EXPECT_THAT(query(*stranger, "SELECT * FROM " + name), HasSubstr("unknown_handle"));
  query(*one, "SELECT 1 AS n", ",\"name\":\"mine\"");
  EXPECT_EQ(query(*other, "SELECT * FROM mine"), "n\n1\n");
  EXPECT_THAT(query(*stranger, "SELECT * FROM mine"), HasSubstr("dataset_not_found"));
}

TEST_F(LeanNames, OfSessionsAreNotThoseOfCallsWithoutOne) {
  const auto session = connect(kLegacyHttp);
  const auto modern = connect(kModernHttp);
  query(*session, "SELECT 1 AS n", ",\"name\":\"mine\"");
  EXPECT_THAT(query(*modern, "SELECT * FROM mine"), HasSubstr("dataset_not_found"));
}

TEST_F(LeanNames, AreNotNeededByThoseWhoHaveTheHandle) {
  const auto one = connect(kLegacyHttp);
  const std::string handle = kept(*one, "SELECT id FROM people ORDER BY id", "handle");
  const std::string sql = "SELECT * FROM handle.\\\"" + handle + "\\\"";
  for (const Dialect dialect : {kLegacyHttp, kModernHttp})
    EXPECT_EQ(query(*connect(dialect), sql), "id\n1\n2\n3\n");
  EXPECT_THAT(query(*connect(kLegacyHttp, "token:yours"), sql), HasSubstr("unknown_handle"));
  EXPECT_THAT(query(*one, "SELECT * FROM handle.\\\"nonsense\\\""), HasSubstr("unknown_handle"));
}

TEST_F(LeanNames, OfExpiredResultsAreUnknownLikeThoseThatNeverWere) {
  const auto one = connect(kLegacyPipe);
  const std::string handle = kept(*one, "SELECT 1 AS n", "handle", ",\"name\":\"mine\"");
  EXPECT_EQ(kept(*one, "SELECT id FROM people ORDER BY id", "name"), "r1");
  server->server().clock->advance(std::chrono::hours(2));
  EXPECT_THAT(query(*one, "SELECT * FROM r1"), HasSubstr("unknown_handle"));
  EXPECT_THAT(query(*one, "SELECT * FROM r2"), HasSubstr("unknown_handle"));
  EXPECT_THAT(query(*one, "SELECT * FROM handle.\\\"" + handle + "\\\""), HasSubstr("unknown_handle"));
  EXPECT_THAT(query(*one, "SELECT * FROM mine"), ContainsRegex("dataset_not_found.*Results expire"));
  EXPECT_THAT(query(*one, "SELECT * FROM peopl"), ContainsRegex("dataset_not_found.*people.*Results expire"));
}

TEST(ResultNames, EndWithTheirSession) {
  const auto is_free = [](std::string_view) { return false; };
  lean::ResultNames names;
  auto session = std::make_shared<int>(1);
  const lean::ResultNames::Owner owner{.principal = local_principal(), .session = session};
  EXPECT_EQ(names.keep(owner, "", "h1", is_free), "r1");
  EXPECT_EQ(names.keep(owner, "", "h2", is_free), "r2");
  EXPECT_EQ(names.size(), 2U);
  session = std::make_shared<int>(2);
  const lean::ResultNames::Owner next{.principal = local_principal(), .session = session};
  EXPECT_EQ(names.keep(next, "", "h3", is_free), "r1");
  EXPECT_EQ(names.size(), 1U);
  EXPECT_EQ(names.find(next, "r1"), "h3");
}

TEST(ResultNames, AreBoundedForEachOwnerAndForAll) {
  const auto is_free = [](std::string_view) { return false; };
  lean::ResultNames names;
  const lean::ResultNames::Owner first{.principal = {.id = "first"}, .session = {}};
  names.keep(first, "kept", "h", is_free);
  for (int i = 0; i < 400; ++i) {
    const lean::ResultNames::Owner other{.principal = {.id = std::to_string(i)}, .session = {}};
    for (int k = 0; k < 300; ++k) names.keep(other, "n" + std::to_string(k), "h", is_free);
    EXPECT_FALSE(names.find(other, "n0"));
    EXPECT_TRUE(names.find(other, "n299"));
    EXPECT_TRUE(names.find(first, "kept")) << "used a moment ago, after " << i;
  }
  EXPECT_LE(names.size(), 65'536U);
  EXPECT_FALSE(names.find({.principal = {.id = "0"}, .session = {}}, "n299"));
}

}  // namespace
}  // namespace sluice::datasets::testing
