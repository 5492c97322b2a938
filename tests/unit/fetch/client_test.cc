// Answers as good servers give them, and as broken ones do.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "fetching.h"

namespace sluice::fetch::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Client, GivesStatusHeadersBodyAndPlace) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.reply(201, {{"X-One", " two "}, {"Content-Type", "text/plain"}}, "body");
  });
  const Response response = send(server.url("/a?b=c")).value();
  EXPECT_EQ(response.head.status, 201);
  EXPECT_EQ(*find_header(response.head.headers, "X-ONE"), "two");
  EXPECT_EQ(response.body, "body");
  EXPECT_EQ(response.head.url.text(), server.url("/a?b=c"));
  const SeenRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.method, "GET");
  EXPECT_EQ(seen.target, "/a?b=c");
  EXPECT_EQ(seen.header("accept-encoding"), "gzip, deflate, br");
  EXPECT_EQ(seen.header("user-agent"), "sluice");
  EXPECT_EQ(seen.header("cookie"), "");
}

TEST(Client, SendsMethodsHeadersAndBodies) {
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.text("ok"); });
  Request post = request(server.url("/p"));
  post.method = "POST";
  post.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}};
  post.body = "{\"a\":1}";
  EXPECT_TRUE(loopback_client()->send(post).ok());
  Request head = request(server.url("/h"));
  head.method = "HEAD";
  HttpFixture heads([](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n");
  });
  head.url = Url::parse(heads.url("/h")).value();
  const Result<Response> headed = loopback_client()->send(head);
  ASSERT_TRUE(headed.ok()) << headed.error().message;
  EXPECT_EQ(headed->body, "");
  const SeenRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.body, "{\"a\":1}");
  EXPECT_EQ(seen.header("content-type"), "application/json");
  EXPECT_EQ(seen.headers.count("x-empty"), 1U);
  EXPECT_EQ(heads.seen().at(0).method, "HEAD");
}

TEST(Client, RefusesHeadersThatBreakOut) {
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.text("ok"); });
  for (const auto& header : Headers{{"X", "a\r\nY: b"},
                                    {"X\r\nY", "b"},
                                    {"X", std::string("a\0b", 3)},
                                    {"Host", "evil"},
                                    {"Content-Length", "5"},
                                    {"", "x"},
                                    {"a b", "x"}}) {
    Request bad = request(server.url("/"));
    bad.headers = {header};
    EXPECT_EQ(code_of(loopback_client()->send(bad)), "invalid_header") << header.first;
  }
  EXPECT_TRUE(server.seen().empty());
}

TEST(Client, UsesConnectionsAgain) {
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.text("ok"); });
  const auto client = loopback_client();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client->send(request(server.url("/"))).ok());
  EXPECT_EQ(server.connections(), 1U);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(client->send(request(server.url("/"))).ok());
    });
  threads.clear();
  EXPECT_EQ(server.seen().size(), 100U);
  EXPECT_LE(server.connections(), 5U);
}

TEST(Client, GoesOnWhenAKeptConnectionHasBeenClosed) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.text("ok");
    answer.close();  // Without a word.
  });
  const auto client = loopback_client();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(client->send(request(server.url("/"))).ok());
}

TEST(Client, UnpacksWhatIsCompressed) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.reply(200, {{"Content-Encoding", "gzip"}}, gzip_of("unpacked"));
  });
  EXPECT_EQ(send(server.url("/")).value().body, "unpacked");
  Request plain = request(server.url("/"));
  plain.decompress = false;
  EXPECT_EQ(loopback_client()->send(plain).value().body, gzip_of("unpacked"));
  EXPECT_EQ(server.seen().at(1).header("accept-encoding"), "");
}

TEST(Client, UnpacksBrotli) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.reply(200, {{"Content-Encoding", "br"}}, brotli_of("unpacked"));
  });
  const Result<Response> response = send(server.url("/"));
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->body, "unpacked");
}

TEST(Client, HandsPiecesToASinkWhileTheyArrive) {
  std::atomic<bool> got_first{false};
  HttpFixture server([&](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst");
    for (int i = 0; i < 1'000 && !got_first; ++i) answer.gone_within(milliseconds(10));
    answer.send("later");
  });
  class Pieces final : public Sink {
   public:
    explicit Pieces(std::atomic<bool>& got_first) : got_first_(got_first) {}
    Status begin(const Head& head) override {
      text += std::to_string(head.status) + " ";
      return {};
    }
    Result<Flow> write(std::string_view piece) override {
      text += piece;
      got_first_ = true;
      return Flow::kMore;
    }
    std::string text;

   private:
    std::atomic<bool>& got_first_;
  };
  Pieces pieces(got_first);
  ASSERT_TRUE(loopback_client()->stream(request(server.url("/")), pieces).ok());
  EXPECT_EQ(pieces.text, "200 firstlater");
}

TEST(Client, ASinkMayHaveEnoughOrFail) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (answer.send(std::string(65'536, 'x'))) {
    }
  });
  class Taster final : public Sink {
   public:
    explicit Taster(Result<Flow> flow) : flow_(std::move(flow)) {}
    Status begin(const Head&) override { return {}; }
    Result<Flow> write(std::string_view piece) override {
      bytes += piece.size();
      return flow_;
    }
    std::size_t bytes = 0;

   private:
    Result<Flow> flow_;
  };
  Taster enough(Flow::kEnough);
  EXPECT_TRUE(loopback_client()->stream(request(server.url("/")), enough).ok());
  EXPECT_GT(enough.bytes, 0U);
  Taster failing(Result<Flow>(unavailable("disk full")));
  EXPECT_EQ(loopback_client()->stream(request(server.url("/")), failing).error().message, "disk full");
}

TEST(Client, CancelsWithinMilliseconds) {
  HttpFixture server(
      [](const SeenRequest&, Answer& answer) { answer.gone_within(std::chrono::seconds(30)); });
  std::stop_source source;
  Request slow = request(server.url("/"));
  slow.stop = source.get_token();
  std::atomic<std::int64_t> stopped_at{0};
  std::jthread canceller([&] {
    EXPECT_TRUE(server.saw(1));
    stopped_at = system_clock().now().time_since_epoch().count();
    source.request_stop();
  });
  EXPECT_EQ(code_of(loopback_client()->send(slow)), "cancelled");
  const auto took = std::chrono::nanoseconds(system_clock().now().time_since_epoch().count() - stopped_at);
  RecordProperty("cancelled_after_us", std::to_string(took.count() / 1'000));
  EXPECT_LT(took, milliseconds(200));
}

TEST(Client, CountsTimeToConnectToIdleAndInAll) {
  HttpFixture silent(
      [](const SeenRequest&, Answer& answer) { answer.gone_within(std::chrono::seconds(30)); });
  Request idle = request(silent.url("/"));
  idle.limits.idle = milliseconds(100);
  const Result<Response> nothing = loopback_client()->send(idle);
  EXPECT_EQ(code_of(nothing), "fetch_timed_out");
  EXPECT_THAT(nothing.error().message, HasSubstr("nothing came"));

  HttpFixture drip([](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (answer.send("x") && !answer.gone_within(milliseconds(20))) {
    }
  });
  Request slow = request(drip.url("/"));
  slow.limits.total = milliseconds(300);
  const Monotonic begin = system_clock().now();
  EXPECT_EQ(code_of(loopback_client()->send(slow)), "fetch_timed_out");
  EXPECT_LT(system_clock().now() - begin, std::chrono::seconds(2));

  Request late = request(drip.url("/"));
  late.deadline = system_clock().now() + milliseconds(100);
  EXPECT_EQ(code_of(loopback_client()->send(late)), "fetch_timed_out");
}

TEST(Client, SaysWhatIsBroken) {
  const auto outcome = [](const std::string& bytes, bool resets = false) {
    HttpFixture server([&](const SeenRequest&, Answer& answer) {
      answer.send(bytes);
      if (resets) answer.reset();
      answer.close();
    });
    return code_of(send(server.url("/")));
  };
  EXPECT_EQ(outcome(""), "answer_broken");
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), "answer_broken");
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", true), "answer_broken");
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\ngarbage\r\n"),
            "answer_broken");
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), "answer_broken");
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), "answer_broken");
  EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nnotgzip"),
            "answer_broken");
  EXPECT_EQ(outcome("SSH-2.0-OpenSSH_9.2\r\n"), "answer_broken");
  EXPECT_EQ(outcome("just text\n"), "answer_broken");
  EXPECT_EQ(code_of(send("http://127.0.0.1:1/")), "connect_failed");
  EXPECT_EQ(code_of(send("http://does-not-exist.invalid/")), "host_not_found");
}

TEST(Client, TakesNoMoreThanTheLengthThatWasNamed) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.send(
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
  });
  const auto client = loopback_client();
  EXPECT_EQ(client->send(request(server.url("/1"))).value().body, "body");
  EXPECT_EQ(client->send(request(server.url("/2"))).value().body, "body");
}

TEST(UnboundedAnswerClient, RefusesAHugeAnswerBeforeItComes) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    answer.gone_within(std::chrono::seconds(10));
  });
  EXPECT_EQ(code_of(send(server.url("/"))), "answer_too_large");
}

TEST(UnboundedAnswerClient, EndsAHugeAnswerWhileItComes) {
  std::atomic<std::size_t> sent{0};
  HttpFixture server([&](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(65'536, 'x') + "\r\n";
    for (; sent < 1'073'741'824 && answer.send(chunk); sent += 65'536) {
    }
    answer.close();
  });
  Request bounded = request(server.url("/"));
  bounded.limits.bytes_max = 1'000'000;
  EXPECT_EQ(code_of(loopback_client()->send(bounded)), "answer_too_large");
  EXPECT_LT(sent, 64U * 1024 * 1024);
}

TEST(UnboundedAnswerClient, EndsADecompressionBombWhileItUnpacks) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    answer.reply(200, {{"Content-Encoding", "gzip"}}, gzip_bomb(std::size_t{1} << 30U));
  });
  Request bounded = request(server.url("/"));
  class Counter final : public Sink {
   public:
    Status begin(const Head&) override { return {}; }
    Result<Flow> write(std::string_view piece) override {
      bytes += piece.size();
      return Flow::kMore;
    }
    std::size_t bytes = 0;
  };
  Counter counter;
  const Status ended = loopback_client()->stream(bounded, counter);
  EXPECT_EQ(ended.error().code, "answer_too_large");
  EXPECT_GT(counter.bytes, 1'000'000U);
  EXPECT_LE(counter.bytes, bounded.limits.bytes_max);
}

TEST(UnboundedAnswerClient, CountsBytesBeforeTheyAreUnpackedToo) {
  HttpFixture server([](const SeenRequest&, Answer& answer) {
    std::string many;  // Members that hold nothing.
    while (many.size() < 200'000) many += gzip_of("");
    answer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + many);
    answer.close();
  });
  Request bounded = request(server.url("/"));
  bounded.limits.bytes_max = 100'000;
  EXPECT_THAT(code_of(loopback_client()->send(bounded)),
              ::testing::AnyOf("answer_too_large", "answer_broken"));
}

TEST(UnboundedAnswerClient, EndsAFloodOfHeaders) {
  for (const std::string start : {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 Early Hints\r\n"}) {
    HttpFixture server([&](const SeenRequest&, Answer& answer) {
      answer.send(start);
      while (answer.send("X-Flood: " + std::string(1'000, 'x') + "\r\n")) {
      }
    });
    EXPECT_EQ(code_of(send(server.url("/"))), "answer_too_large");
  }
  HttpFixture interim([](const SeenRequest&, Answer& answer) {
    while (answer.send("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n")) {
    }
  });
  EXPECT_EQ(code_of(send(interim.url("/"))), "answer_too_large");
  HttpFixture line([](const SeenRequest&, Answer& answer) {
    answer.send("HTTP/1.1 200 OK\r\nX: ");
    while (answer.send(std::string(1'000, 'x'))) {
    }
  });
  EXPECT_THAT(code_of(send(line.url("/"))), ::testing::AnyOf("answer_too_large", "answer_broken"));
}

TEST(VerboseErrorClient, ErrorsNameNoPathAndNoQuery) {
  HttpFixture server([](const SeenRequest&, Answer& answer) { answer.close(); });
  for (const std::string& url :
       {server.url("/secret?key=secret"), std::string("http://127.0.0.1:1/secret?key=secret"),
        std::string("http://nowhere.invalid/secret?key=secret")}) {
    const Result<Response> response = send(url);
    ASSERT_FALSE(response.ok());
    EXPECT_THAT(response.error().message + response.error().hint, Not(HasSubstr("secret"))) << url;
  }
}

}  // namespace
}  // namespace sluice::fetch::testing
