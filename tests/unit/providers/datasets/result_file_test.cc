#include <set>

#include "sluice/base/base64.h"
#include "sluice/json/reader.h"

#include "outcome.h"

// A file that a tool makes is one resource with all rows, read in parts of bytes; a page has the rows that
// fit in the format in which it is read.
namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

class ResultFile : public ::testing::Test {
 protected:
  ResultFile() {
    std::string csv = "id,name,amount\n";
    for (int i = 0; i < kRows; ++i)
      csv += std::to_string(i) + ",Երևան \"" + std::to_string(i) + "\"," + std::to_string(i * 3) + "\n";
    folder.write("cities.csv", csv);
    std::string json;
    for (int i = 0; i < kRows; ++i) {
      json += R"({"id":)" + std::to_string(i) +
              R"(,"tags":[{"key":"a","value":"x, \"y\""},{"key":"b","value":")" +
              std::string(static_cast<std::size_t>(i % 50), 'q') + "\"}]}\n";
    }
    folder.write("nested.ndjson", json);
    DataServerOptions options;
    options.arrow_ipc = true;
    server = std::make_unique<DataServer>(folder.path(), plain_collection(), options);
  }

  WireMessage read(const std::string& uri) {
    return server->client().call("resources/read", R"({"uri":")" + uri + R"("})");
  }
  static std::string body(const WireMessage& read) {
    const WireMessage& one = read;
    if (one.has({"result", "contents", 0, "text"})) return one.text({"result", "contents", 0, "text"});
    return base64_decode(one.text({"result", "contents", 0, "blob"})).value_or("");
  }
  // All parts of a file, joined, as `next` leads from one to the next.
  std::string whole(std::string uri) {
    std::string out;
    for (int part = 0; part < 10'000; ++part) {
      const WireMessage one = read(uri);
      EXPECT_TRUE(one.is_result()) << uri << one.error();
      if (!one.is_result()) break;
      const auto meta = [&](const char* key) { return one.text({"result", "contents", 0, "_meta", key}); };
      EXPECT_EQ(meta("offset"), std::to_string(out.size())) << uri;
      EXPECT_EQ(meta("length"), std::to_string(body(one).size())) << uri;
      out += body(one);
      EXPECT_EQ(meta("has_more"), std::stoull(meta("bytes")) > out.size() ? "true" : "false");
      if (meta("has_more") != "true") break;
      EXPECT_EQ(meta("next"), meta("sluice/next"));
      uri = meta("next");
    }
    return out;
  }
  std::string count_of(const std::string& file_name, const std::string& content) {
    folder.write(file_name + ".parquet", content);
    server->rescan();
    return WireMessage(
               server->call("aggregate", R"({"dataset":")" + file_name + R"(","aggs":[{"fn":"count"}]})"))
        .text({"data", 0, "count"});
  }

  static constexpr int kRows = 3'000;
  TestFolder folder;
  std::unique_ptr<DataServer> server;
};

TEST_F(ResultFile, IsOneCsvFileWithAllRows) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"cities","output_format":"csv"})"));
  EXPECT_EQ(answer.text({"method"}), "file");
  EXPECT_EQ(answer.text({"row_count"}), "3000");
  const std::string csv = whole(answer.text({"resource_uri"}));
  EXPECT_EQ(answer.text({"file_size_bytes"}), std::to_string(csv.size()));
  std::string expected = "id,name,amount\n";
  for (int i = 0; i < kRows; ++i)
    expected +=
        std::to_string(i) + ",\"Երևան \"\"" + std::to_string(i) + "\"\"\"," + std::to_string(i * 3) + "\n";
  EXPECT_EQ(csv, expected);
}

TEST_F(ResultFile, PartsAreCutAtCharactersWhateverTheirLength) {
  const WireMessage answer(
      server->call("query_data", R"({"dataset":"cities","output_format":"csv","limit":20})"));
  const std::string uri = answer.text({"resource_uri"});
  const std::string csv = whole(uri);
  for (const char* length : {"1", "2", "3", "7", "100"})
    EXPECT_EQ(whole(uri + "&length=" + length), csv) << length;
  EXPECT_EQ(read(uri + "&offset=" + std::to_string(csv.size() + 1)).code(), -32602);
  EXPECT_EQ(read(uri + "&offset=x").code(), -32602);
  EXPECT_EQ(read(uri + "&length=0").code(), -32602);
  EXPECT_EQ(read(uri + "&page=1").code(), -32602);
}

TEST_F(ResultFile, IsOneParquetFileWithAllRows) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"cities","output_format":"parquet"})"));
  const std::string uri = answer.text({"resource_uri"});
  const std::string bytes = whole(uri + "&length=10000");
  EXPECT_EQ(answer.text({"file_size_bytes"}), std::to_string(bytes.size()));
  EXPECT_EQ(whole(uri), bytes);
  EXPECT_EQ(count_of("copy", bytes), "3000");
}

TEST_F(ResultFile, IsOneArrowFileWithAllRows) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"nested","output_format":"arrow"})"));
  const std::string bytes = whole(answer.text({"resource_uri"}));
  EXPECT_EQ(answer.text({"file_size_bytes"}), std::to_string(bytes.size()));
  EXPECT_TRUE(bytes.starts_with("ARROW1"));
  EXPECT_TRUE(bytes.ends_with("ARROW1"));
}

TEST_F(ResultFile, OfAnyHandleCanBeReadInEveryFormat) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"cities"})"));
  ASSERT_EQ(answer.text({"method"}), "handle");
  const std::string base = "data://handle/" + answer.text({"result_handle"}) + "/file";
  EXPECT_THAT(whole(base), HasSubstr("id,name,amount\n0,"));
  EXPECT_EQ(count_of("again", whole(base + "?format=parquet")), "3000");
  EXPECT_EQ(read(base + "?format=json").text({"error", "data", "code"}), "unsupported_format");
}

TEST_F(ResultFile, SumsOfIntegersKeepTheirDigitsInParquet) {
  folder.write("big.csv", "g,n\na,9007199254740993\nb,1\nb,2\n");
  server->rescan();
  const WireMessage answer(server->call(
      "aggregate",
      R"({"dataset":"big","group_by":["g"],"aggs":[{"col":"n","fn":"sum"}],"output_format":"parquet"})"));
  folder.write("sums.parquet", whole(answer.text({"resource_uri"})));
  server->rescan();
  const WireMessage schema(server->call("get_schema", R"({"dataset":"sums"})"));
  EXPECT_EQ(schema.text({"dtypes", "n_sum"}), "Decimal(38,0)");
  const WireMessage rows(server->call("query_data", R"({"dataset":"sums"})"));
  EXPECT_EQ(rows.text({"data", 0, "n_sum"}), "9007199254740993");
  EXPECT_EQ(rows.text({"data", 1, "n_sum"}), "3");
}

TEST_F(ResultFile, HoldsValuesThatParquetHasNoTypeFor) {
  const WireMessage answer(server->call(
      "advanced_query",
      R"({"dataset":"cities","sql":"SELECT CAST('2024-01-01' AS TIMESTAMP) - CAST('2024-01-03' AS TIMESTAMP) AS d, CAST(170141183460469231731687303715884105727 AS HUGEINT) AS h FROM data LIMIT 2","output_format":"parquet"})"));
  ASSERT_EQ(answer.text({"method"}), "file") << answer.text({});
  folder.write("odd.parquet", whole(answer.text({"resource_uri"})));
  server->rescan();
  const WireMessage rows(server->call("query_data", R"({"dataset":"odd"})"));
  EXPECT_EQ(rows.text({"data", 0, "h"}), "170141183460469231731687303715884105727");
  EXPECT_THAT(rows.text({"data", 0, "d"}), HasSubstr("-2"));
}

// Joins the pages of a handle in one format, as `next` leads from one to the next, and counts their rows.
TEST_F(ResultFile, PagesOfNestedColumnsHaveEveryRowInEveryFormat) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"nested"})"));
  ASSERT_EQ(answer.text({"method"}), "handle");
  for (const char* format : {"csv", "json"}) {
    std::string uri = "data://handle/" + answer.text({"result_handle"}) + "/0?format=" + format;
    std::set<std::string> seen;
    std::uint64_t claimed = 0;
    while (!uri.empty()) {
      const WireMessage page = read(uri);
      ASSERT_TRUE(page.is_result()) << uri << page.error();
      const std::string text = body(page);
      EXPECT_LE(text.size(), 32'000U);
      const bool is_csv = std::string(format) == "csv";
      for (std::size_t at = is_csv ? text.find('\n') + 1 : 0; at < text.size();) {
        if (is_csv) {
          seen.insert(text.substr(at, text.find(',', at) - at));
          at = text.find('\n', at) + 1;
          continue;
        }
        const std::size_t id = text.find(R"({"id":)", at);
        if (id == std::string::npos) break;
        seen.insert(text.substr(id + 6, text.find(',', id) - id - 6));
        at = id + 1;
      }
      claimed += std::stoull(page.text({"result", "contents", 0, "_meta", "rows"}));
      ASSERT_EQ(seen.size(), claimed) << uri;
      uri = page.has({"result", "contents", 0, "_meta", "next"})
                ? page.text({"result", "contents", 0, "_meta", "next"})
                : "";
      EXPECT_TRUE(uri.empty() || is_csv || uri.ends_with("?format=json")) << uri;
    }
    EXPECT_EQ(seen.size(), 3'000U) << format;
  }
}

TEST_F(ResultFile, NextOfABinaryPageKeepsItsFormat) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"cities"})"));
  const std::string base = "data://handle/" + answer.text({"result_handle"}) + "/0?format=";
  for (const char* format : {"parquet", "arrow"}) {
    const WireMessage page = read(base + format);
    EXPECT_TRUE(
        page.text({"result", "contents", 0, "_meta", "next"}).ends_with(std::string("/1?format=") + format));
  }
}

// The rows of a page of a binary format are those that the call asked for, and follow one another.
TEST_F(ResultFile, BinaryPagesOfATokenObeyTheCapsOfTheCall) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"cities"})"));
  const std::string start = R"({"result_handle":")" + answer.text({"result_handle"}) + "\"";
  std::string more;
  std::uint64_t rows = 0;
  for (const std::uint64_t wanted : {7U, 1'000U, 100U, 2U}) {
    const WireMessage page(
        server->call("query_next_page", start + R"(,"format":"parquet","max_tokens":25000,"max_rows":)" +
                                            std::to_string(wanted) + more + "}"));
    EXPECT_LE(std::stoull(page.text({"row_count"})), wanted);
    EXPECT_GE(std::stoull(page.text({"row_count"})), std::min<std::uint64_t>(wanted, 100));
    EXPECT_EQ(page.text({"page_info", "offset"}), std::to_string(rows));
    const WireMessage part = read(page.text({"resource_uri"}));
    ASSERT_TRUE(part.is_result()) << part.error();
    EXPECT_EQ(part.text({"result", "contents", 0, "_meta", "offset"}), std::to_string(rows));
    const std::string name = "part" + std::to_string(rows);
    EXPECT_EQ(count_of(name, body(part)), page.text({"row_count"}));
    EXPECT_EQ(WireMessage(server->call("query_data", R"({"dataset":")" + name + R"(","limit":1})"))
                  .text({"data", 0, "id"}),
              std::to_string(rows));
    rows += std::stoull(page.text({"row_count"}));
    more = R"(,"page_token":")" + page.text({"page_info", "page_token"}) + "\"";
  }
  const WireMessage capped(
      server->call("query_next_page", start + R"(,"format":"arrow","max_rows":3,"max_tokens":1000000})"));
  EXPECT_EQ(capped.text({"row_count"}), "3");
  EXPECT_THAT(capped.text({"warnings", 0}), HasSubstr("max_tokens was lowered"));
}

TEST_F(ResultFile, AnyRangeOfRowsIsAResource) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"cities"})"));
  const std::string base = "data://handle/" + answer.text({"result_handle"}) + "/rows";
  EXPECT_EQ(body(read(base + "?offset=5&length=1")), "id,name,amount\n5,\"Երևան \"\"5\"\"\",15\n");
  const WireMessage some = read(base + "?format=json&offset=2990&length=4");
  EXPECT_EQ(some.text({"result", "contents", 0, "_meta", "rows"}), "4");
  const WireMessage rest = read(some.text({"result", "contents", 0, "_meta", "next"}));
  EXPECT_THAT(body(rest), HasSubstr(R"([{"id":2994,)"));
  const WireMessage last = read(rest.text({"result", "contents", 0, "_meta", "next"}));
  EXPECT_EQ(last.text({"result", "contents", 0, "_meta", "rows"}), "2");
  EXPECT_EQ(last.text({"result", "contents", 0, "_meta", "has_more"}), "false");
  EXPECT_EQ(read(base + "?offset=3000").text({"error", "data", "code"}), "unknown_page");
  EXPECT_EQ(read(base + "?offset=-1").code(), -32602);
}

TEST_F(ResultFile, CsvPagesOfATokenFitAsJson) {
  const WireMessage answer(server->call("query_data", R"({"dataset":"nested"})"));
  std::string more;
  std::uint64_t rows = 0;
  while (true) {
    const std::string text =
        server->text("query_next_page", R"({"result_handle":")" + answer.text({"result_handle"}) +
                                            R"(","format":"csv")" + more + "}");
    EXPECT_LE(text.size(), 32'000U);
    const WireMessage page(*json::read(text));
    rows += std::stoull(page.text({"page_info", "size"}));
    if (page.text({"page_info", "has_more"}) != "true") break;
    more = R"(,"page_token":")" + page.text({"page_info", "page_token"}) + "\"";
  }
  EXPECT_EQ(rows, 3'000U);
}

TEST(CuratedResources, SayInTheirTextThatTheyGoOn) {
  DataServer server = DataServer::budget();
  for (const char* uri : {"budget://2023/BUDGET_LAW/full", "budget://2023/programs-summary"}) {
    const WireMessage read =
        server.client().call("resources/read", R"({"uri":")" + std::string(uri) + R"("})");
    const std::string next = read.text({"result", "contents", 0, "_meta", "next"});
    ASSERT_FALSE(next.empty()) << uri;
    EXPECT_THAT(read.text({"result", "contents", 1, "text"}), HasSubstr(next)) << uri;
    EXPECT_THAT(read.text({"result", "contents", 1, "text"}),
                HasSubstr(" of " + read.text({"result", "contents", 0, "_meta", "total_rows"})));
  }
  const WireMessage small =
      server.client().call("resources/read", R"({"uri":"budget://2023/state-bodies-summary"})");
  EXPECT_EQ(small.size({"result", "contents"}), 1U);
}

}  // namespace
}  // namespace sluice::datasets::testing
