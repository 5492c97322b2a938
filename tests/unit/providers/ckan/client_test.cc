// What portals answer, and what becomes of it: errors, charsets, encodings, retries, what is kept.

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "ckan_server.h"

namespace sluice::ckan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kUri = "ckan://dati.gov.it/dataset/vaccini-covid";

PortalFixture::Handler replying(int status, const std::string& type, const std::string& body) {
  return [=](const Asked&, const SeenRequest&, Answer& answer) {
    answer.reply(status, {{"Content-Type", type}}, body);
  };
}

// A portal that is reached in each of the ways, and a read of it.
class CkanAnswers : public EachWay {
 protected:
  static WireMessage reply_to(const PortalFixture::Handler& handler, CkanSpec bounds = {}) {
    PortalFixture fixture(GetParam());
    fixture.on("package_show", handler);
    bounds.portals = spec_at(fixture).portals;
    CkanServer server(bounds);
    return server.reply(kUri);
  }
  static std::string code_of(const WireMessage& reply) { return reply.text({"error", "data", "code"}); }
};
INSTANTIATE_TEST_SUITE_P(Each, CkanAnswers, each_way(), way_name);

class CkanErrors : public CkanAnswers {};
INSTANTIATE_TEST_SUITE_P(Each, CkanErrors, each_way(), way_name);

TEST_P(CkanErrors, SayWhatThePortalSays) {
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

TEST_P(CkanErrors, HaveNothingOfTheBodyButItsMessage) {
  const std::string body =
      R"({"success":false,"error":{"__type":"Server Error","message":"short\u0007\u202e)" +
      std::string(5'000, 'm') + R"(","__details":"/etc/secret stack trace"}})";
  const WireMessage reply = reply_to(replying(500, "application/json", body));
  EXPECT_LT(json::to_text(reply.value()).size(), 1'000U);
  EXPECT_THAT(reply.error(), Not(HasSubstr("secret")));
  EXPECT_THAT(reply.error(), Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_THAT(reply.error(), Not(HasSubstr("\a")));
}

TEST_P(CkanAnswers, AreReadWhateverTheirCharsetIsSaidToBe) {
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

TEST_P(CkanAnswers, ComeCompressed) {
  const std::string body = success(R"({"title":"packed"})");
  for (const auto& [name, packed] : std::map<std::string, std::string>{
           {"gzip", fetch::testing::gzip_of(body)}, {"br", fetch::testing::brotli_of(body)}}) {
    const WireMessage reply =
        reply_to([&name = name, &packed = packed](const Asked&, const SeenRequest& request, Answer& answer) {
          EXPECT_THAT(request.header("accept-encoding"), HasSubstr(name));
          answer.reply(200, {{"Content-Encoding", name}, {"Content-Type", "application/json"}}, packed);
        });
    EXPECT_THAT(reply.text({"result", "contents", 0, "text"}), HasSubstr("packed")) << name;
  }
}

TEST_P(CkanAnswers, ThatDripTakeNoLongerThanTheyMay) {
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
      spec);
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(code_of(reply), "fetch_timed_out");
  EXPECT_THAT(reply.error(), HasSubstr(GetParam().is_https ? "Request timeout connecting to https://"
                                                           : "Request timeout connecting to http://"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_P(CkanAnswers, ThatRedirectForEverEnd) {
  PortalFixture fixture(GetParam());
  fixture.on("package_show", [&](const Asked&, const SeenRequest& request, Answer& answer) {
    answer.redirect(302, fixture.base() + request.target);
  });
  CkanServer server(fixture);
  EXPECT_EQ(server.code(kUri), "too_many_redirects");
  EXPECT_LE(fixture.count("package_show"), 6U);
}

TEST_P(CkanAnswers, AreAskedForAgainWhereAPortalIsBusy) {
  PortalFixture fixture(GetParam());
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

TEST_P(CkanAnswers, AreNotWaitedForLongerThanAFewSeconds) {
  PortalFixture fixture(GetParam());
  fixture.on("package_show", [](const Asked&, const SeenRequest&, Answer& answer) {
    answer.reply(429, {{"Retry-After", "3600"}}, "");
  });
  CkanServer server(fixture);
  const WireMessage reply = server.reply(kUri);
  EXPECT_EQ(code_of(reply), "ckan_error");
  EXPECT_EQ(reply.text({"error", "data", "hint"}), "Try again in 3600 seconds.");
  EXPECT_EQ(fixture.count("package_show"), 1U);
}

TEST_P(CkanAnswers, ThatBreakOffAreAnError) {
  const WireMessage reply = reply_to([](const Asked&, const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"success\":true,");
    answer.reset();
  });
  EXPECT_EQ(reply.code(), -32603);
  EXPECT_EQ(code_of(reply), "answer_broken");
}

TEST_P(CkanAnswers, HugeOnesEndWhileTheyArrive) {
  std::atomic<std::size_t> sent{0};
  const std::vector<PortalFixture::Handler> handlers = {
      [](const Asked&, const SeenRequest&, Answer& answer) {
        answer.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
      },
      [&](const Asked&, const SeenRequest&, Answer& answer) {
        answer.send("HTTP/1.1 200 OK\r\n\r\n");
        for (; sent < 1'073'741'824 && answer.send(std::string(65'536, ' ')); sent += 65'536) {
        }
        answer.close();
      },
      [](const Asked&, const SeenRequest&, Answer& answer) {
        answer.reply(200, {{"Content-Encoding", "gzip"}}, fetch::testing::gzip_bomb(std::size_t{1} << 30U));
      },
      [](const Asked&, const SeenRequest&, Answer& answer) {
        answer.send("HTTP/1.1 404 No\r\n\r\n");
        while (answer.send(std::string(65'536, 'x'))) {
        }
      }};
  for (const PortalFixture::Handler& handler : handlers) {
    CkanSpec bounds;
    bounds.bytes_max = 1'000'000;
    EXPECT_EQ(code_of(reply_to(handler, bounds)), "answer_too_large");
  }
  EXPECT_LT(sent, 64U * 1024 * 1024);
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

TEST(CkanCache, KeepsRecordsForAMinuteAndStatusForAnHour) {
  PortalFixture fixture;
  CkanServer server(fixture);
  const json::Object records{{"server_url", "dati.gov.it"}, {"resource_id", "res-1"}};
  const json::Object status{{"server_url", "dati.gov.it"}};
  const auto asked = [&] {
    server.call("ckan_datastore_search", records);
    server.call("ckan_status_show", status);
    return std::vector{fixture.count("datastore_search"), fixture.count("status_show")};
  };
  EXPECT_THAT(asked(), ElementsAre(1U, 1U));
  server.clock().advance(std::chrono::seconds(40));
  EXPECT_THAT(asked(), ElementsAre(1U, 1U));
  server.clock().advance(std::chrono::seconds(21));
  EXPECT_THAT(asked(), ElementsAre(2U, 1U));
  server.clock().advance(std::chrono::seconds(3'500));
  EXPECT_THAT(asked(), ElementsAre(3U, 1U));
  server.clock().advance(std::chrono::seconds(40));
  EXPECT_THAT(asked(), ElementsAre(3U, 2U));
}

TEST(CkanCache, ForgetsTheLeastUsedWhereThereIsNoMoreRoom) {
  PortalFixture fixture;
  fixture.on("package_show", [](const Asked& asked, const SeenRequest&, Answer& answer) {
    answer.json(success(R"({"id":")" + asked["id"] + R"(","notes":")" + std::string(500'000, 'x') + "\"}"));
  });
  CkanServer server(fixture);
  const auto ask = [&](int id) {
    server.call("ckan_package_show", json::Object{{"server_url", "dati.gov.it"}, {"id", std::to_string(id)}});
    return fixture.count("package_show");
  };
  for (int id = 0; id < 8; ++id) ask(id);
  EXPECT_EQ(ask(0), 8U) << "all of them fit";
  for (int id = 8; id < 17; ++id) ask(id);
  EXPECT_EQ(ask(16), 17U) << "the last is there";
  EXPECT_EQ(ask(0), 17U) << "and so is the first, which was used again";
  EXPECT_EQ(ask(1), 18U) << "the least recently used is not";
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

TEST(CkanRate, OfOneHostLeavesOthersAlone) {
  PortalFixture one;
  PortalFixture two(Way{.is_v6 = true});
  CkanSpec spec = spec_at(one);
  spec.portals[1].base = two.base();
  for (PortalSpec& portal : spec.portals)
    portal.rate = {.per_second = 0.1, .burst = 1, .wait_max = std::chrono::milliseconds(100)};
  CkanServer server(spec);
  EXPECT_EQ(server.code("ckan://dati.gov.it/dataset/pkg-1"), "");
  EXPECT_EQ(server.code("ckan://dati.gov.it/dataset/test-id"), "rate_limited");
  EXPECT_EQ(server.code("ckan://demo.ckan.org/dataset/test-id"), "");
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

TEST(CkanToken, GoesToItsPortalAndNowhereElse) {
  PortalFixture fixture;
  PortalFixture other;
  other.on("package_show", [&](const Asked&, const SeenRequest&, Answer& answer) {
    answer.reply(302, {{"Location", fixture.base() + "/api/3/action/package_show?id=pkg-1"}}, "");
  });
  fixture.on("status_show", [&](const Asked&, const SeenRequest&, Answer& answer) {
    answer.reply(302, {{"Location", other.base() + "/api/3/action/status_show"}}, "");
  });
  CkanSpec spec = spec_at(fixture);
  spec.portals[0].token = "s3cret-token";
  spec.portals[0].origins = {other.base()};
  spec.portals.pop_back();
  PortalSpec second = spec.portals[0];
  second.host = "other.example";
  second.base = other.base();
  second.token = "";
  second.origins = {fixture.base()};
  spec.portals.push_back(second);
  CkanServer server(spec);
  EXPECT_EQ(
      at(server.call("ckan_package_show", {{"server_url", "dati.gov.it"}, {"id", "pkg-1"}}), "name").empty(),
      false);
  const auto token_of = [](const SeenRequest& request) {
    const auto header = request.headers.find("authorization");
    return header == request.headers.end() ? std::string() : header->second;
  };
  EXPECT_EQ(token_of(fixture.http().seen().at(0)), "s3cret-token");
  (void)server.call_raw("ckan_status_show", {{"server_url", "dati.gov.it"}});
  for (const SeenRequest& request : other.http().seen()) EXPECT_EQ(token_of(request), "") << request.target;
  EXPECT_GE(other.http().seen().size(), 1U);
  // Nor does another portal's answer make it known.
  const std::string text = json::to_text(
      server.call_raw("ckan_package_show", {{"server_url", "other.example"}, {"id", "x"}}).value());
  EXPECT_EQ(text.find("s3cret"), std::string::npos);
}

TEST(CkanToken, IsNotSentOverHttpToThePublic) {
  CkanSpec spec;
  PortalSpec portal;
  portal.host = "city";
  portal.base = "http://data.example.org";
  portal.token = "s3cret";
  spec.portals = {portal};
  EXPECT_EQ(check_spec(spec).error().code, "invalid_portal");
  EXPECT_EQ(check_spec(spec).error().message.find("s3cret"), std::string::npos);
  spec.portals[0].base = "https://data.example.org";
  EXPECT_TRUE(check_spec(spec).ok());
}

TEST(CkanPortalList, NamesWhatCanBeAsked) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  spec.portals[0].aliases = {"city"};
  CkanServer server(spec);
  const json::Value all = server.call("ckan_list_portals", {{"response_format", "json"}});
  EXPECT_EQ(at(all, "portals/0/host"), "dati.gov.it");
  EXPECT_EQ(at(all, "portals/0/aliases/0"), "city");
  EXPECT_EQ(at(all, "others"), "true");
  EXPECT_EQ(at(all, "count"), std::to_string(size_at(all, "portals")));
  EXPECT_TRUE(fixture.asked().empty());
}

TEST(CkanTools, ThatAreOfferedCanBeChosen) {
  PortalFixture fixture;
  CkanSpec spec = spec_at(fixture);
  spec.tools = {"ckan_package_search", "ckan_list_portals"};
  CkanServer server(spec);
  EXPECT_EQ(server.client().call("tools/list").size({"result", "tools"}), 2U);
  EXPECT_FALSE(server.call_raw("ckan_status_show", {{"server_url", "dati.gov.it"}}).is_result() &&
               server.call_raw("ckan_status_show", {{"server_url", "dati.gov.it"}})
                   .has({"result", "structuredContent"}));
  spec.tools = {"ckan_everything"};
  EXPECT_EQ(check_spec(spec).error().code, "invalid_portal");
}

}  // namespace
}  // namespace sluice::ckan::testing
