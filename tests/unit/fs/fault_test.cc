#include "sluice/fs/fault.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/fs/durable.h"

#include "temp_folder.h"

namespace sluice::fs {
namespace {

bool is_append(FaultPoint point) { return to_string(point).starts_with("append"); }

// What a reader finds after a failure. When folders are synced the change is already visible.
std::string content_after(FaultPoint point) {
  if (point == FaultPoint::kReplaceSyncFolder) return "new content";
  if (point == FaultPoint::kAppendSyncFolder) return "+new content";
  return "old content";
}

std::size_t count_of(const TempFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

Status change(const Root& root, FaultPoint point, std::string_view path) {
  return is_append(point) ? append_durable(root, path, "+new content")
                          : replace_file(root, path, "new content");
}

class FailingStep : public testing::TestWithParam<std::tuple<FaultPoint, int>> {};

TEST_P(FailingStep, LeavesTheOldContent) {
  const auto [point, error_number] = GetParam();
  const TempFolder folder;
  folder.write("a", "old content");
  const Root root = folder.root();
  if (point == FaultPoint::kAppendSyncFolder) folder.remove("a");  // Reached only where the file is new.
  {
    const FaultInjection fault = FaultInjection::failing(point, error_number);
    const Status status = change(root, point, "a");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, ErrorKind::kUnavailable);
    EXPECT_THAT(status.error().message, testing::EndsWith(": a"));
  }
  EXPECT_EQ(folder.read("a"), content_after(point));
  EXPECT_EQ(count_of(folder), 1U);             // No temporary file is left.
  EXPECT_TRUE(change(root, point, "a").ok());  // And the next attempt works.
}

std::string name_of(FaultPoint point) { return std::string(to_string(point)); }

INSTANTIATE_TEST_SUITE_P(EveryPoint, FailingStep,
                         testing::Combine(testing::ValuesIn(kContentFaultPoints),
                                          testing::Values(ENOSPC, EIO)),
                         [](const auto& each) {
                           return name_of(std::get<0>(each.param)) +
                                  (std::get<1>(each.param) == EIO ? "_EIO" : "_ENOSPC");
                         });

TEST_P(FailingStep, LeavesNoFileWhereThereWasNone) {
  const auto [point, error_number] = GetParam();
  if (is_append(point) || point == FaultPoint::kReplaceSyncFolder) return;  // These come after it is made.
  const TempFolder folder;
  const FaultInjection fault = FaultInjection::failing(point, error_number);
  EXPECT_FALSE(change(folder.root(), point, "a").ok());
  EXPECT_EQ(count_of(folder), 0U);
}

class KilledAt : public testing::TestWithParam<FaultPoint> {};

TEST_P(KilledAt, LeavesTheOldContentOrTheNew) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const FaultPoint point = GetParam();
  const TempFolder folder;
  folder.write("a", "old content");
  const Root root = folder.root();
  if (point == FaultPoint::kAppendSyncFolder) folder.remove("a");
  EXPECT_EXIT(
      {
        const FaultInjection fault = FaultInjection::killing(point);
        const Status status = change(root, point, "a");
        ::_Exit(status.ok() ? 0 : 1);
      },
      testing::KilledBySignal(SIGKILL), "");
  if (is_append(point)) {
    EXPECT_THAT(folder.read("a"), testing::StartsWith(content_after(point)));  // The new record may be torn.
  } else {
    EXPECT_EQ(folder.read("a"), content_after(point));
  }
  EXPECT_TRUE(remove_temporaries(root, "").ok());
  EXPECT_EQ(count_of(folder), 1U);
  EXPECT_TRUE(change(root, point, "a").ok());
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, KilledAt, testing::ValuesIn(kContentFaultPoints),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace sluice::fs
