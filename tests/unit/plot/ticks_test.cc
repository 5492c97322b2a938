#include "sluice/plot/ticks.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "sluice/plot/number_text.h"

namespace sluice::plot {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks) out.push_back(tick.label);
  return out;
}

// A model of nice_step() that knows no logarithms: it counts up through the steps there are.
double model_step(double width) {
  for (int exponent = -205; exponent < 205; ++exponent) {
    for (const int factor : {1, 2, 5}) {
      const double step = std::stod(std::to_string(factor) + "e" + std::to_string(exponent));
      if (step > 0 && width / step <= 8 * (1 + 1e-9)) return step;
    }
  }
  return 0;
}

TEST(LinearTicks, StepByOneTwoOrFiveTimesAPowerOfTen) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3'000; ++i) {
    const double width = std::pow(10, std::uniform_real_distribution<double>(-200, 200)(random));
    const double low = width * std::uniform_real_distribution<double>(-50, 50)(random);
    const double step = nice_step({low, low + width}, false);
    const double actual_width = (low + width) - low;
    EXPECT_NEAR(step / model_step(actual_width), 1, 1e-9) << low << " to " << low + width;
  }
}

TEST(LinearTicks, CoverARangeByFourToEightSteps) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5'000; ++i) {
    const double width = std::pow(10, std::uniform_real_distribution<double>(-9, 12)(random));
    const double low = width * std::uniform_real_distribution<double>(-20, 20)(random);
    const Range marks{low, low + width};
    const Range range = nice_range(marks, false);
    const std::vector<Tick> ticks = linear_ticks(range, false);
    EXPECT_LE(range.low, marks.low + width * 1e-6);
    EXPECT_GE(range.high, marks.high - width * 1e-6);
    EXPECT_GE(ticks.size(), 4U) << range.low << " to " << range.high;
    EXPECT_LE(ticks.size(), 9U) << range.low << " to " << range.high;
    EXPECT_NEAR(ticks.front().at, range.low, width * 1e-6);
    EXPECT_NEAR(ticks.back().at, range.high, width * 1e-6);
    std::vector<std::string> distinct = labels(ticks);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    EXPECT_EQ(distinct.size(), ticks.size()) << range.low << " to " << range.high;
  }
}

TEST(LinearTicks, AreWholeForWholeNumbers) {
  EXPECT_THAT(labels(linear_ticks({0, 3}, true)), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(labels(linear_ticks(nice_range({2, 2}, true), true)), ElementsAre("1", "2", "3"));
}

TEST(LogTicks, ArePowersOfTenAndPartsOfThemWhereThereAreFew) {
  EXPECT_THAT(labels(log_ticks({1, 1e6})),
              ElementsAre("1", "10", "100", "1\u00a0k", "10\u00a0k", "100\u00a0k", "1\u00a0M"));
  EXPECT_THAT(labels(log_ticks({1, 100})), ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_LE(log_ticks({1e-300, 1e300}).size(), 10U);
}

TEST(TimeTicks, AreAtTheBeginningsOfUnits) {
  constexpr double kNewYear2024 = 1'704'067'200e6;
  constexpr double kHour = 3'600e6;
  constexpr double kDay = 24 * kHour;
  EXPECT_THAT(labels(time_ticks({kNewYear2024 - kHour / 2, kNewYear2024 + 3 * kHour}, 5)),
              ElementsAre("2024-01-01 00:00", "01:00", "02:00", "03:00"));
  EXPECT_THAT(labels(time_ticks({kNewYear2024, kNewYear2024 + 3 * kDay}, 5)),
              ElementsAre("2024-01-01", "01-02", "01-03", "01-04"));
  EXPECT_THAT(labels(time_ticks({kNewYear2024 + kDay, kNewYear2024 + 400 * kDay}, 6)),
              ElementsAre("2024 Q2", "2024 Q3", "2024 Q4", "2025 Q1"));
  EXPECT_THAT(labels(time_ticks({kNewYear2024 - 1'000 * kDay, kNewYear2024 + 1'000 * kDay}, 7)),
              ElementsAre("2022", "2023", "2024", "2025", "2026"));
  EXPECT_THAT(labels(time_ticks({-700'000 * kDay, 0}, 6)), ElementsAre("500", "1000", "1500"));
}

TEST(TimeTicks, AreFewAndInOrderForEveryRange) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5'000; ++i) {
    const double width = std::pow(10, std::uniform_real_distribution<double>(3, 17.9)(random));
    const double low = std::uniform_real_distribution<double>(-9e17, 9e17 - width)(random);
    const std::vector<Tick> ticks = time_ticks({low, low + width}, 8);
    ASSERT_FALSE(ticks.empty());
    EXPECT_LE(ticks.size(), 8U);
    for (std::size_t k = 0; k < ticks.size(); ++k) {
      EXPECT_GE(ticks[k].at, low);
      EXPECT_LE(ticks[k].at, low + width);
      if (k > 0) {
        EXPECT_GT(ticks[k].at, ticks[k - 1].at);
      }
    }
  }
}

TEST(NumberText, IsShortOnAxesAndExactElsewhere) {
  EXPECT_EQ(axis_number(1'200, 200), "1.2\u00a0k");
  EXPECT_EQ(axis_number(3'400'000, 200'000), "3.4\u00a0M");
  EXPECT_EQ(axis_number(5.6e9, 2e8), "5.6\u00a0B");
  EXPECT_EQ(axis_number(-0.30000000000000004, 0.1), "-0.3");
  EXPECT_EQ(axis_number(1'234'567'003, 1), "1234567003");
  EXPECT_EQ(axis_number(2.5e-7, 5e-8), "2.5e-7");
  EXPECT_EQ(exact_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(brief_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(exact_number(-12'345'678'901'234'567.0), "-12345678901234568");
  EXPECT_EQ(time_text(1'704'067'200e6 + 3'661'250'000, false), "2024-01-01 01:01:01.25");
  EXPECT_EQ(time_text(-86'400e6, true), "1969-12-31");
  EXPECT_EQ(time_text(-62'135'596'800e6, true), "0001-01-01");
  EXPECT_EQ(time_text(-62'135'596'800e6 - 367 * 86'400e6, true), "-000001-12-31");
}

}  // namespace
}  // namespace sluice::plot
