#include "number_format.h"

#include <gtest/gtest.h>

#include "moment.h"

namespace sluice::sheets {
namespace {

TEST(NumberFormat, TellsDatesFromNumbersByTheCode) {
  EXPECT_EQ(use_of_format_code("yyyy-mm-dd"), NumberUse::kDate);
  EXPECT_EQ(use_of_format_code("mmm"), NumberUse::kDate);
  EXPECT_EQ(use_of_format_code("[$-F800]dddd, mmmm dd, yyyy"), NumberUse::kDate);
  EXPECT_EQ(use_of_format_code("d/m/yy h:mm"), NumberUse::kDateTime);
  EXPECT_EQ(use_of_format_code("h:mm AM/PM"), NumberUse::kTime);
  EXPECT_EQ(use_of_format_code("mm:ss.0"), NumberUse::kTime);
  EXPECT_EQ(use_of_format_code("[h]:mm:ss"), NumberUse::kDuration);
  EXPECT_EQ(use_of_format_code("[mm]:ss"), NumberUse::kDuration);
  EXPECT_EQ(use_of_format_code("General"), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("0.00E+00"), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("#,##0 \"days\""), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("[Red]0.00;[Blue]-d"), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("0\\d"), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("_d0"), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("0 [$USD]"), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("\""), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code("["), NumberUse::kNumber);
  EXPECT_EQ(use_of_format_code(""), NumberUse::kNumber);
}

std::int64_t days_of(double number, Epoch epoch) {
  Cell cell;
  EXPECT_TRUE(set_number(cell, number, NumberUse::kDate, epoch));
  EXPECT_EQ(cell.kind, CellKind::kDate);
  return cell.micros / 86'400'000'000;
}

TEST(Moment, CountsDaysFromBothEpochs) {
  EXPECT_EQ(days_of(1, Epoch::k1900), -25'567);   // 1900-01-01
  EXPECT_EQ(days_of(59, Epoch::k1900), -25'509);  // 1900-02-28
  EXPECT_EQ(days_of(61, Epoch::k1900), -25'508);  // 1900-03-01: day 60 never was.
  EXPECT_EQ(days_of(25'569, Epoch::k1900), 0);
  EXPECT_EQ(days_of(45'322, Epoch::k1900), 19'753);  // 2024-01-31
  EXPECT_EQ(days_of(43'860, Epoch::k1904), 19'753);
  EXPECT_EQ(days_of(0, Epoch::k1904), -24'107);            // 1904-01-01
  EXPECT_EQ(days_of(2'958'465, Epoch::k1900), 2'932'896);  // 9999-12-31
  Cell cell;
  EXPECT_FALSE(set_number(cell, 2'958'466, NumberUse::kDate, Epoch::k1900));
  EXPECT_FALSE(set_number(cell, -1, NumberUse::kDate, Epoch::k1900));
}

TEST(Moment, KeepsMilliseconds) {
  Cell cell;
  ASSERT_TRUE(set_number(cell, 45'322.5 + 0.123 / 86'400, NumberUse::kDateTime, Epoch::k1900));
  EXPECT_EQ(cell.kind, CellKind::kDateTime);
  EXPECT_EQ(cell.micros, (19'753LL * 86'400 + 43'200) * 1'000'000 + 123'000);
  ASSERT_TRUE(set_number(cell, 0.25, NumberUse::kTime, Epoch::k1900));
  EXPECT_EQ(cell.kind, CellKind::kTime);
  EXPECT_EQ(cell.micros, 21'600'000'000);
}

TEST(Moment, ReadsIsoTexts) {
  Cell cell;
  ASSERT_TRUE(set_iso_moment(cell, "2024-01-31T01:02:03.25Z"));
  EXPECT_EQ(cell.kind, CellKind::kDateTime);
  EXPECT_EQ(cell.micros, (19'753LL * 86'400 + 3'723) * 1'000'000 + 250'000);
  ASSERT_TRUE(set_iso_duration(cell, "PT26H30M00.5S"));
  EXPECT_EQ(cell.kind, CellKind::kDuration);
  EXPECT_EQ(cell.micros, 95'400'500'000);
  ASSERT_TRUE(set_iso_duration(cell, "-PT1S"));
  EXPECT_EQ(cell.micros, -1'000'000);
  for (const char* wrong : {"", "2024", "2024-02-30", "2024-01-31T", "2024-01-31T25:00:00", "24:00:00x", "x"})
    EXPECT_FALSE(set_iso_moment(cell, wrong)) << wrong;
  for (const char* wrong : {"", "P1D", "PT", "PT1", "PT99999999999999999999H", "PTH", "PT1X"})
    EXPECT_FALSE(set_iso_duration(cell, wrong)) << wrong;
}

}  // namespace
}  // namespace sluice::sheets
