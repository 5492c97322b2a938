// What endpoints are as resources, and what reading them gives.

#include <atomic>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "api_server.h"

namespace sluice::apis::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Apis, EndpointsAreResourcesAndTemplates) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  EXPECT_EQ(server.listed("resources/list", "resources", "uri"), "api://v1/items api://v1/status");
  EXPECT_EQ(server.listed("resources/list", "resources", "name"), "v1/items v1/status");
  EXPECT_EQ(server.listed("resources/templates/list", "resourceTemplates", "uriTemplate"),
            "api://v1/items{?page} api://v1/user/{user_id}{?verbose}");
  EXPECT_TRUE(fixture.seen().empty());  // Nothing is asked before somebody reads.
}

TEST(Apis, AReadAsksTheApi) {
  HttpFixture fixture(
      [](const SeenRequest&, Answer& answer) { answer.json("{ \"ok\" : true,\n \"n\": 1.10 }"); });
  ApiServer server(api_at(fixture));
  const WireMessage read = server.reply("api://v1/status");
  EXPECT_EQ(read.text({"result", "contents", 0, "text"}), R"({"ok":true,"n":1.10})");
  EXPECT_EQ(read.text({"result", "contents", 0, "mimeType"}), "application/json");
  EXPECT_EQ(read.text({"result", "contents", 0, "uri"}), "api://v1/status");
  EXPECT_EQ(read.text({"result", "cacheScope"}), "private");
  EXPECT_GT(std::stol(read.text({"result", "ttlMs"})), 59'000);
  EXPECT_LE(std::stol(read.text({"result", "ttlMs"})), 60'000);
  const SeenRequest seen = fixture.seen().at(0);
  EXPECT_EQ(seen.target, "/v1/status");
  EXPECT_EQ(seen.header("authorization"), "Bearer top-secret");
  EXPECT_THAT(seen.header("accept"), StartsWith("application/json"));
}

TEST(Apis, ParametersAreBound) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  for (const std::string uri :
       {"api://v1/user/42", "api://v1/user/J%C3%BCrgen%20S", "api://v1/user/42?verbose=yes"})
    EXPECT_TRUE(server.reply(uri).is_result()) << uri;
  EXPECT_EQ(fixture.seen().at(0).target, "/v1/users/42?fixed=1");
  EXPECT_EQ(fixture.seen().at(1).target, "/v1/users/J%C3%BCrgen%20S?fixed=1");
  EXPECT_EQ(fixture.seen().at(2).target, "/v1/users/42?verbose=yes&fixed=1");
}

TEST(Apis, WhatIsNoResourceIsNotAskedFor) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  for (const std::string uri : {"api://v1",
                                "api://v1/",
                                "api://v2/status",
                                "api://V1/status",
                                "api://v1/none",
                                "api://v1/status/",
                                "api://v1/status/x",
                                "api://v1/status?x=1",
                                "api://v1/status?",
                                "api://v1/status#x",
                                "api://v1/user",
                                "api://v1/user/",
                                "api://v1/user/1/2",
                                "api://v1/user/1?verbose=maybe",
                                "api://v1/user/1?fixed=2",
                                "api://v1/user/1?verbose=yes&verbose=no",
                                "api://v1/user/1?user_id=2",
                                "api://v1/items?key=mine",
                                "api://v1/user/%FF",
                                "api://v1@evil.org/status",
                                "api://v1:80/status",
                                "api:v1/status",
                                "api:///status",
                                "api:////v1/status"})
    server.expect_not_found(uri);
  EXPECT_TRUE(fixture.seen().empty());
}

TEST(Apis, ARequiredQueryParameterIsNamedWhereItIsMissing) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiSpec api = api_at(fixture);
  api.endpoints.push_back({.name = "search",
                           .path = "/search",
                           .query = {{"q", "{q}"}},
                           .parameters = {{.name = "q", .required = true}}});
  ApiServer server(api);
  EXPECT_EQ(server.listed("resources/list", "resources", "uri"), "api://v1/items api://v1/status");
  const WireMessage reply = server.reply("api://v1/search");
  EXPECT_EQ(reply.code(), -32602);
  EXPECT_EQ(reply.text({"error", "data", "code"}), "missing_parameter");
  EXPECT_TRUE(server.reply("api://v1/search?q=a%26b%3Dc").is_result());
  EXPECT_EQ(fixture.seen().at(0).target, "/v1/search?q=a%26b%3Dc");
}

TEST(Apis, ValuesOfAPathMayBeListed) {
  HttpFixture fixture([](const SeenRequest& request, Answer& answer) {
    answer.json(json::to_text(json::Object{{"asked", request.target}}));
  });
  ApiSpec api = api_at(fixture);
  api.endpoints[1].parameters.push_back({.name = "user_id", .values = {"ada", "b c"}, .description = {}});
  ApiServer server(api);
  EXPECT_THAT(json::to_text(server.reply("api://v1/user/b%20c").value()), HasSubstr("/v1/users/b%20c"));
  EXPECT_FALSE(server.reply("api://v1/user/eve").is_result());
  api.endpoints[1].parameters.back().values = {".."};
  EXPECT_EQ(check_spec(api).error().code, "invalid_api");
}

TEST(Apis, ValuesAreCompleted) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  ApiServer server(api_at(fixture));
  const auto completed = [&](const char* argument, const char* typed) {
    const json::Object reference{{"type", "ref/resource"}, {"uri", "api://v1/user/{user_id}{?verbose}"}};
    const json::Object value{{"name", argument}, {"value", typed}};
    return server.client()
        .call("completion/complete", json::to_text(json::Object{{"ref", reference}, {"argument", value}}))
        .text({"result", "completion", "values"});
  };
  EXPECT_EQ(completed("verbose", ""), R"(["no","yes"])");
  EXPECT_EQ(completed("verbose", "Y"), R"(["yes"])");
  EXPECT_EQ(completed("user_id", "1"), "[]");
}

TEST(Apis, ErrorsOfTheApiAreTold) {
  std::atomic<int> status{500};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    answer.reply(status, {{"Retry-After", "120"}, {"Content-Type", "text/html"}},
                 "<h1>stack trace: top-secret</h1>");
  });
  ApiServer server(api_at(fixture));
  for (const int gone : {404, 410}) {
    status = gone;
    server.expect_not_found("api://v1/status");
  }
  for (const int each : {400, 401, 403, 418, 429, 500, 502, 503}) {
    status = each;
    const WireMessage reply = server.reply("api://v1/status");
    EXPECT_EQ(reply.code(), -32603) << each;
    EXPECT_EQ(reply.error(), "Failed to read resource: the API answered " + std::to_string(each));
    EXPECT_EQ(reply.text({"error", "data", "code"}), "api_error");
    if (each != 401 && each != 403) {
      EXPECT_EQ(reply.text({"error", "data", "hint"}), "Try again in 120 seconds.");
    }
  }
}

TEST(Apis, FailuresAreToldByTheirCode) {
  const auto code = [](const HttpFixture::Handler& handler) {
    HttpFixture fixture(handler);
    ApiSpec api = api_at(fixture);
    api.timeout = std::chrono::milliseconds(500);
    api.bytes_max = 100'000;
    ApiServer server(api);
    const WireMessage reply = server.reply("api://v1/status");
    EXPECT_EQ(reply.code(), -32603);
    EXPECT_THAT(reply.error(), StartsWith("Failed to read resource: the "));
    return reply.text({"error", "data", "code"});
  };
  EXPECT_EQ(code([](const SeenRequest&, Answer& answer) { answer.gone_within(std::chrono::seconds(10)); }),
            "fetch_timed_out");
  EXPECT_EQ(code([](const SeenRequest&, Answer& answer) {
              answer.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
              while (answer.send("x") && !answer.gone_within(std::chrono::milliseconds(50))) {
              }
            }),
            "fetch_timed_out");
  EXPECT_EQ(code([](const SeenRequest&, Answer& answer) {
              answer.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx");
              answer.reset();
            }),
            "answer_broken");
  EXPECT_EQ(code([](const SeenRequest&, Answer& answer) { answer.redirect(302, "/v1/status"); }),
            "too_many_redirects");
  EXPECT_EQ(code([](const SeenRequest&, Answer& answer) { answer.redirect(302, "http://other.example/"); }),
            "redirect_refused");
}

TEST(Apis, ABrokenConnectionIsTriedOnceMore) {
  std::atomic<int> count{0};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) {
    if (++count == 1) return answer.reset();
    answer.text("second");
  });
  ApiServer server(api_at(fixture));
  EXPECT_EQ(server.text("api://v1/status"), "second");
}

TEST(Apis, RedirectsStayWithinWhatIsAllowed) {
  HttpFixture other([](const SeenRequest&, Answer& answer) { answer.text("other"); });
  HttpFixture fixture([&](const SeenRequest& request, Answer& answer) {
    if (request.target == "/v1/status") return answer.redirect(302, "/v2/status");
    if (request.target.starts_with("/v1/users")) return answer.redirect(302, other.url("/u"));
    answer.text("moved");
  });
  ApiSpec api = api_at(fixture);
  ApiServer strict(api);
  EXPECT_EQ(strict.text("api://v1/status"), "moved");
  EXPECT_EQ(strict.reply("api://v1/user/1").text({"error", "data", "code"}), "redirect_refused");
  EXPECT_TRUE(other.seen().empty());
  api.allowed_origins = {other.origin()};
  ApiServer open(api);
  EXPECT_EQ(open.text("api://v1/user/1"), "other");
  EXPECT_EQ(other.seen().at(0).headers.count("authorization"), 0U);
}

TEST(Apis, SpecificationsThatMakeNoSenseAreRefused) {
  HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.json("{}"); });
  const ApiSpec good = api_at(fixture);
  const auto refused = [&](const std::function<void(ApiSpec&)>& change) {
    ApiSpec api = good;
    change(api);
    const Status status = check_spec(api);
    return status.ok() ? "ok" : status.error().code;
  };
  EXPECT_EQ(refused([](ApiSpec&) {}), "ok");
  EXPECT_EQ(refused([](ApiSpec& api) { api.name = "a/b"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.name = ".."; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.base = "ftp://x"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.base = "https://user:pw@x"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.base += "?a=b"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].name = "a b"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].name = "user"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].path = "status"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].path = "/a/../b"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].path = "/a?b=c"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].path = "/a/{b"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].path = "/a/{b c}"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[0].path = "/{x}/{x}"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[1].query[0].second = "{user_id}"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[1].query[0].second = "{offset}"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[1].parameters[0].name = "other"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.endpoints[2].next = "sometimes"; }), "invalid_api");
  EXPECT_EQ(refused([](ApiSpec& api) { api.allowed_origins = {"http://user@x"}; }), "invalid_api");
  EXPECT_FALSE(make_apis_provider({good, good}).ok());
}

TEST(Apis, AProbeSaysWhatIsTheMatter) {
  std::atomic<int> status{200};
  HttpFixture fixture([&](const SeenRequest&, Answer& answer) { answer.reply(status, {}, ""); });
  ApiSpec api = api_at(fixture);
  EXPECT_TRUE(probe(api).is_reachable);
  EXPECT_EQ(probe(api).finding, "reachable, answered 200, 3 endpoints; its headers go over plain http");
  EXPECT_EQ(fixture.seen().at(0).target, "/v1/status");
  status = 401;
  EXPECT_FALSE(probe(api).is_reachable);
  api.allow_private = false;
  EXPECT_THAT(probe(api).finding, HasSubstr("address_refused"));
  api.allow_private = true;
  api.base = "http://127.0.0.1:1";
  EXPECT_THAT(probe(api).finding, HasSubstr("connect_failed"));
}

}  // namespace
}  // namespace sluice::apis::testing
