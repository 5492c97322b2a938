// `tool_poisoning`, `injected_data`, `oauth_abuse`: whatever a server behind HTTP does, its client says what
// is wrong, and credentials stay.
#include "http_fixture.h"
#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using fetch::testing::Answer;
using fetch::testing::HttpFixture;
using fetch::testing::SeenRequest;

std::string id_of(const SeenRequest& request) {
  const std::size_t at = request.body.find("\"id\":");
  return at == std::string::npos ? "null"
                                 : request.body.substr(at + 5, request.body.find_first_of(",}", at) - at - 5);
}

// A modern server that introduces itself well.
class Hostile {
 public:
  using Handler = std::function<void(const SeenRequest&, Answer&)>;
  explicit Hostile(Handler handler) : handler_(std::move(handler)) {}

  std::string call(ClientOptions options = {}, const CallOptions& call = {}) const {
    Endpoint endpoint;
    endpoint.url = fixture_.url("/mcp");
    endpoint.headers = {{"Authorization", "Bearer secret"}};
    return text_of(make_client(endpoint, std::move(options))->call_tool("t", {}, call));
  }

 private:
  const Handler handler_;
  HttpFixture fixture_{[this](const SeenRequest& request, Answer& answer) {
    if (request.body.find("server/discover") == std::string::npos) return handler_(request, answer);
    answer.json(
        R"({"jsonrpc":"2.0","id":)" + id_of(request) +
        R"(,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}})");
  }};
};

std::string ok(const SeenRequest& request) {
  return R"({"jsonrpc":"2.0","id":)" + id_of(request) +
         R"(,"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}]}})";
}

constexpr const char* kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

TEST(OauthAbuseHostileHttp, GarbageIsNoAnswer) {
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) { answer.json("not json"); }).call(),
            "error server_sends_garbage");
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) { answer.json("[1,2,3]"); }).call(),
            "error answer_broken");
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) { answer.text("hello"); }).call(),
            "error answer_broken");
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) { answer.reply(202, {}, ""); }).call(),
            "error answer_broken");
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) {
              answer.json(R"({"jsonrpc":"2.0","id":999,"result":{"content":[]}})");
            }).call(),
            "error result_invalid");
}

TEST(OauthAbuseHostileHttp, AStreamOfGarbageIsGivenUp) {
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) {
              answer.send(kStream);
              while (answer.send("data: garbage\n\n")) {
              }
              answer.close();
            }).call(),
            "error server_sends_garbage");
}

TEST(OauthAbuseHostileHttp, AReplyThatCannotBeReadFailsItsCallAtOnce) {
  for (const std::string& rest : {std::string(R"("error":{"code":"fatal","message":"no"}})"),
                                  R"("result":{"content":[],"n":)" + std::string(5'000, '9') + "}}"}) {
    EXPECT_EQ(Hostile([&](const SeenRequest& request, Answer& answer) {
                answer.send(kStream);
                answer.send(R"(data: {"jsonrpc":"2.0","id":)" + id_of(request) + "," + rest + "\n\n");
                answer.gone_within(std::chrono::seconds(20));
              }).call(),
              "error result_invalid");
  }
}

TEST(OauthAbuseHostileHttp, AnEndlessStreamTakesNoMoreThanTheTimeout) {
  const CallOptions quick{.timeout = std::chrono::milliseconds{300}};
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) {
              answer.send(kStream);
              while (answer.send(R"(data: {"jsonrpc":"2.0","method":"notifications/message","params":{}})"
                                 "\n\n")) {
              }
              answer.close();
            }).call({}, quick),
            "error fetch_timed_out");
}

TEST(OauthAbuseHostileHttp, AMessageIsNoLargerThanItMayBe) {
  ClientOptions options;
  options.message_bytes_max = 100'000;
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) {
              answer.json(std::string(1'000'000, ' '));
            }).call(options),
            "error answer_too_large");
  EXPECT_EQ(Hostile([](const SeenRequest&, Answer& answer) {
              answer.send(kStream);
              answer.send("data: ");
              while (answer.send(std::string(10'000, 'x'))) {
              }
              answer.close();
            }).call(options),
            "error answer_too_large");
}

TEST(OauthAbuseHostileHttp, ALengthThatLiesIsABrokenAnswer) {
  EXPECT_EQ(
      Hostile([](const SeenRequest& request, Answer& answer) {
        answer.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n" +
                    ok(request));
        answer.close();
      }).call(),
      "error answer_broken");
}

TEST(OauthAbuseHostileHttp, HalfAFrameIsNoAnswer) {
  EXPECT_EQ(Hostile([](const SeenRequest& request, Answer& answer) {
              answer.send(kStream);
              answer.send("data: " + ok(request));  // Without the blank line that would end it.
              answer.close();
            }).call(),
            "error answer_broken");
}

TEST(OauthAbuseHostileHttp, AnAnswerToAnotherRequestIsSkipped) {
  EXPECT_EQ(Hostile([](const SeenRequest& request, Answer& answer) {
              answer.send(kStream);
              answer.send(R"(data: {"jsonrpc":"2.0","id":12345,"result":{"content":[]}})"
                          "\n\n");
              answer.send("data: " + ok(request) + "\n\n");
              answer.close();
            }).call(),
            "ok");
}

TEST(OauthAbuseHostileHttp, AModernServerMayNotAskOverAStream) {
  ClientOptions options;
  options.capabilities.roots = true;
  std::atomic<int> asked{0};
  options.ask = [&](const protocol::Question&, std::stop_token) -> Result<protocol::Answer> {
    ++asked;
    return protocol::Answer{protocol::RootsAnswer{}};
  };
  EXPECT_EQ(Hostile([](const SeenRequest& request, Answer& answer) {
              if (request.body.find("\"method\"") == std::string::npos) return answer.reply(202, {}, "");
              answer.send(kStream);
              answer.send(R"(data: {"jsonrpc":"2.0","id":"q","method":"roots/list"})"
                          "\n\n");
              answer.send("data: " + ok(request) + "\n\n");
              answer.close();
            }).call(options),
            "ok");
  EXPECT_EQ(asked, 0);
}

TEST(OauthAbuseHostileHttp, EndlessQuestionsEnd) {
  ClientOptions options;
  options.capabilities.roots = true;
  options.ask = [](const protocol::Question&, std::stop_token) -> Result<protocol::Answer> {
    return protocol::Answer{protocol::RootsAnswer{}};
  };
  EXPECT_EQ(
      Hostile([](const SeenRequest& request, Answer& answer) {
        answer.json(
            R"({"jsonrpc":"2.0","id":)" + id_of(request) +
            R"(,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}})");
      }).call(options),
      "error too_many_rounds");
}

TEST(ToolPoisoningCredentialsStay, ARedirectToAnotherOriginIsNotFollowed) {
  const HttpFixture other([](const SeenRequest& request, Answer& answer) { answer.json(ok(request)); });
  for (const int status : {301, 302, 303, 307, 308}) {
    EXPECT_EQ(Hostile([&](const SeenRequest&, Answer& answer) {
                answer.redirect(status, other.url("/mcp"));
              }).call(),
              "error redirect_refused");
  }
  EXPECT_TRUE(other.seen().empty());
}

}  // namespace
}  // namespace sluice::client::testing
