#include "sluice/base/background_thread.h"

#include <pthread.h>

#include <array>
#include <future>
#include <string>

#include <gtest/gtest.h>

#include "sluice/base/sleep.h"

namespace sluice {
namespace {

TEST(BackgroundThread, HasItsName) {
  std::promise<std::string> name;
  const BackgroundThread thread("row-counter", [&name](const std::stop_token&) {
    std::array<char, 16> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    name.set_value(text.data());
  });
  EXPECT_EQ(name.get_future().get(), "row-counter");
}

TEST(BackgroundThread, IsStoppedAndAwaitedWhenItIsDestroyed) {
  bool has_ended = false;
  {
    const BackgroundThread thread("follower", [&has_ended](const std::stop_token& stop) {
      sleep_unless_stopped(std::chrono::hours(1), stop);
      has_ended = true;
    });
  }
  EXPECT_TRUE(has_ended);
}

TEST(BackgroundThread, MayBeEndedTwice) {
  bool has_ended = false;
  BackgroundThread thread("follower", [&has_ended](const std::stop_token& stop) {
    sleep_unless_stopped(std::chrono::hours(1), stop);
    has_ended = true;
  });
  EXPECT_TRUE(thread.is_started());
  thread.end();
  EXPECT_TRUE(has_ended);
  EXPECT_FALSE(thread.is_started());
  thread.end();
}

TEST(BackgroundThread, RunsNothingUnlessItIsGivenSomething) {
  BackgroundThread thread;
  EXPECT_FALSE(thread.is_started());
  thread.request_stop();
  thread.end();
}

}  // namespace
}  // namespace sluice
