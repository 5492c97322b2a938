#include "sluice/records/functions.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>

namespace sluice::records {
namespace {

double call(std::string_view name, std::string_view a, std::string_view b) {
  for (const engine::TextPairFunction& function : engine_functions()) {
    if (function.name == name) return function.apply(a, b);
  }
  ADD_FAILURE() << "no function " << name;
  return 0;
}

TEST(FuzzyRatio, IgnoresCase) {
  EXPECT_DOUBLE_EQ(call("fuzzy_ratio", "THERAPY SESSION", "Pay for therapy session"), 30.0 / 38);
  EXPECT_DOUBLE_EQ(call("fuzzy_ratio", "", ""), 1);
}

TEST(SearchScore, IsOneWhereTheTextHasTheQuery) {
  EXPECT_EQ(call("search_score", "therapy session", "Pay for THERAPY SESSION!"), 1);
  EXPECT_EQ(call("search_score", "café", "the cafe"), 1);
  EXPECT_EQ(call("search_score", "session therapy", "therapy session"), 1);
}

TEST(SearchScore, ForgivesSlipsAndEndings) {
  EXPECT_GT(call("search_score", "theraphy", "pay for therapy"), 0.7);
  EXPECT_GT(call("search_score", "invoice", "two invoices"), 0.7);
  EXPECT_LT(call("search_score", "invoice", "therapy session"), 0.3);
  EXPECT_EQ(call("search_score", "rent", "ten"), 0);
  EXPECT_EQ(call("search_score", "", "text"), 0);
  EXPECT_EQ(call("search_score", "!?", "text"), 0);
}

TEST(SearchScore, RanksByHowMuchOfTheQueryIsThere) {
  const double both = call("search_score", "annual insurance payment", "insurance: annual, payment due");
  const double one = call("search_score", "annual insurance payment", "insurance");
  EXPECT_GT(both, 0.95);
  EXPECT_LT(one, 0.5);
  EXPECT_GT(one, 0.2);
}

TEST(SearchScore, OfHugeTextsIsBounded) {
  std::string query;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "word" + std::to_string(i) + " ";
  for (int i = 0; i < 1'000; ++i) query += "wort" + std::to_string(i) + " ";
  EXPECT_GT(call("search_score", query, text), 0);
}

}  // namespace
}  // namespace sluice::records
