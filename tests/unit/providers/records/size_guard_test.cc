#include "size_guard.h"

#include <chrono>
#include <future>
#include <stop_token>
#include <string>

#include <gmock/gmock.h>

#include "temp_folder.h"

namespace sluice::records_provider {
namespace {

constexpr std::chrono::seconds kPatience{30};

TEST(SizeGuard, EndsAStatementWhoseFileGetsTooLarge) {
  const fs::TempFolder folder;
  folder.write("out", "12345");
  const fs::Root root = fs::Root::open(folder.path()).value();
  const SizeGuard guard(root, "out", 10, {});
  std::promise<void> ended;
  const std::stop_callback on_end(guard.stop(), [&] { ended.set_value(); });
  EXPECT_FALSE(guard.is_exceeded());
  folder.write("out", std::string(11, 'x'));
  EXPECT_EQ(ended.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(guard.is_exceeded());
}

TEST(SizeGuard, EndsAStatementWithTheCallThatAskedForIt) {
  const fs::TempFolder folder;
  const fs::Root root = fs::Root::open(folder.path()).value();
  std::stop_source call;
  const SizeGuard guard(root, "none", 10, call.get_token());
  EXPECT_FALSE(guard.stop().stop_requested());
  call.request_stop();
  EXPECT_TRUE(guard.stop().stop_requested());
  EXPECT_FALSE(guard.is_exceeded());
}

}  // namespace
}  // namespace sluice::records_provider
