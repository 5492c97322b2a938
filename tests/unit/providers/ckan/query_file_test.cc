// ckan_query_file: a portal's file as a dataset.

#include <atomic>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "file_server.h"
#include "parquet_bytes.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpFixture::Handler giving(const std::string& body, const std::string& type = "text/csv",
                            std::map<std::string, std::string> headers = {}) {
  headers["Content-Type"] = type;
  return [=](const SeenRequest&, Answer& answer) { answer.reply(200, headers, body); };
}

std::size_t downloads(const PortalFixture& fixture, const std::string& path = "/file") {
  const std::vector<SeenRequest> seen = fixture.http().seen();
  return static_cast<std::size_t>(
      std::count_if(seen.begin(), seen.end(), [&](const SeenRequest& each) { return each.target == path; }));
}

class CkanFiles : public EachWay {};
INSTANTIATE_TEST_SUITE_P(Each, CkanFiles, each_way(), way_name);

// The rows of a file that is declared and sent like this.
std::string rows_of(const std::string& body, const std::string& format = "CSV",
                    const std::string& type = "application/octet-stream", const std::string& path = "/file") {
  PortalFixture fixture;
  fixture.serve(path, giving(body, type));
  FileServer::offer(fixture, fixture.base() + path, format);
  FileServer server(fixture);
  return server.rows();
}

// The code of the error that such a file gives.
std::string code_of(const std::string& body, const std::string& format,
                    const std::string& type = "application/octet-stream", const std::string& path = "/file") {
  PortalFixture fixture;
  fixture.serve(path, giving(body, type));
  FileServer::offer(fixture, fixture.base() + path, format);
  FileServer server(fixture);
  return server.code();
}

TEST_P(CkanFiles, TakeTheKnobsOfADataset) {
  PortalFixture fixture(GetParam());
  fixture.serve("/file",
                giving("city,year,people\nRoma,2020,10\nMilano,2020,5\nRoma,2021,11\nMilano,2021,6\n"));
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  EXPECT_EQ(server.rows({{"limit", "2"}}), R"([["Roma",2020,10],["Milano",2020,5]])");
  EXPECT_EQ(
      server.rows({{"columns", json::Array{"people"}},
                   {"filters", json::Array{json::Object{{"col", "city"}, {"op", "eq"}, {"value", "Roma"}}}},
                   {"order_by", json::Array{json::Object{{"col", "people"}, {"desc", true}}}}}),
      "[[11],[10]]");
  EXPECT_EQ(server.rows({{"group_by", json::Array{"city"}},
                         {"aggs", json::Object{{"people", "sum"}}},
                         {"order_by", json::Array{json::Object{{"col", "city"}}}}}),
            R"([["Milano",11],["Roma",21]])");
  EXPECT_EQ(at(server.query({{"estimate", true}}), "row_estimate"), "4");
  EXPECT_EQ(server.code({{"columns", json::Array{"nothing"}}}), "invalid_column");
  EXPECT_EQ(server.code({{"limit", "two"}}), "invalid_arguments");
  EXPECT_EQ(server.code({{"unknown", 1}}), "invalid_arguments");
  EXPECT_EQ(downloads(fixture), 1U) << "one download for all questions";
}

// The engine's parsers would take the process down with them.
TEST(CkanQueryFile, RefusesFilesThatAreNestedTooDeep) {
  const std::string deep = std::string(30'000, '[') + std::string(30'000, ']');
  EXPECT_EQ(code_of(deep, "JSON", "application/json"), "nesting_too_deep");
  EXPECT_EQ(code_of(fetch::testing::gzip_of(deep), "JSON", "application/gzip", "/file.json.gz"),
            "nesting_too_deep");
  EXPECT_EQ(code_of(inspection::testing::ParquetBytes::nested_file(20'000), "Parquet"), "nesting_too_deep");
}

TEST(CkanQueryFile, GivesHandlesThatAreReadOn) {
  PortalFixture fixture;
  std::string body = "n,square\n";
  for (int i = 0; i < 3'000; ++i) body += std::to_string(i) + "," + std::to_string(i * i) + "\n";
  fixture.serve("/file", giving(body));
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  const json::Value first = server.query({{"max_rows", "10"}});
  EXPECT_EQ(at(first, "method"), "handle");
  EXPECT_EQ(at(first, "row_count"), "3000");
  EXPECT_THAT(at(first, "resource_uri"), StartsWith("ckan-file://handle/"));
  const WireMessage page = server.call(
      "query_next_page", json::Object{{"result_handle", at(first, "result_handle")}, {"max_rows", 3}});
  EXPECT_EQ(page.text({"result", "structuredContent", "data", 2, "square"}), "4");
  const WireMessage read =
      server.client().call("resources/read", json::to_text(json::Object{{"uri", at(first, "resource_uri")}}));
  EXPECT_THAT(read.text({"result", "contents", 0, "text"}), StartsWith("n,square"));
  const WireMessage tools = server.client().call("tools/list");
  EXPECT_EQ(tools.size({"result", "tools"}), 19U) << "the tools of portals, and the one for handles";
}

TEST(CkanQueryFile, KnowsWhatAFileIsWhateverItIsCalled) {
  const std::string rows = R"([["a",1],["b",2]])";
  EXPECT_EQ(rows_of("x,y\na,1\nb,2\n", "JSON", "application/json"), rows);
  EXPECT_EQ(rows_of("x;y\na;1\nb;2\n"), rows);
  EXPECT_EQ(rows_of("x\ty\na\t1\nb\t2\n", "TSV"), rows);
  EXPECT_EQ(rows_of(R"([{"x":"a","y":1},{"x":"b","y":2}])", "CSV", "text/csv"), rows);
  EXPECT_EQ(rows_of("{\"x\":\"a\",\"y\":1}\n{\"x\":\"b\",\"y\":2}\n", "XLSX"), rows);
  EXPECT_EQ(rows_of(fetch::testing::gzip_of("x,y\na,1\nb,2\n"), "CSV", "application/gzip", "/file.csv.gz"),
            rows);
  EXPECT_EQ(rows_of(zip_of({{"readme.md", "hello"}, {"data/table.csv", "x,y\na,1\nb,2\n"}}), "CSV"), rows);
  EXPECT_EQ(
      rows_of(zip_of({{"__MACOSX/._t.csv", "junk"}, {"t.json", R"([{"x":"a","y":1},{"x":"b","y":2}])"}}),
              "ZIP"),
      rows);
  std::ifstream in(std::string(SLUICE_CKAN_DATA) + "/../parquet-testing/data/alltypes_plain.parquet",
                   std::ios::binary);
  std::stringstream parquet;
  parquet << in.rdbuf();
  EXPECT_THAT(rows_of(parquet.str(), "CSV", "text/csv"), StartsWith("[[4,true,0,0,0,0,0,0,"));
}

TEST(CkanQueryFile, SaysWhatAFileIsThatIsNoTable) {
  const auto code = [](const std::string& body) {
    PortalFixture fixture;
    fixture.serve("/file", giving(body));
    FileServer::offer(fixture, fixture.base() + "/file");
    FileServer server(fixture);
    return server.code();
  };
  EXPECT_EQ(code("<!DOCTYPE html><html><body>Log in</body></html>"), "unsupported_file");
  EXPECT_EQ(code("  \n<html>"), "unsupported_file");
  EXPECT_EQ(code("<?xml version=\"1.0\"?><rdf/>"), "unsupported_file");
  EXPECT_EQ(code("%PDF-1.7"), "unsupported_file");
  EXPECT_EQ(code("\x89PNG\r\n"), "unsupported_file");
  EXPECT_EQ(code(""), "unsupported_file");
  EXPECT_EQ(code(std::string("\0\1\2\3", 4)), "unsupported_file");
  EXPECT_EQ(code(zip_of({{"[Content_Types].xml", "<x/>"}, {"xl/workbook.xml", "<x/>"}})), "unsupported_file");
  EXPECT_EQ(code(zip_of({{"a.txt.zip", zip_of({{"x.csv", "a\n1\n"}})}})), "unsupported_file");
  EXPECT_EQ(code(zip_of({{"a.pdf", "x"}})), "unsupported_file");
  EXPECT_EQ(code("PK\x03\x04 broken"), "invalid_archive");
}

TEST(CkanQueryFile, AsksWhichTableOfAnArchiveIsMeant) {
  PortalFixture fixture;
  fixture.serve("/file", giving(zip_of({{"a.csv", "x\n1\n"}, {"b.csv", "x\n2\n"}})));
  FileServer::offer(fixture, fixture.base() + "/file", "ZIP");
  FileServer server(fixture);
  const json::Value error = server.query();
  EXPECT_EQ(at(error, "code"), "ambiguous_archive");
  EXPECT_THAT(at(error, "error"), HasSubstr("a.csv, b.csv"));
  EXPECT_EQ(server.rows({{"member", "b.csv"}}), "[[2]]");
  EXPECT_EQ(server.rows({{"member", "a.csv"}}), "[[1]]");
  EXPECT_EQ(server.code({{"member", "c.csv"}}), "ambiguous_archive");
  EXPECT_EQ(downloads(fixture), 1U);
}

TEST(CkanQueryFile, ConvertsEncodings) {
  const std::string rows = R"([["Zürich – città",1]])";
  EXPECT_EQ(rows_of("name,n\nZürich – città,1\n"), rows);
  EXPECT_EQ(rows_of("\xEF\xBB\xBFname,n\nZürich – città,1\n"), rows);
  EXPECT_EQ(rows_of("name,n\nZ\xFCrich \x96 citt\xE0,1\n"), rows) << "Windows-1252, which nobody says";
  EXPECT_EQ(rows_of("name,n\nZ\xFCrich \x96 citt\xE0,1\n", "CSV", "text/csv; charset=windows-1252"), rows);
  EXPECT_EQ(rows_of("name,n\nZ\xFCrich citt\xE0,1\n", "CSV", "text/csv; charset=ISO-8859-1"),
            R"([["Zürich città",1]])");
  std::string wide = "\xFF\xFE";
  for (const char16_t c : std::u16string(u"name,n\nZürich – città,1\n")) {
    wide += static_cast<char>(c & 0xFFU);
    wide += static_cast<char>(c >> 8U);
  }
  EXPECT_EQ(rows_of(wide), rows);
}

TEST_P(CkanFiles, AreAskedForWhetherTheyHaveChanged) {
  PortalFixture fixture(GetParam());
  std::atomic<int> version{1};
  fixture.serve("/file", [&](const SeenRequest& request, Answer& answer) {
    const std::string tag = "\"v" + std::to_string(version) + "\"";
    if (request.header("if-none-match") == tag) return answer.reply(304, {{"ETag", tag}}, "");
    answer.reply(200, {{"ETag", tag}}, "x\n" + std::to_string(version) + "\n");
  });
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  EXPECT_EQ(server.rows(), "[[1]]");
  EXPECT_EQ(server.rows(), "[[1]]");
  EXPECT_EQ(downloads(fixture), 1U);
  server.clock().advance(std::chrono::seconds(61));
  EXPECT_EQ(server.rows(), "[[1]]");
  EXPECT_EQ(downloads(fixture), 2U);
  EXPECT_EQ(fixture.http().seen().back().header("if-none-match"), "\"v1\"");
  version = 2;
  server.clock().advance(std::chrono::seconds(61));
  EXPECT_EQ(server.rows(), "[[2]]");
}

TEST_P(CkanFiles, GoOnWhereAConnectionBreaks) {
  PortalFixture fixture(GetParam());
  std::string body = "n\n";
  for (int i = 0; i < 50'000; ++i) body += std::to_string(i) + "\n";
  std::atomic<int> calls{0};
  fixture.serve("/file", [&](const SeenRequest& request, Answer& answer) {
    const std::string range = request.header("range");
    if (++calls == 1) {
      answer.send("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n");
      answer.send(body.substr(0, body.size() / 2));
      return answer.close();
    }
    const std::size_t from = std::stoul(range.substr(6));
    answer.reply(206,
                 {{"ETag", "\"one\""},
                  {"Content-Range", "bytes " + std::to_string(from) + "-" + std::to_string(body.size() - 1) +
                                        "/" + std::to_string(body.size())}},
                 body.substr(from));
  });
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  EXPECT_EQ(server.rows({{"aggs", json::Array{json::Object{{"fn", "count"}}}}}), "[[50000]]");
  EXPECT_EQ(calls, 2);
}

TEST(CkanQueryFile, GoesOnWhereAnEarlierCallWasCancelled) {
  PortalFixture fixture;
  std::string body = "n\n";
  for (int i = 0; i < 200'000; ++i) body += std::to_string(i) + "\n";
  std::atomic<int> calls{0};
  fixture.serve("/file", [&](const SeenRequest& request, Answer& answer) {
    if (++calls == 1) {
      answer.send("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n");
      answer.send(body.substr(0, body.size() - 1'000));
      answer.gone_within(std::chrono::seconds(10));
      return answer.close();
    }
    EXPECT_EQ(request.header("if-range"), "\"one\"");
    const std::size_t from = std::stoul(request.header("range").substr(6));
    EXPECT_GT(from, 65'536U);
    answer.reply(206,
                 {{"ETag", "\"one\""},
                  {"Content-Range", "bytes " + std::to_string(from) + "-" + std::to_string(body.size() - 1) +
                                        "/" + std::to_string(body.size())}},
                 body.substr(from));
  });
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  const auto pending = server.client().start(
      "tools/call",
      R"({"name":"ckan_query_file","arguments":{"server_url":"https://dati.gov.it","resource_id":"id"},
          "_meta":{"progressToken":"p"}})");
  EXPECT_EQ(pending->next().method(), "notifications/progress");
  pending->cancel();
  // The same file is asked for once the first call has left it.
  EXPECT_EQ(server.rows({{"aggs", json::Array{json::Object{{"fn", "count"}}}}}), "[[200000]]");
  EXPECT_EQ(calls, 2);
}

TEST(CkanQueryFile, LooksAtMoreWhereTheBeginningOfALargeFileMisleads) {
  PortalFixture fixture;
  std::string body = "n,text\n";
  for (int i = 0; body.size() < 70'000'000; ++i)
    body += (i == 100'000 ? std::string("unknown") : std::to_string(i)) +
            ",some words that make the row longer " + std::to_string(i) + "\n";
  fixture.serve("/file", giving(body));
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  EXPECT_EQ(server.rows({{"columns", json::Array{"n"}}, {"limit", "1"}, {"offset", "100000"}}),
            R"([["unknown"]])");
}

TEST_P(CkanFiles, TellHowFarTheyAre) {
  PortalFixture fixture(GetParam());
  fixture.serve("/file", giving("text\n" + std::string(3'500'000, 'x') + "\n"));
  FileServer::offer(fixture, fixture.base() + "/file");
  FileServer server(fixture);
  const auto pending = server.client().start(
      "tools/call",
      R"({"name":"ckan_query_file","arguments":{"server_url":"https://dati.gov.it","resource_id":"id","estimate":true},
          "_meta":{"progressToken":"p"}})");
  const WireMessage told = pending->next();
  EXPECT_EQ(told.method(), "notifications/progress");
  EXPECT_EQ(told.text({"params", "total"}), "3500006");
  EXPECT_TRUE(pending->reply().is_result());
}

TEST_P(CkanFiles, NameWhatIsWrong) {
  PortalFixture fixture(GetParam());
  fixture.serve("/gone", [](const SeenRequest&, Answer& answer) { answer.reply(404, {}, "x"); });
  fixture.serve("/forbidden", [](const SeenRequest&, Answer& answer) { answer.reply(403, {}, "x"); });
  CkanSpec spec = spec_at(fixture);
  FileServer server(spec);
  FileServer::offer(fixture, fixture.base() + "/gone");
  EXPECT_EQ(server.code(), "ckan_file_gone");
  FileServer::offer(fixture, "");
  server.clock().advance(std::chrono::minutes(6));
  EXPECT_EQ(server.code(), "ckan_file_failed");
  FileServer::offer(fixture, fixture.base() + "/forbidden");
  server.clock().advance(std::chrono::minutes(6));
  EXPECT_EQ(server.code(), "ckan_file_failed");
}

TEST_P(CkanFiles, AndArchivesEndAtTheirBound) {
  PortalFixture fixture(GetParam());
  std::atomic<std::size_t> sent{0};
  fixture.serve("/endless", [&](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\n\r\nx\n");
    for (; sent < 1'073'741'824 && answer.send(std::string(65'536, '1')); sent += 65'536) {
    }
    answer.close();
  });
  fixture.serve("/zip", giving(zip_of({{"a.csv", std::string(900'000, '1')}})));
  CkanSpec spec = spec_at(fixture);
  spec.file_bytes_max = 1'000'000;
  FileServer::offer(fixture, fixture.base() + "/endless");
  FileServer server(spec);
  EXPECT_EQ(server.code(), "answer_too_large");
  EXPECT_LT(sent, 64U * 1024 * 1024);
  spec.file_bytes_max = 900'200;  // The archive itself fits, with its directory.
  FileServer::offer(fixture, fixture.base() + "/zip");
  EXPECT_NE(FileServer(spec).code(), "answer_too_large");
}

TEST(UnboundedAnswerCkanQueryFile, AnArchiveIsUnpackedUpToTheBoundWhateverItClaims) {
  for (const std::uint32_t claimed : {std::uint32_t{100}, std::uint32_t{50'000'000}}) {
    PortalFixture fixture;
    const std::string bomb = zip_bomb("a.csv", 50'000'000, claimed);
    ASSERT_LT(bomb.size(), 1'000'000U);
    fixture.serve("/zip", giving(bomb));
    CkanSpec spec = spec_at(fixture);
    spec.file_bytes_max = 1'000'000;
    FileServer::offer(fixture, fixture.base() + "/zip");
    FileServer server(spec);
    EXPECT_EQ(server.code(), "answer_too_large") << claimed;
  }
}

}  // namespace
}  // namespace sluice::ckan::testing
