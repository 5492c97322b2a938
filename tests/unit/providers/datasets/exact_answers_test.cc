#include "sluice/base/base64.h"

#include "outcome.h"

// Aggregates, dropped rows, estimates and sizes say what is true.
namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Exact : public ::testing::Test {
 protected:
  DataServer& serve(const std::string& name, const std::string& content) {
    folder.write(name, content);
    if (server) {
      server->rescan();
    } else {
      server = std::make_unique<DataServer>(folder.path(), plain_collection(), options);
    }
    return *server;
  }
  WireMessage call(const std::string& tool, const std::string& arguments) {
    return WireMessage(server->call(tool, arguments));
  }

  TestFolder folder;
  DataServerOptions options;
  std::unique_ptr<DataServer> server;
};

std::string numbered_rows(int rows) {
  std::string csv = "id,tenth\n";
  for (int i = 0; i < rows; ++i) csv += std::to_string(i) + "," + std::to_string(i % 10) + "\n";
  return csv;
}

// The engine's own plan for this fails if the columns have several types.
TEST_F(Exact, DeduplicatesByAUniqueColumnOfParquet) {
  std::string csv = "id,tenth,text\n";
  for (int i = 0; i < 100; ++i)
    csv += std::to_string(i) + "," + std::to_string(i % 10) + ",text " + std::to_string(i) + "\n";
  serve("t.csv", csv);
  const WireMessage made = call("query_data", R"({"dataset":"t","output_format":"parquet"})");
  const WireMessage read =
      server->client().call("resources/read", R"({"uri":")" + made.text({"resource_uri"}) + R"("})");
  serve("unique.parquet", *base64_decode(read.text({"result", "contents", 0, "blob"})));
  const WireMessage answer = call("query_data", R"({"dataset":"unique","deduplicate":["id"]})");
  EXPECT_EQ(answer.text({"row_count"}), "100");
  EXPECT_FALSE(answer.has({"warnings"}));
}

TEST_F(Exact, TheMedianOfDecimalsIsNotRounded) {
  const auto median = [&](const std::string& values, const std::string& type) {
    serve("t.csv", "x\n" + values);
    const WireMessage made = call("advanced_query", R"({"dataset":"t","sql":"SELECT CAST(x AS )" + type +
                                                        R"() AS x FROM data","output_format":"parquet"})");
    const WireMessage read =
        server->client().call("resources/read", R"({"uri":")" + made.text({"resource_uri"}) + R"("})");
    serve("d.parquet", *base64_decode(read.text({"result", "contents", 0, "blob"})));
    return call("aggregate", R"({"dataset":"d","aggs":[{"col":"x","fn":"median"}]})")
        .text({"data", 0, "x_median"});
  };
  EXPECT_EQ(median("1.01\n1.02\n", "DECIMAL(10,2)"), "1.015");
  EXPECT_EQ(median("99999999999999999\n99999999999999998\n", "DECIMAL(17,0)"), "99999999999999998.5");
  EXPECT_EQ(median("999999999999999999\n999999999999999998\n", "DECIMAL(18,0)"), "999999999999999998.5");
}

TEST_F(Exact, FitsInlineIsWhatQueryDataDoes) {
  std::string csv = "id,text\n";
  for (int i = 0; i < 2'000; ++i)
    csv += std::to_string(i) + ",\"say \"\"" + std::to_string(i) + "\"\" and go\"\n";
  serve("t.csv", csv);
  for (int limit = 400; limit <= 760; limit += 6) {
    for (const char* more : {"", R"(,"shape":"columns")", R"(,"max_tokens":7000)"}) {
      const std::string arguments =
          R"({"dataset":"t","limit":)" + std::to_string(limit) + std::string(more) + "}";
      const bool fits = call("estimate_query", arguments).text({"fits_inline"}) == "true";
      EXPECT_EQ(fits, call("query_data", arguments).text({"method"}) == "direct") << arguments;
    }
  }
}

// A table of 5,000 rows joined with itself has 25,000,000: the caller is asked, and others keep their
// handles.
class SelfJoin : public Exact {
 protected:
  SelfJoin() {
    serve("t.csv", numbered_rows(5'000));
    server->registry.inventory().find("t")->set_row_count(5'000);  // As the background count does.
  }
  static std::string join(const std::string& more = "") {
    return R"({"dataset":"t","sql":"SELECT a.id, b.id AS other FROM data a, data b")" + more + "}";
  }
};

TEST_F(SelfJoin, IsAskedAboutAndEvictsNobody) {
  const auto other = server->connect(server::testing::kModernHttp, {.principal = {.id = "token:other"}});
  const std::string handle = other->call_tool("query_data", R"({"dataset":"t"})")
                                 .text({"result", "structuredContent", "result_handle"});
  ASSERT_FALSE(handle.empty());
  const WireMessage asked = call("advanced_query", join());
  EXPECT_EQ(asked.text({"status"}), "needs_confirmation") << asked.text({});
  EXPECT_GE(asked.at({"row_estimate"}).if_number()->as_double(), 1e6);
  EXPECT_FALSE(other->call_tool("query_next_page", R"({"result_handle":")" + handle + R"("})")
                   .has({"result", "isError"}));
}

TEST_F(SelfJoin, IsStoppedWhereTheEstimateWasWrong) {
  // Rows that match nothing in the beginning of the file, and everything at its end.
  std::string csv = "id,key\n";
  for (int i = 0; i < 40'000; ++i)
    csv += std::to_string(i) + "," + std::to_string(i < 30'000 ? -i : 1) + "\n";
  options.limits.confirm_rows = 200'000;
  server.reset();
  serve("t.csv", csv);
  server->registry.inventory().find("t")->set_row_count(40'000);
  const WireMessage asked =
      call("advanced_query",
           R"({"dataset":"t","sql":"SELECT a.id, b.id AS other FROM data a JOIN data b ON a.key = b.key"})");
  EXPECT_EQ(asked.text({"status"}), "needs_confirmation") << asked.text({}).substr(0, 300);
  EXPECT_TRUE(std::filesystem::is_empty(server->spool_folder()) || asked.has({"alternatives"}));
}

TEST_F(SelfJoin, OfFewRowsIsAnswered) {
  const WireMessage few = call(
      "advanced_query",
      R"({"dataset":"t","sql":"SELECT a.id FROM data a JOIN data b ON a.id = b.id WHERE a.id < 3 ORDER BY a.id"})");
  EXPECT_EQ(few.text({"row_count"}), "3");
}

class AsksAboutSize : public server::testing::DialectTest {
 protected:
  // What the call answers when the user gives this answer to the question.
  WireMessage ask(const std::string& answer) {
    TestFolder folder;
    folder.write("t.csv", numbered_rows(20'000));
    DataServer server(folder.path(), plain_collection(),
                      {.limits = {.usual = {}, .ceiling = {.tokens = 25'000}, .confirm_rows = 10'000}});
    server.registry.inventory().find("t")->set_row_count(20'000);
    const auto client = server.connect(GetParam(), {.capabilities = R"({"elicitation":{"form":{}}})"});
    if (!GetParam().modern()) {
      const auto pending = client->start_tool("query_data", R"({"dataset":"t"})");
      client->answer(pending->next(), answer);
      return pending->reply();
    }
    const WireMessage asked = client->call_tool("query_data", R"({"dataset":"t"})");
    EXPECT_EQ(asked.text({"result", "resultType"}), "input_required");
    return client->call("tools/call",
                        R"({"name":"query_data","arguments":{"dataset":"t"},"inputResponses":{"confirm":)" +
                            answer + R"(},"requestState":)" +
                            json::to_text(asked.at({"result", "requestState"})) + "}");
  }
};

TEST_P(AsksAboutSize, ThroughTheClientAndTakesItsAnswer) {
  EXPECT_EQ(ask(R"({"action":"accept","content":{"proceed":true}})")
                .text({"result", "structuredContent", "method"}),
            "handle");
  const WireMessage no = ask(R"({"action":"accept","content":{"proceed":false}})");
  EXPECT_EQ(no.text({"result", "structuredContent", "status"}), "declined");
  EXPECT_GE(no.size({"result", "structuredContent", "alternatives"}), 3U);
  EXPECT_EQ(ask(R"({"action":"decline"})").text({"result", "structuredContent", "status"}), "declined");
}

INSTANTIATE_TEST_SUITE_P(Eras, AsksAboutSize, ::testing::ValuesIn(server::testing::both_eras()),
                         server::testing::dialect_name);

TEST_F(Exact, AlternativesAreBounded) {
  options.limits.confirm_rows = 100;
  serve("t.csv", numbered_rows(5'000));
  server->registry.inventory().find("t")->set_row_count(5'000);
  std::string columns = "\"id\"";
  for (int i = 0; i < 500; ++i) columns += ",\"id\"";
  const std::string arguments = R"({"dataset":"t","max_rows":50,"columns":[)" + columns + "]}";
  const std::string text = server->text("query_data", arguments);
  EXPECT_THAT(text, HasSubstr("needs_confirmation"));
  EXPECT_LT(text.size(), 2'000U);
}

TEST_F(Exact, AFileIsLinked) {
  serve("t.csv", numbered_rows(5'000));
  const WireMessage reply = server->client().call_tool(
      "aggregate", R"({"dataset":"t","group_by":["id"],"aggs":[{"fn":"count"}],"output_format":"csv"})");
  EXPECT_EQ(reply.text({"result", "content", 1, "type"}), "resource_link");
  EXPECT_EQ(reply.text({"result", "content", 1, "uri"}),
            reply.text({"result", "structuredContent", "resource_uri"}));
  EXPECT_EQ(reply.text({"result", "content", 1, "size"}),
            reply.text({"result", "structuredContent", "file_size_bytes"}));
  const WireMessage handle =
      server->client().call_tool("aggregate", R"({"dataset":"t","group_by":["id"],"aggs":[{"fn":"count"}]})");
  EXPECT_EQ(handle.text({"result", "structuredContent", "method"}), "handle");
}

}  // namespace
}  // namespace sluice::datasets::testing
