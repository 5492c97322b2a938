// Tables as db:// resources.

#include <string>

#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A shop with 250 orders.
class TableResources : public ::testing::Test {
 protected:
  TableResources() : writer_(folder_.at("shop.db")) {
    writer_.run(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL); "
        "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace'); "
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customers(id), "
        "total REAL DEFAULT 0, note TEXT); CREATE UNIQUE INDEX by_note ON orders(note); "
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) "
        "INSERT INTO orders SELECT i, 1 + i % 2, i / 4.0, 'note ' || i FROM n; "
        "CREATE VIEW spent AS SELECT customer, sum(total) AS total FROM orders GROUP BY customer");
  }
  DatabaseServer& server() {
    if (!server_)
      server_ = std::make_unique<DatabaseServer>(std::vector{sqlite_spec("shop", folder_.at("shop.db"))});
    return *server_;
  }
  void expect_not_found(const std::string& uri) {
    const WireMessage reply = server().read(uri);
    EXPECT_EQ(reply.code(), -32602) << uri << json::to_text(reply.value()).substr(0, 300);
    EXPECT_EQ(reply.text({"error", "data", "code"}), "resource_not_found") << uri;
  }

  TestFolder folder_;
  SqliteWriter writer_;
  std::unique_ptr<DatabaseServer> server_;
};

TEST_F(TableResources, AreListedWithTheirSchemas) {
  EXPECT_THAT(server().listed(),
              ElementsAre("db://customers/data", "db://customers/schema", "db://orders/data",
                          "db://orders/schema", "db://spent/data", "db://spent/schema"));
}

TEST_F(TableResources, GiveTheFirst100RowsAndTellWhereTheNextAre) {
  const WireMessage reply = server().read("db://orders/data");
  EXPECT_THAT(reply.text({"result", "contents", 0, "text"}),
              StartsWith(R"([{"id":1,"customer":2,"total":0.25,"note":"note 1"},)"));
  EXPECT_EQ(reply.text({"result", "contents", 0, "mimeType"}), "application/json");
  EXPECT_EQ(reply.text({"result", "contents", 0, "_meta", "sluice/rows"}), "100");
  EXPECT_EQ(reply.text({"result", "contents", 0, "_meta", "sluice/next"}),
            "db://orders/data?limit=100&offset=100");
  const WireMessage last = server().read("db://orders/data?limit=100&offset=200");
  EXPECT_EQ(last.text({"result", "contents", 0, "_meta", "sluice/rows"}), "50");
  EXPECT_FALSE(last.has({"result", "contents", 0, "_meta", "sluice/next"}));
}

TEST_F(TableResources, FollowingTheNextUrisReadsEveryRowOnce) {
  std::string uri = "db://orders/data?limit=40&columns=note,id";
  std::string all;
  int pages = 0;
  while (!uri.empty() && pages < 20) {
    const WireMessage reply = server().read(uri);
    all += reply.text({"result", "contents", 0, "text"});
    uri = reply.has({"result", "contents", 0, "_meta", "sluice/next"})
              ? reply.text({"result", "contents", 0, "_meta", "sluice/next"})
              : "";
    ++pages;
  }
  EXPECT_EQ(pages, 7);
  for (int i = 1; i <= 250; ++i)
    EXPECT_THAT(all,
                HasSubstr(R"({"note":"note )" + std::to_string(i) + R"(","id":)" + std::to_string(i) + "}"));
}

TEST_F(TableResources, TakeLimitOffsetAndColumns) {
  EXPECT_EQ(server().contents("db://orders/data?limit=2&offset=1&columns=id,total"),
            R"([{"id":2,"total":0.5},{"id":3,"total":0.75}])");
  EXPECT_EQ(server().contents("db://orders?limit=1&columns=id"), R"([{"id":1}])");
  EXPECT_EQ(server().contents("db://orders/?limit=1&columns=id"), R"([{"id":1}])");
  EXPECT_EQ(server().contents("db://orders/data?limit=0"), "[]");
  EXPECT_EQ(server().contents("db://orders/data?offset=1000"), "[]");
  EXPECT_EQ(
      server().read("db://orders/data?limit=5000").text({"result", "contents", 0, "_meta", "sluice/rows"}),
      "250");
  EXPECT_EQ(server().read("db://orders/data?columns=nope").text({"error", "data", "code"}), "invalid_column");
}

TEST_F(TableResources, TakeAnOrder) {
  EXPECT_EQ(server().contents("db://orders/data?limit=2&columns=id&order=-id"), R"([{"id":250},{"id":249}])");
  EXPECT_EQ(server().contents("db://orders/data?limit=2&columns=id&order=-customer,id"),
            R"([{"id":1},{"id":3}])");
  EXPECT_EQ(server().contents("db://spent/data?columns=customer&order=-customer"),
            R"([{"customer":2},{"customer":1}])");
  const WireMessage reply = server().read("db://orders/data?limit=2&columns=id&order=-id");
  EXPECT_EQ(reply.text({"result", "contents", 0, "_meta", "sluice/next"}),
            "db://orders/data?limit=2&offset=2&columns=id&order=-id");
  EXPECT_EQ(server().read("db://orders/data?order=-nope").text({"error", "data", "code"}), "invalid_column");
  expect_not_found("db://orders/schema?order=id");
}

TEST_F(TableResources, WithOtherParametersAreNotThere) {
  for (const char* uri :
       {"db://orders/data?limit=x", "db://orders/data?limit=-1", "db://orders/data?where=1",
        "db://orders/data?limit=1&limit=2", "db://orders/data?format=csv", "db://orders/schema?limit=1",
        "db://orders/schema?format=xml", "db://order/data", "db://orders/other", "db://shop/orders/data",
        "db:///data", "db://", "db://orders/data/data", "db://Orders/data", "db://orders%00/data",
        "db://%6frders%2Fdata"})
    expect_not_found(uri);
}

TEST_F(TableResources, HaveASchemaForPeopleAndForPrograms) {
  EXPECT_EQ(server().contents("db://orders/schema"),
            "table orders\n"
            "  id INTEGER\n"
            "  customer INTEGER\n"
            "  total REAL default 0\n"
            "  note TEXT\n"
            "primary key (id)\n"
            "foreign key (customer) references customers (id)\n"
            "unique index by_note (note)\n");
  const json::Value schema = server::testing::parse(server().contents("db://orders/schema?format=json"));
  EXPECT_EQ(json::to_text(*schema.find("primary_key")), R"(["id"])");
  EXPECT_THAT(json::to_text(schema),
              AllOf(HasSubstr(R"("name":"total","type":"REAL","dtype":"Float64")"),
                    HasSubstr(R"("references":"customers")"), HasSubstr(R"("unique":true)")));
  EXPECT_THAT(server().contents("db://spent/schema"), StartsWith("view spent\n"));
}

TEST_F(TableResources, ARowThatIsTooLargeIsCutAndTheRestIsReadNext) {
  writer_.run(
      "CREATE TABLE wide (id INTEGER PRIMARY KEY, body TEXT); "
      "INSERT INTO wide SELECT id, printf('%.*c', 5000, 'x') FROM orders");
  const WireMessage reply = server().read("db://wide/data");
  const std::string text = reply.text({"result", "contents", 0, "text"});
  EXPECT_LT(text.size(), 110'000U);
  EXPECT_THAT(reply.text({"result", "contents", 0, "_meta", "sluice/next"}),
              StartsWith("db://wide/data?limit=100&offset=20"));
}

// Every cell of such a row is cut, so that nothing is passed over in silence.
TEST_F(TableResources, ARowThatAloneExceedsTheCapIsGivenInPart) {
  std::string columns;
  std::string values;
  for (int i = 0; i < 40; ++i) {
    columns += ", c" + std::to_string(i) + " TEXT";
    values += ", printf('%.*c', 9000, 'x')";
  }
  writer_.run("CREATE TABLE blobs (id INTEGER PRIMARY KEY" + columns + "); INSERT INTO blobs SELECT id" +
              values + " FROM customers");
  const WireMessage reply = server().read("db://blobs/data");
  EXPECT_EQ(reply.text({"result", "contents", 0, "_meta", "sluice/rows"}), "2");
  EXPECT_EQ(reply.text({"result", "contents", 0, "_meta", "sluice/cells_cut"}), "80");
  EXPECT_LT(reply.text({"result", "contents", 0, "text"}).size(), 110'000U);
}

TEST_F(TableResources, ARowWithoutEndIsRefusedWithTheWayOut) {
  std::string columns;
  for (int i = 0; i < 1'900; ++i)
    columns += std::string(i == 0 ? "" : ", ") + "a_rather_long_name_that_no_answer_has_room_for_" +
               std::to_string(i);
  writer_.run("CREATE TABLE endless (" + columns + "); INSERT INTO endless DEFAULT VALUES");
  const WireMessage reply = server().read("db://endless/data");
  EXPECT_EQ(reply.text({"error", "data", "code"}), "resource_too_large");
  EXPECT_THAT(server().contents("db://endless/data?columns=a_rather_long_name_that_no_answer_has_room_for_7"),
              StartsWith("[{"));
}

TEST_F(TableResources, ALongSchemaIsReadToItsEnd) {
  std::string columns;
  for (int i = 0; i < 1'900; ++i)
    columns += std::string(i == 0 ? "" : ", ") + "a_column_whose_name_takes_some_room_in_the_schema_" +
               std::to_string(i) + " TEXT DEFAULT 'something'";
  writer_.run("CREATE TABLE wide (" + columns + ")");
  for (std::string uri : {"db://wide/schema", "db://wide/schema?format=json"}) {
    std::string all;
    for (int reads = 0; !uri.empty() && reads < 20; ++reads) {
      const WireMessage reply = server().read(uri);
      std::string text = reply.text({"result", "contents", 0, "text"});
      const bool has_more = reply.has({"result", "contents", 0, "_meta", "sluice/next"});
      if (has_more) text.resize(text.find("\n\n[Content truncated...]"));
      all += text;
      uri = has_more ? reply.text({"result", "contents", 0, "_meta", "sluice/next"}) : "";
    }
    EXPECT_GT(all.size(), 102'400U);
    EXPECT_THAT(all, HasSubstr("in_the_schema_0"));
    EXPECT_THAT(all, HasSubstr("in_the_schema_1899"));
    EXPECT_THAT(all, AnyOf(EndsWith("'something'\n"), EndsWith("]}")));
  }
  EXPECT_EQ(server().contents("db://orders/schema?offset=6&length=6"), "orders");
}

TEST_F(TableResources, OfSeveralDatabasesCarryTheirNames) {
  SqliteWriter(folder_.at("other.db")).run("CREATE TABLE orders (x); INSERT INTO orders VALUES (7)");
  DatabaseServer both(
      {sqlite_spec("shop", folder_.at("shop.db")), sqlite_spec("old shop", folder_.at("other.db"))});
  EXPECT_THAT(both.listed(),
              AllOf(Contains("db://shop/orders/data"), Contains("db://old%20shop/orders/data")));
  EXPECT_EQ(both.contents("db://old%20shop/orders/data"), R"([{"x":7}])");
  EXPECT_EQ(both.member("query_data", R"({"database":"old shop","table":"orders"})", "data"), R"([{"x":7}])");
  EXPECT_EQ(
      both.member("aggregate",
                  R"({"database":"shop","table":"orders","group_by":[],"aggs":[{"fn":"count"}]})", "data"),
      R"([{"count":250}])");
  EXPECT_EQ(both.code("query_data", R"({"table":"orders"})"), "missing_dataset");
}

TEST_F(TableResources, MayBeKeptForAsLongAsTheDatabaseSays) {
  EXPECT_EQ(server().read("db://orders/data").text({"result", "ttlMs"}), "60000");
  DatabaseSpec spec = sqlite_spec("shop", folder_.at("shop.db"));
  spec.ttl = std::chrono::seconds(5);
  DatabaseServer other({spec});
  EXPECT_EQ(other.read("db://orders/data").text({"result", "ttlMs"}), "5000");
  EXPECT_EQ(other.read("db://orders/schema").text({"result", "ttlMs"}), "5000");
}

TEST_F(TableResources, CompleteTablesAndColumns) {
  const auto completed = [&](const std::string& argument, const std::string& typed,
                             const std::string& given) {
    return server()
        .client()
        .call(
            "completion/complete",
            R"({"ref":{"type":"ref/resource","uri":"db://{table}/data{?limit,offset,columns,order}"},"argument":{"name":")" +
                argument + R"(","value":")" + typed + R"("},"context":{"arguments":)" + given + "}}")
        .text({"result", "completion", "values"});
  };
  EXPECT_EQ(completed("table", "o", "{}"), R"(["orders"])");
  EXPECT_EQ(completed("columns", "", R"({"table":"customers"})"), R"(["id","name"])");
  EXPECT_EQ(completed("columns", "id,n", R"({"table":"customers"})"), R"(["id,name"])");
  EXPECT_EQ(completed("columns", "", R"({"table":"nothing"})"), "[]");
  EXPECT_EQ(completed("order", "id,-n", R"({"table":"customers"})"), R"(["id,-name"])");
}

TEST_F(TableResources, ListsOfManyTablesHavePages) {
  std::string sql;
  for (int i = 0; i < 130; ++i) sql += "CREATE TABLE t" + std::to_string(i) + " (x);";
  writer_.run("BEGIN; " + sql + "COMMIT");
  EXPECT_THAT(server().listed(), SizeIs(2 * 133));
}

TEST_F(TableResources, AreMirroredByTools) {
  const std::string listed = server().text("list_resources", R"({"prefix":"db://orders"})");
  EXPECT_THAT(listed, AllOf(HasSubstr("db://orders/data"), HasSubstr("db://{table}/data"),
                            Not(HasSubstr("db://spent/data"))));
  const std::string read = server().text("read_resource", R"({"uri":"db://orders/data?limit=1&columns=id"})");
  EXPECT_THAT(read, HasSubstr(R"("text":"[{\"id\":1}]")"));
  EXPECT_EQ(server().code("read_resource", R"({"uri":"db://nothing/data"})"), "resource_not_found");
}

// The tool's answers are smaller than a read: a page ends where they do, and the next one begins there.
TEST_F(TableResources, ReadByTheToolGiveEveryRowOnce) {
  writer_.run(
      "CREATE TABLE bulky (id INTEGER PRIMARY KEY, body TEXT); "
      "INSERT INTO bulky SELECT id, printf('%.*c', 700, '\"') FROM orders");
  std::string arguments = R"({"uri":"db://bulky/data?limit=1000"})";
  std::string all;
  int pages = 0;
  for (; !arguments.empty() && pages < 50; ++pages) {
    const json::Value page = server().call("read_resource", arguments);
    const json::Value* contents = page.find("contents");
    ASSERT_NE(contents, nullptr) << json::to_text(page).substr(0, 300);
    const std::string text = *(*contents->if_array())[0].find("text")->if_string();
    EXPECT_EQ(server::testing::parse(text).if_array() != nullptr, true);
    all += text;
    const json::Value* next = page.find("next");
    arguments = next == nullptr || next->is_null() ? "" : json::to_text(*next);
  }
  EXPECT_GT(pages, 5);
  for (int i = 1; i <= 250; ++i) {
    const std::string row = "{\"id\":" + std::to_string(i) + ",";
    EXPECT_NE(all.find(row), std::string::npos) << i;
    EXPECT_EQ(all.find(row), all.rfind(row)) << i;
  }
}

}  // namespace
}  // namespace sluice::databases::testing
