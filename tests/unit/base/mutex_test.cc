#include "sluice/base/mutex.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

class Total {
 public:
  void add(int amount) {
    const MutexLock lock(mutex_);
    const int before = total_;
    std::this_thread::yield();
    total_ = before + amount;
  }
  int total() {
    const MutexLock lock(mutex_);
    return total_;
  }

 private:
  Mutex mutex_;
  int total_ SLUICE_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, LetsOneThreadIn) {
  Total total;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&total] {
      for (int j = 0; j < 1000; ++j) total.add(1);
    });
  }
  threads.clear();
  EXPECT_EQ(total.total(), 4000);
}

TEST(Mutex, IsFreeAfterTheLockIsDestroyedOrGivenUp) {
  Mutex mutex;
  {
    MutexLock lock(mutex);
    std::jthread([&mutex] { EXPECT_FALSE(mutex.try_lock()); }).join();
    lock.unlock();
    ASSERT_TRUE(mutex.try_lock());
    mutex.unlock();
    lock.lock();
  }
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(SharedMutex, LetsReadersInTogether) {
  SharedMutex mutex;
  const ReaderLock lock(mutex);
  std::jthread([&mutex] { const ReaderLock other(mutex); }).join();
}

TEST(SharedMutex, IsFreeForAWriterAfterItsReaders) {
  SharedMutex mutex;
  { const ReaderLock lock(mutex); }
  { const WriterLock lock(mutex); }
  const WriterLock lock(mutex);
}

TEST(CondVar, WakesWhoeverWaitsForTheState) {
  Mutex mutex;
  CondVar changed;
  bool is_set = false;
  std::jthread other([&] {
    const MutexLock lock(mutex);
    is_set = true;
    changed.notify_all();
  });
  const MutexLock lock(mutex);
  changed.wait(mutex, [&] { return is_set; });
  EXPECT_TRUE(is_set);
}

TEST(CondVar, SaysThatTheTimeIsOver) {
  Mutex mutex;
  CondVar changed;
  const MutexLock lock(mutex);
  const auto never = [] { return false; };
  EXPECT_FALSE(changed.wait_for(mutex, nanoseconds(1), never));
  EXPECT_FALSE(changed.wait_until(mutex, std::chrono::steady_clock::time_point::min(), never));
  EXPECT_TRUE(changed.wait_for(mutex, nanoseconds(1), [] { return true; }));
}

TEST(CondVar, EndsWhenAStopIsRequested) {
  Mutex mutex;
  CondVar changed;
  const auto never = [] { return false; };
  std::stop_source stop;
  std::jthread other([&stop] { stop.request_stop(); });
  const MutexLock lock(mutex);
  EXPECT_FALSE(changed.wait(mutex, stop.get_token(), never));
  EXPECT_FALSE(changed.wait_for(mutex, stop.get_token(), hours(1), never));
  EXPECT_FALSE(
      changed.wait_until(mutex, stop.get_token(), std::chrono::steady_clock::time_point::max(), never));
}

}  // namespace
}  // namespace sluice
