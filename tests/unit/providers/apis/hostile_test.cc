// Attacks: `ssrf` (where requests go), `credential_theft` (what values can do, and where credentials go),
// `unbounded_answer` (sizes), `verbose_error` (errors that say too much).

#include <atomic>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/base/uri.h"

#include "api_server.h"

namespace sluice::apis::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Whether the request is one that the specification of api_at plans, whatever the values.
bool is_planned(const SeenRequest& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/v1/status" || path == "/v1/items") return true;
  const std::string start = "/v1/users/";
  if (!path.starts_with(start) || path.find('/', start.size()) != std::string::npos) return false;
  const std::string value = percent_decode(path.substr(start.size())).value();
  return value != "." && value != ".." && request.target.ends_with("fixed=1");
}

TEST(CredentialTheftValues, StayWithinOneSegmentOrAreRefused) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  const std::vector<std::string> values = {"..",
                                           "../admin",
                                           "../../admin",
                                           "%2e%2e",
                                           "%2e%2e/admin",
                                           "..%2fadmin",
                                           "..%252fadmin",
                                           "%252e%252e%252f",
                                           "..\\admin",
                                           "..;/admin",
                                           "a/../../admin",
                                           "a/b",
                                           "/admin",
                                           "//evil.org",
                                           "?admin=1",
                                           "a?b=c&d=e",
                                           "#fragment",
                                           "a#b",
                                           "@evil.org",
                                           "user@evil.org",
                                           ":80",
                                           "a;b=c",
                                           "a&fixed=2",
                                           "\r\nX-Evil: 1",
                                           "a\r\n\r\nGET / HTTP/1.1",
                                           std::string("a\0b", 3),
                                           ".",
                                           "...",
                                           " ",
                                           "%",
                                           "100%",
                                           "\xE2\x80\xAE",
                                           "\x7f",
                                           "\xC0\xAE\xC0\xAE/",
                                           "{user_id}",
                                           "${API_TOKEN}",
                                           "https://evil.org/",
                                           "\\\\evil.org\\x",
                                           "%00",
                                           "%0d%0a",
                                           "..%c0%af",
                                           "x/..",
                                           "x/%2e%2e",
                                           "a\tb"};
  for (const std::string& value : values) {
    const WireMessage reply = server.reply("api://v1/user/" + percent_encode(value));
    if (!reply.is_result()) {
      EXPECT_EQ(reply.code(), -32602) << value;
    }
  }
  EXPECT_GT(fixture.seen().size(), 5U);
  for (const SeenRequest& seen : fixture.seen()) {
    EXPECT_TRUE(is_planned(seen)) << seen.target;
    EXPECT_THAT(seen.target, StartsWith("/v1/users/"));
    EXPECT_EQ(seen.header("x-evil"), "");
    EXPECT_THAT(percent_decode(seen.target).value(), Not(HasSubstr("/../"))) << seen.target;
  }
}

TEST(CredentialTheftValues, ThatStepUpAreNotAskedForAtAll) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  for (const std::string uri :
       {"api://v1/user/..", "api://v1/user/.", "api://v1/user/%2e%2e", "api://v1/user/%2E.",
        "api://v1/user/..%2f", "api://v1/user/..%2f..%2fadmin", "api://v1/user/%252e%252e",
        "api://v1/user/%25252e%25252e", "api://v1/user/a%2f..%2fb", "api://v1/user/..%5cadmin",
        "api://v1/user/..%3badmin", "api://v1/user/%00", "api://v1/user/a%0d%0ab", "api://v1/user/../status",
        "api://v1/../v1/status", "api://v1/user/%2e%2e/%2e%2e"})
    server.expect_not_found(uri);
  EXPECT_TRUE(fixture.seen().empty());
}

TEST(CredentialTheftValues, OfAQueryStayWithinTheirOwn) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  for (const std::string value : {"1&key=mine", "1#x", "a=b", "+", "%26key%3Dmine", "../x", "\xC3\xA8"})
    EXPECT_TRUE(server.reply("api://v1/items?page=" + percent_encode(value)).is_result()) << value;
  for (const SeenRequest& seen : fixture.seen()) {
    EXPECT_THAT(seen.target, StartsWith("/v1/items?page="));
    EXPECT_THAT(seen.target, ::testing::EndsWith("&key=query-secret"));
    EXPECT_EQ(std::count(seen.target.begin(), seen.target.end(), '&'), 1);
  }
  server.expect_not_found("api://v1/items?page=a%0d%0aX-Evil:1");
  server.expect_not_found("api://v1/items?page=%00");
}

TEST(CredentialTheftCredentials, GoToTheApiAloneAndAreNeverShown) {
  HttpFixture thief([](const SeenRequest&, Answer& answer) { answer.text("thanks"); });
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.redirect(307, thief.url("/steal")); });
  ApiSpec api = api_at(fixture);
  api.allowed_origins = {thief.origin()};
  ApiServer server(api);
  EXPECT_EQ(server.text("api://v1/status"), "thanks");
  const SeenRequest stolen = thief.seen().at(0);
  for (const auto& [name, value] : stolen.headers) EXPECT_THAT(value, Not(HasSubstr("secret"))) << name;
}

TEST(SsrfApi, AnAddressInsideIsNotReachedUnlessAllowed) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.text("inside"); });
  for (const std::string& base :
       {fixture.url("/v1"), "http://localhost:" + std::to_string(fixture.port()),
        std::string("http://[::1]:80"), std::string("http://169.254.169.254/latest"),
        std::string("http://[::ffff:127.0.0.1]/")}) {
    ApiSpec api = api_at(fixture);
    api.base = base;
    api.allow_private = false;
    ApiServer server(api);
    const WireMessage reply = server.reply("api://v1/status");
    EXPECT_EQ(reply.code(), -32603) << base;
    EXPECT_EQ(reply.text({"error", "data", "code"}), "address_refused") << base;
  }
  EXPECT_EQ(fixture.connections(), 0U);
}

TEST(SsrfApi, RedirectsInsideAreRefused) {
  for (const std::string to :
       {"http://169.254.169.254/latest/meta-data/", "http://127.0.0.1:1/", "http://[::1]/",
        "file:///etc/passwd", "http://2130706433/", "//127.1/", "http://localhost/", "gopher://x/"}) {
    HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.redirect(302, to); });
    ApiServer server(api_at(fixture));
    EXPECT_EQ(server.reply("api://v1/status").text({"error", "data", "code"}), "redirect_refused") << to;
  }
}

TEST(UnboundedAnswerApi, HugeAnswersEndWhileTheyArrive) {
  std::atomic<std::size_t> sent{0};
  const std::vector<HttpFixture::Handler> handlers = {
      [](const SeenRequest&, Answer& answer) {
        answer.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
      },
      [&](const SeenRequest&, Answer& answer) {
        answer.send("HTTP/1.1 200 OK\r\n\r\n");
        for (; sent < 1'073'741'824 && answer.send(std::string(65'536, 'x')); sent += 65'536) {
        }
        answer.close();
      },
      [](const SeenRequest&, Answer& answer) {
        answer.reply(200, {{"Content-Encoding", "gzip"}}, fetch::testing::gzip_bomb(std::size_t{1} << 30U));
      },
      [](const SeenRequest&, Answer& answer) {  // An error may be huge as well.
        answer.send("HTTP/1.1 500 No\r\n\r\n");
        while (answer.send(std::string(65'536, 'x'))) {
        }
      }};
  for (const HttpFixture::Handler& handler : handlers) {
    HttpFixture fixture(handler);
    ApiSpec api = api_at(fixture);
    api.bytes_max = 1'000'000;
    ApiServer server(api);
    const WireMessage reply = server.reply("api://v1/status");
    EXPECT_EQ(reply.code(), -32603);
    EXPECT_EQ(reply.text({"error", "data", "code"}), "answer_too_large");
  }
  EXPECT_LT(sent, 64U * 1024 * 1024);
}

TEST(UnboundedAnswerApi, DeepAndWideJsonIsHarmless) {
  for (const std::string& body : {std::string(200'000, '['), "[" + std::string(1'500'000, '1') + "]", [] {
                                    std::string wide = "[0";
                                    for (int i = 0; i < 1'200'000; ++i) wide += ",0";
                                    return wide + "]";
                                  }()}) {
    HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.json(body); });
    ApiServer server(api_at(fixture));
    const WireMessage reply = server.reply("api://v1/status");
    ASSERT_TRUE(reply.is_result()) << reply.error();
    EXPECT_LT(reply.text({"result", "contents", 0, "text"}).size(), 110'000U);
  }
}

TEST(VerboseErrorApi, NothingTellsWhereItIsOrWhatOpensIt) {
  // ApiServer::reply holds every answer against that; here are the ways an API can fail.
  const std::vector<HttpFixture::Handler> handlers = {
      [](const SeenRequest& request, Answer& answer) {
        answer.reply(500, {}, "your header: " + request.header("authorization"));
      },
      [](const SeenRequest&, Answer& answer) { answer.close(); },
      [](const SeenRequest&, Answer& answer) {
        answer.send("HTTP/9 top-secret\r\n\r\n");
        answer.close();
      },
      [](const SeenRequest&, Answer& answer) {
        answer.redirect(302, "http://user:top-secret@127.0.0.1/?query-secret");
      },
      [](const SeenRequest&, Answer& answer) {
        answer.reply(403, {{"WWW-Authenticate", "top-secret"}}, "");
      }};
  for (const HttpFixture::Handler& handler : handlers) {
    HttpFixture fixture(handler);
    ApiServer server(api_at(fixture));
    EXPECT_EQ(server.reply("api://v1/items?page=1").code(), -32603);
  }
  const Probe probed = probe([] {
    ApiSpec api;
    api.name = "v1";
    api.base = "http://127.0.0.1:1/secret-path";
    api.headers = {{"X-Key", "top-secret"}};
    api.allow_private = true;
    return api;
  }());
  EXPECT_THAT(probed.finding, Not(HasSubstr("secret")));
}

TEST(SsrfApi, AHundredThousandMutatedUrisGoNowhereUnplanned) {
  HttpFixture trap([](const SeenRequest&, Answer& answer) { answer.text("trapped"); });
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiSpec api = api_at(fixture);
  api.ttl = std::chrono::milliseconds(0);
  ApiServer server(api);
  const std::string trap_host = "127.0.0.1:" + std::to_string(trap.port());
  const std::vector<std::string> parts = {
      "..",   ".",       "/",           "//",     "%2e",      "%2f",       "%00",    "%25",
      "user", "status",  "items",       "?",      "#",        "@",         ":",      "&",
      "=",    "page",    "verbose=yes", "page=1", "offset=0", "length=9",  "%0d%0a", "%5c",
      "\\",   trap_host, "http://",     "api://", "v1",       "%E2%80%AE", "%c0%af", "{user_id}",
      "1",    "admin",   ";",           "+",      "%",        "%2525"};
  std::mt19937 random(23);  // The same ones every time.
  for (int i = 0; i < 100'000; ++i) {
    std::string uri = random() % 4 == 0 ? "api://" : random() % 2 == 0 ? "api://v1/" : "api://v1/user/";
    for (auto left = random() % 7; left > 0; --left) uri += parts[random() % parts.size()];
    const WireMessage reply =
        server.client().call("resources/read", json::to_text(json::Object{{"uri", uri}}));
    if (!reply.is_result()) {
      ASSERT_EQ(reply.code(), -32602) << uri << ": " << reply.error();
    }
  }
  EXPECT_EQ(trap.connections(), 0U);
  const std::vector<SeenRequest> seen = fixture.seen();
  EXPECT_GT(seen.size(), 500U);
  for (const SeenRequest& request : seen) {
    ASSERT_TRUE(is_planned(request)) << request.target;
    ASSERT_EQ(request.method, "GET");
    ASSERT_EQ(request.header("host"), "127.0.0.1:" + std::to_string(fixture.port()));
  }
}

}  // namespace
}  // namespace sluice::apis::testing
