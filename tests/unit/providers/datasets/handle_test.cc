#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

class Handle : public ::testing::Test {
 protected:
  Handle() {
    std::string csv = "id,text\n";
    for (int i = 0; i < 20'000; ++i) csv += std::to_string(i) + ",row number " + std::to_string(i) + "\n";
    folder.write("big.csv", csv);
    server = std::make_unique<DataServer>(folder.path(), plain_collection(),
                                          DataServerOptions{.spool = {.bytes_max = 1'000'000}});
  }
  WireMessage ask(const std::string& more = "") {
    return WireMessage(server->call("query_data", R"({"dataset":"big")" + more + "}"));
  }
  WireMessage page(const std::string& handle, const std::string& token, const std::string& more = "") {
    return WireMessage(
        server->call("query_next_page",
                     R"({"result_handle":")" + handle + R"(","page_token":")" + token + R"(")" + more + "}"));
  }

  TestFolder folder;
  std::unique_ptr<DataServer> server;
};

TEST_F(Handle, TakesThePlaceOfAnAnswerThatDoesNotFit) {
  const WireMessage answer = ask();
  EXPECT_EQ(answer.text({"method"}), "handle");
  EXPECT_EQ(answer.text({"row_count"}), "20000");
  EXPECT_EQ(answer.size({"preview"}), 10U);
  EXPECT_EQ(answer.text({"page_info", "has_more"}), "true");
  EXPECT_EQ(answer.text({"estimates", "row_estimate"}), "20000");
  EXPECT_THAT(answer.text({"warnings", 0}), HasSubstr("query_next_page"));
}

TEST_F(Handle, PagesGiveEveryRowOnceInOrder) {
  const WireMessage answer = ask();
  const std::string handle = answer.text({"result_handle"});
  std::string token = answer.text({"page_info", "page_token"});
  std::int64_t next_id = 0;
  while (true) {
    const std::string text = server->text(
        "query_next_page", R"({"result_handle":")" + handle + R"(","page_token":")" + token + R"("})");
    EXPECT_LE(text.size(), 32'000U);
    const WireMessage one = page(handle, token);
    for (std::size_t i = 0; i < one.size({"data"}); ++i) {
      ASSERT_EQ(one.text({"data", static_cast<int>(i), "id"}), std::to_string(next_id++));
    }
    if (one.text({"page_info", "has_more"}) != "true") break;
    token = one.text({"page_info", "page_token"});
  }
  EXPECT_EQ(next_id, 20'000);
}

TEST_F(Handle, IsASnapshotOfItsMoment) {
  const WireMessage answer = ask();
  folder.write("big.csv", "id,text\n1,changed\n");
  server->rescan();
  const WireMessage one = page(answer.text({"result_handle"}), answer.text({"page_info", "page_token"}));
  EXPECT_EQ(one.text({"data", 0, "text"}), "row number 0");
  EXPECT_EQ(one.text({"page_info", "total"}), "20000");
  EXPECT_EQ(ask().text({"method"}), "direct");
}

TEST_F(Handle, IsReadAsAResourceInEveryFormat) {
  const std::string handle = ask().text({"result_handle"});
  const auto read = [&](const std::string& rest) {
    return server->client().call("resources/read",
                                 R"({"uri":"data://handle/)" + handle + "/" + rest + R"("})");
  };
  const WireMessage csv = read("0");
  EXPECT_EQ(csv.text({"result", "contents", 0, "mimeType"}), "text/csv");
  EXPECT_THAT(csv.text({"result", "contents", 0, "text"}), HasSubstr("id,text\n0,row number 0\n"));
  EXPECT_EQ(csv.text({"result", "contents", 0, "_meta", "has_more"}), "true");
  const std::string rows = csv.text({"result", "contents", 0, "_meta", "rows"});
  EXPECT_EQ(read("1").text({"result", "contents", 0, "_meta", "offset"}), rows);
  // JSON takes more room, so its pages begin at other rows.
  const WireMessage json = read("1?format=json");
  EXPECT_THAT(json.text({"result", "contents", 0, "text"}),
              HasSubstr(R"([{"id":)" + json.text({"result", "contents", 0, "_meta", "offset"}) + ","));
  EXPECT_FALSE(read("3?format=parquet").text({"result", "contents", 0, "blob"}).empty());
  EXPECT_EQ(read("999999").code(), -32602);
  EXPECT_EQ(read("x").code(), -32602);
  EXPECT_TRUE(read("0?format=exe").code() != 0);
}

TEST_F(Handle, FilesAreHandlesWithAFormat) {
  const WireMessage answer = ask(R"(,"output_format":"parquet")");
  EXPECT_EQ(answer.text({"method"}), "file");
  EXPECT_EQ(answer.text({"format"}), "parquet");
  EXPECT_THAT(answer.text({"resource_uri"}), HasSubstr("/file?format=parquet"));
  EXPECT_EQ(answer.size({"preview"}), 10U);
  EXPECT_FALSE(answer.has({"file_path"}));
  EXPECT_TRUE(ask(R"(,"format":"csv","legacy_file_path":true)").has({"file_path"}));
}

TEST_F(Handle, PagesComeAsCsvAndAsColumns) {
  const WireMessage answer = ask();
  const std::string handle = answer.text({"result_handle"});
  const std::string token = answer.text({"page_info", "page_token"});
  EXPECT_THAT(page(handle, token, R"(,"format":"csv","max_rows":2)").text({"data"}),
              ::testing::Eq("id,text\n0,row number 0\n1,row number 1\n"));
  EXPECT_EQ(page(handle, token, R"(,"shape":"columns","max_rows":1)").text({"rows"}),
            R"([[0,"row number 0"]])");
  EXPECT_EQ(page(handle, token, R"(,"format":"parquet")").text({"method"}), "file");
}

TEST_F(Handle, V12IsOneErrorWhetherUnknownExpiredOrForeign) {
  const auto mine = server->connect(server::testing::kModernHttp, {.principal = {.id = "token:mine"}});
  const auto yours = server->connect(server::testing::kModernHttp, {.principal = {.id = "token:yours"}});
  const WireMessage made = mine->call_tool("query_data", R"({"dataset":"big"})");
  const std::string handle = made.text({"result", "structuredContent", "result_handle"});
  const std::string arguments = R"({"result_handle":")" + handle + R"("})";
  EXPECT_FALSE(mine->call_tool("query_next_page", arguments).has({"result", "isError"}));
  const std::string foreign =
      yours->call_tool("query_next_page", arguments).text({"result", "content", 0, "text"});
  const std::string unknown =
      yours->call_tool("query_next_page", R"({"result_handle":"AAAAAAAAAAAAAAAAAAAAAA"})")
          .text({"result", "content", 0, "text"});
  EXPECT_THAT(foreign, HasSubstr(R"("code":"unknown_handle")"));
  EXPECT_EQ(foreign, unknown);
  server->clock->advance(std::chrono::minutes(21));
  EXPECT_EQ(mine->call_tool("query_next_page", arguments).text({"result", "content", 0, "text"}), unknown);
}

TEST_F(Handle, RefusesATokenThatWasAltered) {
  const WireMessage answer = ask();
  const std::string handle = answer.text({"result_handle"});
  std::string token = answer.text({"page_info", "page_token"});
  token.back() = token.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(page(handle, token).text({"code"}), "invalid_page_token");
  const std::string other = ask().text({"page_info", "page_token"});
  EXPECT_EQ(page(handle, other).text({"code"}), "invalid_page_token");
}

TEST_F(Handle, TheLeastRecentlyUsedGoFirst) {
  const std::string first = ask().text({"result_handle"});
  for (int i = 0; i < 40; ++i) ask();
  EXPECT_EQ(server->code("query_next_page", R"({"result_handle":")" + first + R"("})"), "unknown_handle");
}

TEST_F(Handle, CapsAreClampedWithAWarning) {
  const WireMessage answer = ask(R"(,"limit":5,"max_rows":100000000,"max_tokens":900000)");
  EXPECT_EQ(answer.text({"method"}), "direct");
  EXPECT_THAT(answer.text({"warnings"}), HasSubstr("max_rows was lowered"));
  EXPECT_THAT(answer.text({"warnings"}), HasSubstr("25000"));
  EXPECT_EQ(ask(R"(,"limit":5,"max_rows":2)").text({"method"}), "handle");
}

TEST_F(Handle, AsksBeforeWhatIsHuge) {
  DataServer small(folder.path(), plain_collection(),
                   {.limits = {.usual = {}, .ceiling = {.tokens = 25'000}, .confirm_rows = 10'000}});
  small.registry.inventory().find("big")->set_row_count(20'000);  // As the background count does.
  const WireMessage answer(small.call("query_data", R"({"dataset":"big"})"));
  EXPECT_EQ(answer.text({"status"}), "needs_confirmation");
  EXPECT_EQ(answer.text({"row_estimate"}), "20000");
  EXPECT_GE(answer.size({"alternatives"}), 3U);
  EXPECT_EQ(WireMessage(small.call("query_data", R"({"dataset":"big","confirm":true})")).text({"method"}),
            "handle");
  EXPECT_EQ(WireMessage(small.call("query_data", R"({"dataset":"big","limit":100})")).text({"method"}),
            "direct");
}

TEST_F(Handle, ARowLargerThanAPageStillComes) {
  folder.write("wide.csv", "a,b\n1," + std::string(100'000, 'x') + "\n2,y\n");
  server->rescan();
  const WireMessage answer(server->call("query_data", R"({"dataset":"wide"})"));
  ASSERT_EQ(answer.text({"method"}), "handle");
  const WireMessage first = page(answer.text({"result_handle"}), answer.text({"page_info", "page_token"}));
  EXPECT_EQ(first.text({"row_count"}), "1");
  EXPECT_THAT(first.text({"warnings", 0}), HasSubstr("cut"));
  EXPECT_EQ(
      page(answer.text({"result_handle"}), first.text({"page_info", "page_token"})).text({"data", 0, "b"}),
      "y");
}

}  // namespace
}  // namespace sluice::datasets::testing
