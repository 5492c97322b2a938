// Types, encodings and sizes of answers, whatever their senders say of them.

#include <map>
#include <string>

#include <gmock/gmock.h>

#include "api_server.h"

namespace sluice::apis::testing {
namespace {

using ::testing::EndsWith;

// A server over an API that answers with one body.
class ApiContents : public ::testing::Test {
 protected:
  void answer(const std::string& type, std::string body, const std::string& encoding = "") {
    std::map<std::string, std::string> headers;
    if (!type.empty()) headers["Content-Type"] = type;
    if (!encoding.empty()) headers["Content-Encoding"] = encoding;
    fixture_ =
        std::make_unique<HttpFixture>([headers, body = std::move(body)](const SeenRequest&, Answer& answer) {
          answer.reply(200, headers, body);
        });
    server_ = std::make_unique<ApiServer>(api_at(*fixture_));
  }
  std::string type() { return server_->type(kUri); }
  std::string text() { return server_->text(kUri); }

  static constexpr const char* kUri = "api://v1/status";
  std::unique_ptr<HttpFixture> fixture_;
  std::unique_ptr<ApiServer> server_;
};

TEST_F(ApiContents, JsonIsCompact) {
  answer("application/vnd.api+json; charset=utf-8", "[ 1, {\"a\" : 12345678901234567890} ]\n");
  EXPECT_EQ(text(), R"([1,{"a":12345678901234567890}])");
  EXPECT_EQ(type(), "application/vnd.api+json");
  answer("application/json", " null ");
  EXPECT_EQ(text(), "null");
}

TEST_F(ApiContents, TextIsTextInUtf8) {
  answer("text/csv; charset=windows-1252", "caf\xE9;1\n");
  EXPECT_EQ(text(), "caf\xC3\xA9;1\n");
  EXPECT_EQ(type(), "text/csv");
  answer("text/plain; charset=ISO-8859-1", "caf\xC3\xA9");  // It says so, and is not.
  EXPECT_EQ(text(), "caf\xC3\xA9");
  answer("text/plain; charset=utf-8", "\xEF\xBB\xBFmarked");
  EXPECT_EQ(text(), "marked");
  answer("text/plain", std::string("\xFF\xFEh\0i\0", 6));
  EXPECT_EQ(text(), "hi");
  answer("text/plain; charset=\"no-such-thing\"",
         "caf\xE9 au lait et des id\xE9"
         "es");
  EXPECT_THAT(text(), ::testing::HasSubstr("caf\xC3\xA9"));
}

TEST_F(ApiContents, JsonInAnotherEncodingIsJson) {
  answer("application/json; charset=windows-1251", "{\"a\":\"\xEF\xF0\xE8\xE2\xE5\xF2\"}");
  EXPECT_EQ(text(), "{\"a\":\"\xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82\"}");
}

TEST_F(ApiContents, OtherBytesAreABlob) {
  const std::string png("\x89PNG\r\n\x1a\n\0\1\2", 11);
  answer("image/png", png);
  EXPECT_EQ(server_->bytes(kUri), png);
  EXPECT_EQ(type(), "image/png");
  answer("application/x-protobuf", std::string("\0\1\2\xFF", 4));
  EXPECT_EQ(server_->bytes(kUri), std::string("\0\1\2\xFF", 4));
  EXPECT_EQ(type(), "application/x-protobuf");
}

TEST_F(ApiContents, AWrongTypeIsSeenByTheContent) {
  answer("text/html", "{\"a\": 1}");
  EXPECT_EQ(type(), "application/json");
  EXPECT_EQ(text(), "{\"a\":1}");
  answer("application/json", "<html>login</html>");
  EXPECT_EQ(type(), "text/plain");
  EXPECT_EQ(text(), "<html>login</html>");
  answer("application/json", std::string("\x89PNG\r\n\x1a\n\0", 9));
  EXPECT_EQ(type(), "image/png");
  answer("text/plain", std::string("some\0bytes\1\2\3 that are none", 26));
  EXPECT_EQ(type(), "application/octet-stream");
  answer("image/png", "just text");
  EXPECT_EQ(type(), "text/plain");
  answer("", "{\"a\":1}");
  EXPECT_EQ(type(), "application/json");
  answer("application/octet-stream", "plain");
  EXPECT_EQ(type(), "text/plain");
  answer("not a type\x01; charset=\x02", "plain");
  EXPECT_EQ(type(), "text/plain");
  answer("application/json", "{\"a\":1,\"a\":2}");  // Two meanings are none.
  EXPECT_EQ(type(), "text/plain");
}

TEST_F(ApiContents, CompressedAnswersAreUnpacked) {
  answer("application/json", fetch::testing::gzip_of("{\"packed\": true}"), "gzip");
  EXPECT_EQ(text(), "{\"packed\":true}");
}

TEST_F(ApiContents, AnEmptyAnswerIsEmptyText) {
  answer("", "");
  EXPECT_EQ(text(), "");
  fixture_ = std::make_unique<HttpFixture>(
      [](const SeenRequest&, Answer& answer) { answer.send("HTTP/1.1 204 No Content\r\n\r\n"); });
  server_ = std::make_unique<ApiServer>(api_at(*fixture_));
  EXPECT_EQ(text(), "");
}

TEST_F(ApiContents, LongTextIsCutAndReadOn) {
  std::string body;
  for (int i = 0; body.size() < 250'000; ++i) body += "z\xC3\xA8ile " + std::to_string(i) + "\n";
  answer("text/plain", body);
  EXPECT_THAT(text(), EndsWith("\n\n[Content truncated...]"));
  std::string all;
  std::string uri = std::string(kUri) + "?offset=0&length=102400";
  for (int part = 0; part < 10 && !uri.empty(); ++part) {
    const WireMessage read = server_->reply(uri);
    all += read.text({"result", "contents", 0, "text"});
    uri = server_->next(uri);
    if (!uri.empty()) uri += "&length=102400";
  }
  EXPECT_EQ(all, body);
  EXPECT_EQ(fixture_->seen().size(), 1U);  // The rest comes from what is kept.
  EXPECT_EQ(server_->reply(kUri).text({"result", "contents", 0, "_meta", "sluice/size"}),
            std::to_string(body.size()));
}

TEST_F(ApiContents, RangesKeepTheParameters) {
  fixture_ = std::make_unique<HttpFixture>(
      [](const SeenRequest&, Answer& answer) { answer.text(std::string(200'000, 'x')); });
  server_ = std::make_unique<ApiServer>(api_at(*fixture_));
  EXPECT_EQ(server_->next("api://v1/user/4%2F2?verbose=yes"),
            "api://v1/user/4%2F2?verbose=yes&offset=102400");
  EXPECT_EQ(server_->next("api://v1/user/4%2F2?verbose=yes&offset=102400"), "");
}

TEST_F(ApiContents, LargeBytesAreReadInRanges) {
  std::string bytes(150'000, '\0');
  answer("application/x-thing", bytes);
  const WireMessage refused = server_->reply(kUri);
  EXPECT_EQ(refused.text({"error", "data", "code"}), "resource_too_large");
  EXPECT_THAT(refused.text({"error", "data", "hint"}), EndsWith("api://v1/status?offset=0&length=102400"));
  EXPECT_EQ(server_->bytes(std::string(kUri) + "?offset=149990&length=100").size(), 10U);
}

}  // namespace
}  // namespace sluice::apis::testing
