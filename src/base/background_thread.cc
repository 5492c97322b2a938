#include "sluice/base/background_thread.h"

#include <pthread.h>

#include <cstring>
#include <utility>

#include "sluice/base/assert.h"

namespace sluice {

namespace {

constexpr std::size_t kThreadNameMax = 15;  // Of Linux, without the zero.

}  // namespace

BackgroundThread::BackgroundThread(const char* name, std::function<void(std::stop_token)> run) {
  SLUICE_ASSERT(std::strlen(name) <= kThreadNameMax, "the kernel takes the name whole");
  // The thread names itself: nobody else could be sure that it is still there.
  thread_ = std::jthread([name, run = std::move(run)](std::stop_token stop) {
    pthread_setname_np(pthread_self(), name);
    run(std::move(stop));
  });
}

void BackgroundThread::end() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

}  // namespace sluice
