#include "sluice/text/similarity.h"

#include <string>

#include <gmock/gmock.h>

#include "repeated.h"

namespace sluice::text {
namespace {

TEST(Similarity, IsOneForTheSameWordsHoweverWritten) {
  EXPECT_EQ(similarity("ՀՀ  վարչապետի աշխատակազմ", "«ՀՀ ՎԱՐՉԱՊԵՏԻ ԱՇԽԱՏԱԿԱԶՄ»"), 1);
  EXPECT_EQ(similarity("Éducation nationale", "education NATIONALE"), 1);
  EXPECT_EQ(similarity("Ministry of Health", "Health, Ministry of"), 1);
  EXPECT_EQ(similarity("", "..."), 1);
}

TEST(Similarity, IsHighForSlipsAndLowForOtherNames) {
  EXPECT_GT(similarity("Մշակույթի նախարարություն", "Մշակույթի նախարարությու"), 0.9);
  EXPECT_GT(similarity("road construction", "rod construction"), 0.9);
  EXPECT_LT(similarity("Դատական դեպարտամենտ", "Ճանապարհային ցանց"), 0.5);
  EXPECT_EQ(similarity("abc", "xyz"), 0);
  EXPECT_EQ(similarity("", "abc"), 0);
}

TEST(Similarity, IsSymmetric) {
  EXPECT_EQ(similarity("education ministry", "ministry education of"),
            similarity("ministry education of", "education ministry"));
}

TEST(Similarity, OfHugeNamesIsBounded) {
  const std::string huge = repeated("a", 10'000'000);
  EXPECT_EQ(similarity(huge, huge + "b"), 1);  // Alike as far as it looks.
  EXPECT_EQ(similarity(huge, repeated("b", 10'000'000)), 0);
}

}  // namespace
}  // namespace sluice::text
