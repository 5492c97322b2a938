// What goes over HTTP: mirrored headers, sessions, streams that are resumed, authorization.
#include <atomic>

#include "http_fixture.h"
#include "test_clients.h"

namespace sluice::client::testing {
namespace {

using fetch::testing::Answer;
using fetch::testing::HttpFixture;
using fetch::testing::SeenRequest;

std::string method_of(const SeenRequest& request) {
  const std::size_t at = request.body.find("\"method\":\"");
  return at == std::string::npos ? ""
                                 : request.body.substr(at + 10, request.body.find('"', at + 10) - at - 10);
}

std::string id_of(const SeenRequest& request) {
  const std::size_t at = request.body.find("\"id\":");
  return at == std::string::npos ? "null"
                                 : request.body.substr(at + 5, request.body.find_first_of(",}", at) - at - 5);
}

std::string result(const SeenRequest& request, const std::string& body) {
  return R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":)" + body + "}";
}

constexpr const char* kOk = R"({"content":[{"type":"text","text":"ok"}]})";

// A server of the legacy era that does the rest as the test says.
class LegacyServer {
 public:
  using Handler = std::function<void(const SeenRequest&, Answer&)>;
  explicit LegacyServer(Handler handler) : handler_(std::move(handler)) {}

  std::unique_ptr<Client> client(ClientOptions options = {}) const {
    Endpoint endpoint;
    endpoint.url = fixture_.url("/mcp");
    return make_client(endpoint, std::move(options));
  }
  std::vector<SeenRequest> seen() const { return fixture_.seen(); }
  std::size_t sessions() const { return sessions_; }

 private:
  void answer(const SeenRequest& request, Answer& answer) {
    const std::string method = method_of(request);
    if (method == "server/discover") return answer.reply(400, {}, "");
    if (method == "notifications/initialized") return answer.reply(202, {}, "");
    if (method == "initialize") {
      return answer.reply(
          200, {{"Content-Type", "application/json"}, {"Mcp-Session-Id", "s" + std::to_string(++sessions_)}},
          result(request, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})"));
    }
    handler_(request, answer);
  }

  const Handler handler_;
  std::atomic<std::size_t> sessions_{0};
  HttpFixture fixture_{[this](const SeenRequest& request, Answer& way) { answer(request, way); }};
};

void stream(Answer& answer, const std::string& events) {
  answer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + events);
  answer.close();
}

TEST(Http, NamesTheSessionAndEndsIt) {
  const LegacyServer server([](const SeenRequest& request, Answer& answer) {
    if (request.method == "DELETE") return answer.reply(200, {}, "");
    answer.json(result(request, kOk));
  });
  EXPECT_EQ(text_of(server.client()->call_tool("t", {})), "ok");
  const std::vector<SeenRequest> seen = server.seen();
  EXPECT_EQ(seen.at(1).header("mcp-session-id"), "");
  EXPECT_EQ(seen.at(2).header("mcp-session-id"), "s1");
  EXPECT_EQ(seen.at(3).header("mcp-session-id"), "s1");
  EXPECT_EQ(seen.at(3).header("mcp-protocol-version"), "2025-11-25");
  EXPECT_EQ(seen.back().method, "DELETE");
}

TEST(Http, BeginsANewSessionOnceWhenTheServerHasForgottenIt) {
  const LegacyServer server([](const SeenRequest& request, Answer& answer) {
    if (request.header("mcp-session-id") == "s1") return answer.reply(404, {}, "");
    answer.json(result(request, kOk));
  });
  EXPECT_EQ(text_of(server.client()->call_tool("t", {})), "ok");
  EXPECT_EQ(server.sessions(), 2U);
}

TEST(Http, GivesUpOnAServerThatForgetsEverySession) {
  const LegacyServer server([](const SeenRequest&, Answer& answer) { answer.reply(404, {}, ""); });
  EXPECT_EQ(text_of(server.client()->call_tool("t", {})), "error session_gone");
  EXPECT_EQ(server.sessions(), 2U);
}

TEST(Http, ComesBackForTheRestOfAStream) {
  std::string asked;
  const LegacyServer server([&](const SeenRequest& request, Answer& answer) {
    if (request.method == "POST") {
      asked = result(request, kOk);
      return stream(answer, "id: e1\nretry: 10\ndata: \n\n");
    }
    if (request.method == "GET" && request.header("last-event-id") == "e1")
      return stream(answer, "id: e2\ndata: " + asked + "\n\n");
    answer.reply(405, {}, "");
  });
  EXPECT_EQ(text_of(server.client()->call_tool("t", {})), "ok");
}

TEST(Http, DoesNotComeBackForAStreamThatCannotBeResumed) {
  const LegacyServer server([](const SeenRequest&, Answer& answer) { stream(answer, ": nothing\n\n"); });
  EXPECT_EQ(text_of(server.client()->call_tool("t", {})), "error answer_broken");
}

TEST(Http, TakesAnAnswerThatComesInPieces) {
  const LegacyServer server([](const SeenRequest& request, Answer& answer) {
    const std::string events = ": hello\r\n\r\nevent: message\r\ndata: " + result(request, kOk) + "\r\n\r\n";
    answer.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n");
    for (const char byte : events) answer.send(std::string_view(&byte, 1));
    answer.close();
  });
  EXPECT_EQ(text_of(server.client()->call_tool("t", {})), "ok");
}

TEST(Http, MirrorsArgumentsThatTheSchemaMarks) {
  const Served served(Transport::kHttp);
  const auto client = served.client();
  // The server refuses the call until the headers are there, and the client does not know the tool yet.
  EXPECT_EQ(text_of(client->call_tool("region", {{"region", "Zürich "}})), "Zürich ");
  EXPECT_EQ(text_of(client->call_tool("region", {})), "");
}

// Knows one token; a second one when it is challenged.
class TokenSource final : public oauth::Authorizer {
 public:
  Result<std::vector<oauth::Header>> headers(const oauth::HttpTarget& target, std::stop_token) override {
    last_url = target.url;
    return std::vector<oauth::Header>{{"Authorization", "Bearer " + std::to_string(token)}};
  }
  Result<bool> challenged(const oauth::Challenge& challenge, std::stop_token) override {
    challenges.push_back(challenge.www_authenticate);
    ++token;
    return can_more;
  }
  int token = 1;
  bool can_more = true;
  std::string last_url;
  std::vector<std::string> challenges;
};

TEST(Http, AsksTheAuthorizerAndTriesAgainWhenItIsChallenged) {
  const auto source = std::make_shared<TokenSource>();
  const HttpFixture fixture([](const SeenRequest& request, Answer& answer) {
    if (request.header("authorization") != "Bearer 2")
      return answer.reply(401, {{"WWW-Authenticate", "Bearer scope=\"a\""}}, "");
    answer.json(
        result(request, R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}})"));
  });
  Endpoint endpoint;
  endpoint.url = fixture.url("/mcp");
  endpoint.authorizer = source;
  EXPECT_TRUE(make_client(endpoint)->connect().ok());
  EXPECT_THAT(source->challenges, ::testing::ElementsAre("Bearer scope=\"a\""));
  EXPECT_EQ(source->last_url, fixture.url("/mcp"));
}

TEST(Http, StopsAskingAnAuthorizerThatIsNeverGoodEnough) {
  const auto source = std::make_shared<TokenSource>();
  const HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.reply(401, {}, ""); });
  Endpoint endpoint;
  endpoint.url = fixture.url("/mcp");
  endpoint.authorizer = source;
  EXPECT_EQ(code_of(make_client(endpoint)->connect()), "authorization_required");
  EXPECT_EQ(fixture.seen().size(), 4U);
}

TEST(Http, SaysThatCredentialsAreMissing) {
  const HttpFixture fixture([](const SeenRequest&, Answer& answer) { answer.reply(401, {}, ""); });
  Endpoint endpoint;
  endpoint.url = fixture.url("/mcp");
  EXPECT_EQ(code_of(make_client(endpoint)->connect()), "authorization_required");
}

}  // namespace
}  // namespace sluice::client::testing
