// What databases send is asked about before it is large, and never exceeds its bound.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// `big` has 20,000 rows of about 110 bytes, `left_half` and `right_half` 5,000 each. `few` has 3 rows.
constexpr const char* kTables =
    "CREATE TABLE big (id INTEGER PRIMARY KEY, t TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i "
    "+ 1 FROM n "
    "WHERE i < 20000) INSERT INTO big SELECT i, printf('%0100d', i) FROM n; "
    "CREATE TABLE left_half AS SELECT id, t FROM big WHERE id <= 5000; "
    "CREATE TABLE right_half AS SELECT id, t FROM left_half; CREATE TABLE few (id INTEGER PRIMARY KEY); "
    "INSERT INTO few VALUES (1), (2), (3); ANALYZE";

class TransferOfSqlite : public ::testing::Test {
 protected:
  TransferOfSqlite() : writer_(folder_.path() + "/shop.db") {
    writer_.run(kTables);
    options_.profile = datasets::ToolProfile::kLean;
    options_.limits.confirm_transfer = 300'000;
  }

  DatabaseServer& server() {
    if (!server_) {
      server_ = std::make_unique<DatabaseServer>(
          std::vector<DatabaseSpec>{sqlite_spec("shop", folder_.path() + "/shop.db")}, options_);
      // Sizes are known once the rows have been counted.
      EXPECT_TRUE(server_->comes_true([&] {
        const query::Inventory all = server_->registry.inventory();
        return std::all_of(all.datasets().begin(), all.datasets().end(), [](const query::DatasetPtr& one) {
          return one->count_state() == query::CountState::kExact;
        });
      }));
    }
    return *server_;
  }
  std::string query(const std::string& sql, const std::string& more = "") {
    return server().text("query", R"({"sql":)" + in_json(sql) + more + "}");
  }
  int results() {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(server().spool_folder()))
      files += entry.path().extension() == ".parquet" ? 1 : 0;
    return files;
  }

  TestFolder folder_;
  SqliteWriter writer_;
  DatabaseServerOptions options_;
  std::unique_ptr<DatabaseServer> server_;
};

TEST_F(TransferOfSqlite, IsAskedAboutBeforeItBegins) {
  const std::string text = query("SELECT count(DISTINCT upper(t)) AS n FROM shop.big");
  EXPECT_THAT(
      text,
      StartsWith("# needs_confirmation: Databases would have to send about 0.3 MB (shop/big: 20000 rows"));
  EXPECT_THAT(text, HasSubstr("shop/big: 20000 rows"));
  EXPECT_EQ(query("SELECT count(DISTINCT upper(t)) AS n FROM shop.big", R"(,"confirm":true)"), "n\n20000\n");
}

TEST_F(TransferOfSqlite, OfWhatTheDatabaseComputesIsSmall) {
  EXPECT_EQ(query("SELECT count(*) AS n FROM shop.big"), "n\n20000\n");
  EXPECT_EQ(query("SELECT id FROM shop.big ORDER BY id LIMIT 1"), "id\n1\n");
  EXPECT_EQ(query("SELECT sum(id + 1) AS n FROM shop.big"),
            "n\n200030000\n");  // Numbers only: 160,000 bytes.
}

// SQLite does not guess how many rows a filter leaves.
TEST_F(TransferOfSqlite, ThatWasNotExpectedIsStopped) {
  const std::string text = query("SELECT count(DISTINCT upper(t)) AS n FROM shop.big WHERE id > 0");
  EXPECT_THAT(
      text,
      StartsWith("# needs_confirmation: The statement was stopped: databases have sent more than 0.3 MB"));
  EXPECT_EQ(query("SELECT count(DISTINCT upper(t)) AS n FROM shop.big WHERE id > 0", R"(,"confirm":true)"),
            "n\n20000\n");
}

TEST_F(TransferOfSqlite, ThatIsStoppedLeavesNoFile) {
  const std::string text = query("SELECT id, upper(t) AS u FROM shop.big WHERE id > 0", R"(,"name":"whole")");
  EXPECT_THAT(text, StartsWith("# needs_confirmation: The statement was stopped"));
  EXPECT_EQ(results(), 0);
  EXPECT_THAT(
      query("SELECT id, upper(t) AS u FROM shop.big WHERE id > 0", R"(,"name":"whole","confirm":true)"),
      HasSubstr("20,000 rows"));
  EXPECT_EQ(results(), 1);
}

TEST_F(TransferOfSqlite, HasABoundThatNoConfirmationPasses) {
  options_.limits.transfer_bytes_max = 800'000;
  const std::string arguments =
      R"({"sql":"SELECT count(DISTINCT upper(t)) AS n FROM shop.big WHERE id > 0","confirm":true})";
  EXPECT_EQ(server().code("query", arguments), "transfer_limit");
  // Of all reads of a statement together, and nothing is left of them: the next one runs.
  for (const char* half : {"left_half", "right_half"})
    EXPECT_EQ(
        query(std::string("SELECT count(DISTINCT upper(t)) AS n FROM shop.") + half, R"(,"confirm":true)"),
        "n\n5000\n");
  const std::string both =
      "SELECT count(*) AS n FROM shop.left_half a JOIN shop.right_half b ON upper(a.t) = upper(b.t)";
  EXPECT_EQ(server().code("query", R"({"sql":)" + in_json(both) + R"(,"confirm":true})"), "transfer_limit");
  EXPECT_EQ(query("SELECT count(*) AS n FROM shop.few"), "n\n3\n");
}

TEST_F(TransferOfSqlite, OfOneStatementOfAListStopsThatOneAlone) {
  options_.limits.transfer_bytes_max = 800'000;
  const std::string text = server().text(
      "query",
      R"({"sql":["SELECT count(*) AS n FROM shop.few","SELECT max(upper(t)) AS n FROM shop.big WHERE id > 0","SELECT 5 AS n"],)"
      R"("confirm":true})");
  EXPECT_THAT(text, StartsWith("-- 1\nn\n3\n-- 2\n# error transfer_limit: "));
  EXPECT_THAT(text, HasSubstr("-- 3\nn\n5\n"));
}

// Few rows of another table may tell which are needed: what is sent is not known before.
TEST_F(TransferOfSqlite, OfAJoinWithFewKeysIsNotAskedAboutBefore) {
  const std::string text = query("SELECT count(*) AS n FROM shop.few a JOIN shop.big b ON a.id = b.id");
  EXPECT_EQ(text, "n\n3\n");
}

}  // namespace
}  // namespace sluice::databases::testing
