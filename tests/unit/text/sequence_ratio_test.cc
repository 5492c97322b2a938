#include "sluice/text/sequence_ratio.h"

#include <string>

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "repeated.h"
#include "test_files.h"

namespace sluice::text {
namespace {

TEST(SequenceRatio, EqualsTheGoldenRatios) {
  const Result<json::Value> golden = json::read(test_data("parquet-records/difflib_ratio_golden.json"));
  ASSERT_TRUE(golden.ok());
  ASSERT_GE(golden->if_array()->size(), 50U);
  for (const json::Value& one : *golden->if_array()) {
    const std::string& a = *one.find("a")->if_string();
    const std::string& b = *one.find("b")->if_string();
    EXPECT_NEAR(sequence_ratio(a, b), one.find("ratio")->if_number()->as_double(), 1e-9) << a << " | " << b;
  }
}

TEST(SequenceRatio, DependsOnTheOrderOfTheTexts) {
  EXPECT_DOUBLE_EQ(sequence_ratio("tide", "diet"), 0.25);
  EXPECT_DOUBLE_EQ(sequence_ratio("diet", "tide"), 0.5);
}

TEST(SequenceRatio, FrequentLettersOfALongTextBeginNoBlock) {
  const std::string filler = repeated("ab", 100);
  EXPECT_EQ(sequence_ratio("b", filler), 0);                 // 200 letters.
  EXPECT_GT(sequence_ratio("b", filler.substr(0, 199)), 0);  // 199 letters.
  EXPECT_EQ(sequence_ratio("ba" + filler, filler + "c"), 0);
  EXPECT_DOUBLE_EQ(sequence_ratio(filler, filler + "c"), 400.0 / 401);  // Where both begin, they go on.
}

TEST(SequenceRatio, TakesBytesThatAreNotText) {
  EXPECT_EQ(sequence_ratio("\xFF\xFE", "\xFF\xFE"), 1);
  EXPECT_EQ(sequence_ratio(std::string_view("\0a", 2), std::string_view("\0a", 2)), 1);
}

TEST(SequenceRatio, OfHostileTextsIsBounded) {
  std::string stairs;
  for (int i = 0; i < 100; ++i) stairs += repeated("x", static_cast<std::size_t>(i)) + "y";
  EXPECT_GE(sequence_ratio(stairs, repeated("yx", 5'000)), 0);
  EXPECT_EQ(sequence_ratio(repeated("a", 10'000'000), repeated("a", 10'000'000) + "b"),
            1);  // As far as it looks.
  EXPECT_EQ(sequence_ratio(repeated("a", 10'000'000), repeated("b", 10'000'000)), 0);
}

}  // namespace
}  // namespace sluice::text
