#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "http/http_exchange.h"

namespace sluice::transport {
namespace {

class CountingWaker final : public Waker {
 public:
  void wake() override { ++count; }
  int count = 0;
};

TEST(ResponseQueue, WakesOnlyAConnectionThatWaits) {
  CountingWaker waker;
  ResponseQueue queue(waker, {.bytes_max = 1000});
  EXPECT_TRUE(queue.push({.message = "[1]"}));
  EXPECT_EQ(waker.count, 0);
  EXPECT_FALSE(queue.take().empty());
  EXPECT_TRUE(queue.take().empty());
  EXPECT_TRUE(queue.push({.message = "[2]"}));
  EXPECT_TRUE(queue.push({.message = "[3]"}));
  EXPECT_EQ(waker.count, 1);
  EXPECT_EQ(queue.take().events, "event: message\ndata: [2]\n\nevent: message\ndata: [3]\n\n");
}

TEST(ResponseQueue, CountsWhatIsBeingWritten) {
  CountingWaker waker;
  ResponseQueue queue(waker, {.bytes_max = 100});
  EXPECT_TRUE(queue.push({.message = std::string(60, 'x')}));
  const ResponseQueue::Batch in_flight = queue.take();
  EXPECT_FALSE(in_flight.empty());
  EXPECT_FALSE(queue.push({.message = std::string(60, 'x')}));
  EXPECT_EQ(waker.count, 1);
  EXPECT_TRUE(queue.overflowed());
  EXPECT_TRUE(queue.take().overflowed);
}

TEST(ResponseQueue, HasRoomAgainOnceABatchIsWritten) {
  CountingWaker waker;
  ResponseQueue queue(waker, {.bytes_max = 100});
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(queue.push({.message = std::string(60, 'x')}));
    EXPECT_FALSE(queue.take().empty());
    EXPECT_TRUE(queue.take().empty());
  }
}

TEST(ResponseQueue, TakesTheFinalMessageWhateverWaits) {
  CountingWaker waker;
  ResponseQueue queue(waker, {.bytes_max = 100});
  EXPECT_TRUE(queue.push({.message = std::string(60, 'x')}));
  queue.finish({.message = std::string(1000, 'y')});
  const ResponseQueue::Batch batch = queue.take();
  EXPECT_TRUE(batch.ended);
  EXPECT_GT(batch.events.size(), 1060u);
}

TEST(ResponseQueue, TellsTheServerThatThePeerIsGone) {
  CountingWaker waker;
  ResponseQueue queue(waker, {.bytes_max = 100});
  EXPECT_TRUE(queue.take().empty());
  queue.close();
  EXPECT_TRUE(queue.gone().stop_requested());
  EXPECT_FALSE(queue.push({.message = "{}"}));
  queue.finish({.message = "{}"});
  queue.release();
  queue.abandon();
  EXPECT_EQ(waker.count, 0);
}

TEST(ResponseQueue, AnswersForAnExchangeThatIsDestroyed) {
  CountingWaker waker;
  const auto queue = std::make_shared<ResponseQueue>(waker, ResponseQueue::Limits{.bytes_max = 100});
  { const HttpExchange exchange(queue, {}); }
  EXPECT_EQ(queue->take().reply->status, 500);
}

}  // namespace
}  // namespace sluice::transport
