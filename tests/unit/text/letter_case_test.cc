#include "sluice/text/letter_case.h"

#include <string>

#include <gmock/gmock.h>

namespace sluice::text {
namespace {

TEST(ToLower, IsThatOfUnicodeInFull) {
  EXPECT_EQ(to_lower("ABC xyz 09_@["), "abc xyz 09_@[");
  EXPECT_EQ(to_lower("ԵՐԵՎԱՆ"), "երեվան");
  EXPECT_EQ(to_lower("ΟΔΥΣΣΕΥΣ ΣΑΣ"), "οδυσσευς σας");
  EXPECT_EQ(to_lower("İ"), "i\u0307");
  EXPECT_EQ(to_lower("STRASSE ẞ"), "strasse ß");
  EXPECT_EQ(to_lower(""), "");
}

TEST(ToLower, LeavesWhatIsNotUtf8) { EXPECT_EQ(to_lower("A\xFFÉ"), "a\xFFé"); }

TEST(Capitalize, RaisesTheFirstCharacterAndLowersTheRest) {
  EXPECT_EQ(capitalize("task"), "Task");
  EXPECT_EQ(capitalize("task_COMMENTS v2"), "Task_comments v2");
  EXPECT_EQ(capitalize("2TASKS"), "2tasks");
  EXPECT_EQ(capitalize("ΑΣ"), "Ας");
  EXPECT_EQ(capitalize("ǆaba"), "ǅaba");
  EXPECT_EQ(capitalize("ßa"), "Ssa");
  EXPECT_EQ(capitalize(""), "");
}

}  // namespace
}  // namespace sluice::text
