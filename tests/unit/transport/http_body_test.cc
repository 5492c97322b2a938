// Bodies that are pulled piece by piece while they are sent.
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/transport/http_server.h"

#include "exchange_inbox.h"
#include "tcp_client.h"

namespace sluice::transport {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What has happened to the bodies of a test.
struct BodyLog {
  std::atomic<std::size_t> pieces = 0;
  std::atomic<std::size_t> alive = 0;
  std::atomic<std::thread::id> destroyed_on;
};

class PlannedBody final : public protocol::Body {
 public:
  using Next = std::function<Result<std::string>(std::size_t piece)>;
  PlannedBody(BodyLog& log, Next next, std::optional<std::uint64_t> bytes)
      : log_(log), next_(std::move(next)), bytes_(bytes) {
    ++log_.alive;
  }
  ~PlannedBody() override {
    log_.destroyed_on = std::this_thread::get_id();
    --log_.alive;
  }
  Result<std::string> next() override { return next_(log_.pieces++); }
  std::optional<std::uint64_t> bytes() const override { return bytes_; }

 private:
  BodyLog& log_;
  const Next next_;
  const std::optional<std::uint64_t> bytes_;
};

// A server whose only route answers with such bodies.
std::unique_ptr<HttpServer> serve_body(BodyLog& log, PlannedBody::Next next,
                                       std::optional<std::uint64_t> bytes = std::nullopt,
                                       HttpServerOptions options = {}) {
  const auto answer = [&log, next = std::move(next), bytes](const auto& exchange) {
    exchange->finish({.headers = {{"ETag", "\"1\""}},
                      .content_type = "text/csv",
                      .body = std::make_shared<PlannedBody>(log, next, bytes)});
  };
  options.routes.push_back({.path = "/rows", .methods = {"GET"}, .receiver = answer});
  return start_server(std::move(options), echo());
}

PlannedBody::Next pieces(std::vector<std::string> texts) {
  return [texts = std::move(texts)](std::size_t piece) -> Result<std::string> {
    return piece < texts.size() ? texts[piece] : std::string();
  };
}

template <typename Predicate>
bool eventually(Predicate is_true) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(HttpBody, IsChunkedWhereItsLengthIsUnknown) {
  BodyLog log;
  const auto server = serve_body(log, pieces({"a,b\n", "1,2\n"}));
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/rows"));
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "4\r\na,b\n\r\n4\r\n1,2\n\r\n0\r\n\r\n");
  log.pieces = 0;
  client.send(get("/rows"));  // The connection serves on.
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "text/csv");
  EXPECT_EQ(reply.header("etag"), "\"1\"");
  EXPECT_EQ(reply.body, "a,b\n1,2\n");
  EXPECT_TRUE(eventually([&] { return log.alive == 0; }));
}

TEST(HttpBody, HasALengthWhereItIsKnown) {
  BodyLog log;
  const auto server = serve_body(log, pieces({"a,b\n", "1,2\n"}), 8);
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/rows") + get("/healthz"));
  const HttpReply reply = client.read_reply();
  EXPECT_EQ(reply.header("content-length"), "8");
  EXPECT_EQ(reply.header("transfer-encoding"), "");
  EXPECT_EQ(reply.body, "a,b\n1,2\n");
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(HttpBody, IsLeftOutForHead) {
  BodyLog log;
  const auto server = serve_body(log, pieces({"a,b\n"}), 4);
  TcpClient client = TcpClient::connect(server->port());
  client.send("HEAD /rows HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_head().header("content-length"), "4");
  client.send(get("/healthz"));
  EXPECT_EQ(client.read_reply().body, R"({"status":"ok"})");
  EXPECT_TRUE(eventually([&] { return log.alive == 0; }));
  EXPECT_EQ(log.pieces, 0u);
}

TEST(HttpBody, EndsWithTheConnectionInHttp10) {
  BodyLog log;
  const auto server = serve_body(log, pieces({"a,b\n", "1,2\n"}));
  TcpClient client = TcpClient::connect(server->port());
  client.send("GET /rows HTTP/1.0\r\nHost: localhost\r\n\r\n");
  const std::string all = client.read_all();
  EXPECT_THAT(all, Not(HasSubstr("chunked")));
  EXPECT_THAT(all, EndsWith("\r\n\r\na,b\n1,2\n"));
}

TEST(HttpBody, ThatFailsIsAbortedWithoutALastChunk) {
  BodyLog log;
  const auto next = [](std::size_t piece) -> Result<std::string> {
    if (piece == 0) return std::string("a,b\n");
    return internal_error("the disk is gone");
  };
  const auto server = serve_body(log, next);
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/rows"));
  const std::string all = client.read_all();
  EXPECT_THAT(all, EndsWith("4\r\na,b\n\r\n"));
  EXPECT_THAT(all, Not(HasSubstr("disk")));
  EXPECT_TRUE(eventually([&] { return log.alive == 0; }));
}

TEST(HttpBody, ThatFailsResetsTheConnectionWhereItsEndIsThatOfTheBody) {
  BodyLog log;
  std::atomic<bool> may_fail = false;
  const auto next = [&](std::size_t piece) -> Result<std::string> {
    if (piece == 0) return std::string("a,b\n");
    may_fail.wait(false);
    throw std::runtime_error("the disk is gone");
  };
  const auto server = serve_body(log, next);
  TcpClient client = TcpClient::connect(server->port());
  client.send("GET /rows HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.read_until("a,b\n"), StartsWith("HTTP/1.1 200 OK"));
  may_fail = true;
  may_fail.notify_all();
  EXPECT_TRUE(client.has_input(std::chrono::seconds(5)));
  char byte = 0;
  EXPECT_EQ(::recv(client.descriptor(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST(HttpBody, IsMadeNoFasterThanItIsRead) {
  constexpr std::size_t kPieces = 60;
  constexpr std::size_t kInTheKernel = 12;  // Pieces that the buffers of both sockets hold, and one.
  BodyLog log;
  const std::string piece(std::size_t{1} << 20U, 'x');
  const auto next = [&](std::size_t number) -> Result<std::string> {
    return number < kPieces ? piece : std::string();
  };
  const auto server = serve_body(log, next);
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/rows"));
  ASSERT_TRUE(client.has_input(kPatience));
  std::string buffer(64 * 1024, '\0');
  std::size_t read = 0;
  while (read < kPieces * piece.size()) {
    const ssize_t bytes = ::recv(client.descriptor(), buffer.data(), buffer.size(), 0);
    ASSERT_GT(bytes, 0);
    read += static_cast<std::size_t>(bytes);
    ASSERT_LE(log.pieces, read / piece.size() + kInTheKernel);
  }
}

TEST(HttpBody, IsToldThatItsReaderIsGone) {
  BodyLog log;
  std::stop_token gone;
  std::atomic<bool> is_waiting = false;
  HttpServerOptions options;
  const auto answer = [&](const std::shared_ptr<protocol::Exchange>& exchange) {
    gone = exchange->gone();
    const auto next = [&](std::size_t) -> Result<std::string> {
      is_waiting = true;
      EXPECT_TRUE(wait_for_stop(gone));
      return cancelled();
    };
    exchange->finish({.body = std::make_shared<PlannedBody>(log, next, std::nullopt)});
  };
  options.routes.push_back({.path = "/rows", .methods = {"GET"}, .receiver = answer});
  const auto server = start_server(std::move(options), echo());
  TcpClient client = TcpClient::connect(server->port());
  client.send(get("/rows"));
  ASSERT_TRUE(eventually([&] { return is_waiting.load(); }));
  client.close();
  EXPECT_TRUE(eventually([&] { return log.alive == 0; }));
}

TEST(HttpBody, EndsWithTheServer) {
  BodyLog log;
  std::atomic<bool> is_making = false;
  const auto next = [&](std::size_t number) -> Result<std::string> {
    is_making = true;
    return number < 1'000'000 ? std::string(100'000, 'x') : std::string();
  };
  auto server = serve_body(log, next);
  TcpClient client = TcpClient::connect_with_small_buffer(server->port());
  client.send(get("/rows"));
  ASSERT_TRUE(eventually([&] { return is_making.load(); }));
  server.reset();
  EXPECT_EQ(log.alive, 0u);
}

// What destroys a body may wait for a query to end, which an I/O thread must not.
TEST(HttpBody, IsNotDestroyedOnAnIoThread) {
  BodyLog log;
  std::thread::id io_thread;
  HttpServerOptions options;
  options.admit = admit_by([&](const protocol::HttpHead&) -> Result<Principal> {
    io_thread = std::this_thread::get_id();
    return local_principal();
  });
  const auto server = serve_body(log, pieces({"a"}), std::nullopt, std::move(options));
  for (const std::string method : {"GET", "HEAD"}) {
    log.pieces = 0;
    TcpClient client = TcpClient::connect(server->port());
    client.send(method + " /rows HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.read_head().status, 200);
    EXPECT_TRUE(eventually([&] { return log.alive == 0; }));
    EXPECT_NE(log.destroyed_on.load(), io_thread) << method;
  }
}

}  // namespace
}  // namespace sluice::transport
