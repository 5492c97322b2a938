#include "progress_line.h"

#include <gmock/gmock.h>

namespace sluice::commands {
namespace {

using std::chrono::milliseconds;

TEST(ProgressText, IsABarIfThePercentageIsKnown) {
  EXPECT_EQ(progress_text(50, milliseconds(1'250), 80),
            "[###############...............]  50 % 1.2 s, Ctrl-C cancels");
  EXPECT_THAT(progress_text(0, milliseconds(600), 80),
              testing::StartsWith("[..............................]   0 %"));
  EXPECT_THAT(progress_text(250, milliseconds(600), 80),
              testing::StartsWith("[##############################] 100 %"));
}

TEST(ProgressText, MovesIfThePercentageIsNotKnown) {
  EXPECT_EQ(progress_text(-1, milliseconds(800), 80), "| 0.8 s, Ctrl-C cancels");
  EXPECT_EQ(progress_text(-1, milliseconds(900), 80), "/ 0.9 s, Ctrl-C cancels");
}

TEST(ProgressText, FitsTheTerminal) { EXPECT_EQ(progress_text(50, milliseconds(1'250), 10).size(), 10U); }

}  // namespace
}  // namespace sluice::commands
