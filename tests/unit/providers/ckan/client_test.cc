// What portals answer, and what becomes of it: errors, charsets, encodings, retries, what is kept.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "ckan_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kUri = "ckan://dati.gov.it/dataset/vaccini-covid";

PortalFixture::Handler replying(int status, const std::string& type, const std::string& body) {
  return [=](const Asked&, const SeenRequest&, Answer& answer) {
    answer.reply(status, {{"Content-Type", type}}, body);
  };
}

WireMessage reply_to(const PortalFixture::Handler& handler, CkanSpec* changed = nullptr) {
  PortalFixture fixture;
  fixture.on("package_show", handler);
  CkanSpec spec = spec_at(fixture);
  if (changed != nullptr) {
    spec.timeout = changed->timeout;
    spec.bytes_max = changed->bytes_max;
  }
  CkanServer server(spec);
  return server.reply(kUri);
}

TEST(CkanErrors, SayWhatThePortalSays) {
  struct Case {
    int status;
    std::string body;
    int code;
    std::string name;
    std::string says;
  };
  const std::vector<Case> cases = {
      {200, R"({"success":false,"error":{"__type":"Validation Error","q":["wrong field"]}})", -32602,
       "ckan_invalid", "success=false for action \"package_show\": q: wrong field"},
      {200, R"({"success":false,"error":{"__type":"Not Found Error","message":"gone"}})", -32602,
       "ckan_not_found", "gone"},
      {404, data_file("errors/not-found.json"), -32602, "ckan_not_found", "CKAN API error (404): Not found"},
      {409, R"({"success":false,"error":{"__type":"Search Query Error","message":"bad fq"}})", -32602,
       "ckan_invalid", "CKAN API error (409): bad fq"},
      {403, R"({"success":false,"error":{"__type":"Authorization Error","message":"Access denied"}})", -32603,
       "ckan_denied", "Access denied"},
      {500, data_file("errors/server-error.json"), -32603, "ckan_error",
       "CKAN API error (500): Internal Server Error"},
      {500, "<html>Traceback</html>", -32603, "ckan_error", "CKAN API error (500): no message"},
      {400, "\"Bad request - q\"", -32602, "ckan_invalid", "CKAN API error (400)"},
      {200, "<html>Welcome to nginx</html>", -32603, "ckan_not_json", "not what CKAN's API gives"},
      {200, R"(["a"])", -32603, "ckan_not_json", ""},
      {200, R"({"success":true})", -32603, "ckan_not_json", ""},
      {200, R"({"success":true,"result":[1]})", -32603, "ckan_not_json", ""},
      {200, R"({"success":true,"result":{"a":1)", -32603, "ckan_not_json", ""},
      {200, "", -32603, "ckan_not_json", ""},
      {204, "", -32603, "ckan_error", ""}};
  for (const Case& each : cases) {
    const WireMessage reply = reply_to(replying(each.status, "application/json", each.body));
    EXPECT_EQ(reply.code(), each.code) << each.body;
    EXPECT_EQ(reply.text({"error", "data", "code"}), each.name) << each.body;
    EXPECT_THAT(reply.error(), HasSubstr(each.says)) << each.body;
    EXPECT_EQ(reply.text({"error", "data", "uri"}), kUri);
  }
}

TEST(CkanErrors, V17_HaveNothingOfTheBodyButItsMessage) {
  const std::string body =
      R"({"success":false,"error":{"__type":"Server Error","message":"short\u0007\u202e)" +
      std::string(5'000, 'm') + R"(","__details":"/etc/secret stack trace"}})";
  const WireMessage reply = reply_to(replying(500, "application/json", body));
  EXPECT_LT(json::to_text(reply.value()).size(), 1'000U);
  EXPECT_THAT(reply.error(), Not(HasSubstr("secret")));
  EXPECT_THAT(reply.error(), Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_THAT(reply.error(), Not(HasSubstr("\a")));
}

TEST(CkanAnswers, AreReadWhateverTheirCharsetIsSaidToBe) {
  const std::string utf8 = success(R"({"title":"Qualità dell’aria – Zürich"})");
  for (const char* type :
       {"application/json", "application/json; charset=utf-8", "application/json; charset=ISO-8859-1",
        "text/html; charset=windows-1252", "text/plain", "nonsense"}) {
    const WireMessage reply = reply_to(replying(200, type, utf8));
    EXPECT_THAT(reply.text({"result", "contents", 0, "text"}), HasSubstr("Qualità dell’aria – Zürich"))
        << type;
  }
  const std::string latin = success("{\"title\":\"Qualit\xE0 dell'aria, Z\xFCrich\"}");
  for (const char* type :
       {"application/json; charset=ISO-8859-1", "application/json; charset=utf-8", "application/json"}) {
    const WireMessage reply = reply_to(replying(200, type, latin));
    EXPECT_THAT(reply.text({"result", "contents", 0, "text"}), HasSubstr("Qualità dell'aria, Zürich"))
        << type;
  }
  EXPECT_TRUE(reply_to(replying(200, "application/json", "\xEF\xBB\xBF" + utf8)).is_result());
}

TEST(CkanAnswers, ComeCompressed) {
  const std::string body = success(R"({"title":"packed"})");
  for (const auto& [name, packed] : std::map<std::string, std::string>{
           {"gzip", fetch::testing::gzip_of(body)}, {"br", fetch::testing::brotli_of(body)}}) {
    const WireMessage reply = reply_to([&](const Asked&, const SeenRequest& request, Answer& answer) {
      EXPECT_THAT(request.header("accept-encoding"), HasSubstr(name));
      answer.reply(200, {{"Content-Encoding", name}, {"Content-Type", "application/json"}}, packed);
    });
    EXPECT_THAT(reply.text({"result", "contents", 0, "text"}), HasSubstr("packed")) << name;
  }
}

TEST(CkanAnswers, ThatDripTakeNoLongerThanTheyMay) {
  CkanSpec spec;
  spec.timeout = std::chrono::milliseconds(300);
  const auto begin = std::chrono::steady_clock::now();
  const WireMessage reply = reply_to(
      [](const Asked&, const SeenRequest&, Answer& answer) {
        answer.send("HTTP/1.1 200 OK\r\n\r\n");
        for (int i = 0; i < 100 && answer.send(" ") && !answer.gone_within(std::chrono::milliseconds(50));
             ++i) {
        }
      },
      &spec);
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(reply.text({"error", "data", "code"}), "fetch_timed_out");
  EXPECT_THAT(reply.error(), HasSubstr("Request timeout connecting to http://127.0.0.1"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(CkanAnswers, ThatRedirectForEverEnd) {
  PortalFixture fixture;
  fixture.on("package_show", [&](const Asked&, const SeenRequest& request, Answer& answer) {
    answer.redirect(302, fixture.base() + request.target);
  });
  CkanServer server(fixture);
  EXPECT_EQ(server.code(kUri), "too_many_redirects");
  EXPECT_LE(fixture.count("package_show"), 6U);
}

TEST(CkanAnswers, AreAskedForAgainWhereAPortalIsBusy) {
  PortalFixture fixture;
  std::atomic<int> calls{0};
  fixture.on("package_show", [&](const Asked&, const SeenRequest&, Answer& answer) {
    const int call = ++calls;
    if (call == 1) return answer.reply(503, {{"Retry-After", "0"}}, "");
    if (call == 2) return answer.reset();
    answer.json(success(R"({"title":"third time"})"));
  });
  CkanServer server(fixture);
  EXPECT_THAT(server.text(kUri), HasSubstr("third time"));
  EXPECT_EQ(calls, 3);
}

TEST(CkanAnswers, ThatBreakOffAreAnError) {
  const WireMessage reply = reply_to([](const Asked&, const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"success\":true,");
    answer.reset();
  });
  EXPECT_EQ(reply.text({"error", "data", "code"}), "answer_broken");
}

TEST(CkanCache, KeepsAnswersForAsLongAsTheirActionAllows) {
  PortalFixture fixture;
  CkanServer server(fixture);
  server.text(kUri);
  server.text(kUri);
  EXPECT_EQ(fixture.count("package_show"), 1U);
  server.clock().advance(std::chrono::seconds(299));
  server.text(kUri);
  EXPECT_EQ(fixture.count("package_show"), 1U);
  server.clock().advance(std::chrono::seconds(2));
  server.text(kUri);
  EXPECT_EQ(fixture.count("package_show"), 2U);
}

TEST(CkanCache, DoesNotKeepErrors) {
  PortalFixture fixture;
  std::atomic<int> calls{0};
  fixture.on("package_show", [&](const Asked&, const SeenRequest&, Answer& answer) {
    if (++calls == 1) return reply_error(answer, 404, "Not Found Error", "Not found");
    answer.json(success(R"({"title":"there now"})"));
  });
  CkanServer server(fixture);
  EXPECT_EQ(server.code(kUri), "ckan_not_found");
  EXPECT_THAT(server.text(kUri), HasSubstr("there now"));
}

TEST(CkanCache, AsksOnceForAllWhoAskAtTheSameTime) {
  PortalFixture fixture;
  std::atomic<int> calls{0};
  fixture.on("package_show", [&](const Asked&, const SeenRequest&, Answer& answer) {
    ++calls;
    answer.gone_within(std::chrono::milliseconds(200));
    answer.json(success(R"({"title":"one"})"));
  });
  CkanServer server(fixture);
  std::vector<std::unique_ptr<TestClient::Pending>> pending;
  for (int i = 0; i < 8; ++i)
    pending.push_back(server.client().start("resources/read", json::to_text(json::Object{{"uri", kUri}})));
  for (auto& each : pending) EXPECT_TRUE(each->reply().is_result());
  EXPECT_EQ(calls, 1);
}

TEST(CkanRate, IsThatOfTheHost) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  for (PortalSpec& portal : spec.portals)
    portal.rate = {.per_second = 0.1, .burst = 2, .wait_max = std::chrono::milliseconds(100)};
  CkanServer server(spec);
  EXPECT_EQ(server.code("ckan://dati.gov.it/dataset/pkg-1"), "");
  EXPECT_EQ(server.code("ckan://dati.gov.it/dataset/test-id"), "");
  EXPECT_EQ(server.code("ckan://dati.gov.it/resource/res-1"), "rate_limited");
  EXPECT_EQ(server.code("ckan://dati.gov.it/dataset/pkg-1"), "") << "what is kept costs nothing";
  EXPECT_EQ(fixture.asked().size(), 2U);
}

}  // namespace
}  // namespace sluice::ckan::testing
