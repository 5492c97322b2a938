#include "sluice/transport/stdio_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include <gmock/gmock.h>

namespace sluice::transport {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kSoon{10};

// Two pipes with the server on one end. The test holds the other.
class Pipes {
 public:
  Pipes() {
    EXPECT_EQ(::pipe(in_.data()), 0);
    EXPECT_EQ(::pipe(out_.data()), 0);
  }
  ~Pipes() {
    close_input();
    for (const int descriptor : {in_[0], out_[0], out_[1]}) ::close(descriptor);
  }
  StdioOptions options() const { return StdioOptions{.input = in_[0], .output = out_[1]}; }

  void send(std::string_view bytes) {
    EXPECT_EQ(::write(in_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void close_input() {
    if (in_[1] >= 0) ::close(in_[1]);
    in_[1] = -1;
  }
  std::string receive_line() {
    std::string line;
    char c = 0;
    while (::read(out_[0], &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

 private:
  std::array<int, 2> in_{-1, -1};
  std::array<int, 2> out_{-1, -1};
};

protocol::Receiver echo() {
  return [](std::shared_ptr<protocol::Exchange> exchange) {
    exchange->finish({.message = exchange->inbound().body});
  };
}

TEST(StdioServer, AnswersEachLine) {
  Pipes pipes;
  const auto server = StdioServer::start(pipes.options(), echo()).value();
  pipes.send("one\ntwo\r\n\n  \nthree");
  pipes.close_input();
  EXPECT_EQ(pipes.receive_line(), "one");
  EXPECT_EQ(pipes.receive_line(), "two");
  EXPECT_EQ(pipes.receive_line(), "three");  // Without a newline, at the end of the input.
  server->wait_for_end();
}

TEST(StdioServer, RefusesALineThatIsTooLongAndGoesOn) {
  Pipes pipes;
  StdioOptions options = pipes.options();
  options.message_bytes_max = 10;
  const auto server = StdioServer::start(options, echo()).value();
  pipes.send(std::string(1000, 'x') + "\nok\n");
  EXPECT_THAT(pipes.receive_line(), HasSubstr("a message has at most 10 bytes"));
  EXPECT_EQ(pipes.receive_line(), "ok");
}

TEST(StdioServer, KeepsTheOrderOfSmallAndLargeAnswers) {
  Pipes pipes;
  const std::string large(300'000, 'y');
  const auto server = StdioServer::start(pipes.options(), [&](std::shared_ptr<protocol::Exchange> exchange) {
                        exchange->send({.message = "first"});
                        exchange->send({.message = large});
                        exchange->finish({.message = "last"});
                      }).value();
  pipes.send("go\n");
  EXPECT_EQ(pipes.receive_line(), "first");
  EXPECT_EQ(pipes.receive_line(), large);
  EXPECT_EQ(pipes.receive_line(), "last");
}

TEST(StdioServer, DropsAPeerThatDoesNotRead) {
  Pipes pipes;
  StdioOptions options = pipes.options();
  options.queue_bytes_max = 100'000;
  std::mutex mutex;
  std::condition_variable changed;
  bool gone = false;
  std::optional<std::stop_callback<std::function<void()>>> on_gone;
  const auto server = StdioServer::start(options, [&](std::shared_ptr<protocol::Exchange> exchange) {
                        on_gone.emplace(exchange->gone(), [&] {
                          const std::scoped_lock lock(mutex);
                          gone = true;
                          changed.notify_all();
                        });
                        while (exchange->send({.message = std::string(1000, 'z')})) {
                        }
                      }).value();
  pipes.send("flood\n");
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, kSoon, [&] { return gone; }));
  lock.unlock();
  server->wait_for_end();
}

TEST(StdioServer, WritesWhatIsQueuedBeforeItStops) {
  Pipes pipes;
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<protocol::Exchange> pending;
  const auto server = StdioServer::start(pipes.options(), [&](std::shared_ptr<protocol::Exchange> exchange) {
                        const std::scoped_lock lock(mutex);
                        pending = std::move(exchange);
                        changed.notify_all();
                      }).value();
  pipes.send("later\n");
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, kSoon, [&] { return pending != nullptr; }));
  }
  pending->finish({.message = "done"});
  server->stop(kSoon);
  EXPECT_EQ(pipes.receive_line(), "done");
  EXPECT_TRUE(pending->gone().stop_requested());
}

TEST(StdioServer, WorksOnASocketToo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  {
    const auto server = StdioServer::start({.input = ends[0], .output = ends[0]}, echo()).value();
    const std::string large(1'000'000, 'q');
    std::thread writer([&] {
      const std::string message = large + "\n";
      std::size_t done = 0;
      while (done < message.size())
        done += static_cast<std::size_t>(
            std::max<ssize_t>(0, ::write(ends[1], message.data() + done, message.size() - done)));
    });
    std::string answer;
    std::string chunk(65536, '\0');
    while (answer.size() <= large.size()) {
      const ssize_t count = ::read(ends[1], chunk.data(), chunk.size());
      ASSERT_GT(count, 0);
      answer.append(chunk, 0, static_cast<std::size_t>(count));
    }
    writer.join();
    EXPECT_EQ(answer, large + "\n");
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

// Messages that have been received, by all threads.
class Arrivals {
 public:
  void add() {
    const std::scoped_lock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kSoon, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

TEST(StdioServer, WorkThatKeepsTheThreadHoldsUpNobody) {
  constexpr int kMessages = 40;
  Pipes pipes;
  Arrivals arrivals;
  std::atomic<int> lent = 0;
  const auto server =
      StdioServer::start(pipes.options(), [&](const std::shared_ptr<protocol::Exchange>& exchange) {
        const bool is_lent = exchange->lends_thread();
        EXPECT_FALSE(is_lent && exchange->lends_thread());  // Once for each message.
        arrivals.add();
        // Each waits for all that come after it.
        if (is_lent && arrivals.wait_for(kMessages)) ++lent;
        exchange->finish({.message = exchange->inbound().body});
      }).value();
  std::string all;
  for (int i = 0; i < kMessages; ++i) all += std::to_string(i) + "\n";
  pipes.send(all);
  std::set<std::string> answers;
  for (int i = 0; i < kMessages; ++i) answers.insert(pipes.receive_line());
  EXPECT_EQ(answers.size(), 40U);
  EXPECT_GE(lent, 2);
  EXPECT_LT(lent, kMessages);  // Threads are not made without bound.
  pipes.send("again\n");       // All have come back.
  EXPECT_EQ(pipes.receive_line(), "again");
}

TEST(StdioServer, AnAnswerDoesNotWaitForAMessageThatCameWithItsOwn) {
  Pipes pipes;
  Arrivals received;
  std::atomic<bool> came_first = false;
  const auto server =
      StdioServer::start(pipes.options(), [&](const std::shared_ptr<protocol::Exchange>& exchange) {
        if (exchange->inbound().body == "long" && exchange->lends_thread()) came_first = received.wait_for(1);
        exchange->finish({.message = exchange->inbound().body});
      }).value();
  pipes.send("short\nlong\n");
  EXPECT_EQ(pipes.receive_line(), "short");
  received.add();
  EXPECT_EQ(pipes.receive_line(), "long");
  EXPECT_TRUE(came_first);
}

TEST(StdioServer, StopsWhileAThreadIsKept) {
  Pipes pipes;
  Arrivals kept;
  Arrivals stopped;
  auto server = StdioServer::start(pipes.options(), [&](const std::shared_ptr<protocol::Exchange>& exchange) {
                  EXPECT_TRUE(exchange->lends_thread());
                  kept.add();
                  EXPECT_TRUE(stopped.wait_for(1));
                  exchange->finish({.message = "late"});
                }).value();
  pipes.send("go\n");
  ASSERT_TRUE(kept.wait_for(1));
  server->stop(std::chrono::milliseconds{0});
  stopped.add();
  server.reset();
}

TEST(StdioServer, NoThreadIsLentOnceTheReceiverHasReturned) {
  Pipes pipes;
  std::shared_ptr<protocol::Exchange> later;
  Arrivals received;
  const auto server = StdioServer::start(pipes.options(), [&](std::shared_ptr<protocol::Exchange> exchange) {
                        if (!later) later = std::move(exchange);
                        received.add();
                      }).value();
  pipes.send("one\ntwo\n");
  ASSERT_TRUE(received.wait_for(2));
  EXPECT_FALSE(later->lends_thread());
}

}  // namespace
}  // namespace sluice::transport
