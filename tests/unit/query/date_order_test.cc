#include "date_order.h"

#include <gmock/gmock.h>

namespace sluice::query {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

sys_days date(int y, unsigned m, unsigned d) { return year(y) / month(m) / day(d); }

std::vector<std::string> formats(std::string_view value) {
  std::vector<std::string> out;
  for (const DateFormat& format : date_formats(value)) out.push_back(format.format);
  return out;
}

TEST(DateOrder, ListsTheWaysInWhichAValueCanBeMeant) {
  EXPECT_THAT(formats("01/02/2024"), ElementsAre("%d/%m/%Y", "%m/%d/%Y"));
  EXPECT_THAT(formats("1.2.2024"), ElementsAre("%d.%m.%Y", "%m.%d.%Y"));
  EXPECT_THAT(formats("2024-01-31"), ElementsAre("%Y-%m-%d"));
  EXPECT_THAT(formats("24-01-31"), ElementsAre("%y-%m-%d", "%d-%m-%y", "%m-%d-%y"));
  EXPECT_THAT(formats("1/2/24"), ElementsAre("%d/%m/%y", "%m/%d/%y"));
  EXPECT_THAT(formats("01/02/2024 9:30 PM"), ElementsAre("%d/%m/%Y %I:%M %p", "%m/%d/%Y %I:%M %p"));
  EXPECT_THAT(formats("2024/01/31T10:00:00.25"), ElementsAre("%Y/%m/%dT%H:%M:%S.%f"));
}

TEST(DateOrder, OtherValuesAreNoDates) {
  for (const char* value : {"", "1", "1.5", "192.168.1.1", "01/02", "2024", "1-2", "a/b/c", "01-02/2024",
                            "01/02/2024x", "01/02/2024 25", "123/1/2024", "1/2/345", "+1/2/2024"})
    EXPECT_THAT(formats(value), IsEmpty()) << value;
  EXPECT_TRUE(looks_like_date("10:30"));
  EXPECT_TRUE(looks_like_date("2024-01-31T10:00:00+05:00"));
  EXPECT_FALSE(looks_like_date("10"));
}

TEST(DateOrder, MonthsAreMoreRegularThanDays) {
  const std::vector<sys_days> months{date(2023, 1, 1), date(2023, 2, 1), date(2023, 3, 1)};
  const std::vector<sys_days> days{date(2023, 1, 1), date(2023, 1, 2), date(2023, 1, 3)};
  const std::vector<sys_days> ends{date(2024, 1, 31), date(2024, 2, 29), date(2024, 3, 31)};
  const std::vector<sys_days> none{date(2024, 1, 31), date(2024, 2, 3), date(2024, 3, 30)};
  EXPECT_EQ(regularity_of(months), Regularity::kMonths);
  EXPECT_EQ(regularity_of(ends), Regularity::kMonths);
  EXPECT_EQ(regularity_of(days), Regularity::kEven);
  EXPECT_EQ(regularity_of(none), Regularity::kNone);
  EXPECT_EQ(regularity_of({date(2023, 1, 1), date(2023, 2, 1)}), Regularity::kNone);
  EXPECT_EQ(most_regular({days, months}), 1U);
  EXPECT_EQ(most_regular({none, days}), 1U);
  EXPECT_EQ(most_regular({none, none}), std::nullopt);
  EXPECT_EQ(most_regular({months, months}), std::nullopt);
}

// Every second day of a month's beginning, or every second month: nothing tells.
TEST(DateOrder, UnusualStepsOfMonthsDoNotTell) {
  const std::vector<sys_days> months{date(2024, 1, 2), date(2024, 3, 2), date(2024, 5, 2)};
  const std::vector<sys_days> days{date(2024, 2, 1), date(2024, 2, 3), date(2024, 2, 5)};
  EXPECT_EQ(most_regular({days, months}), std::nullopt);
}

TEST(DateOrder, TheNarrowestReadingIsMuchNarrower) {
  const std::vector<sys_days> weeks{date(2024, 1, 31), date(2024, 2, 15)};
  const std::vector<sys_days> decades{date(2015, 2, 24), date(2031, 1, 24)};
  EXPECT_EQ(narrowest({weeks, decades}), 0U);
  EXPECT_EQ(narrowest({decades, weeks}), 1U);
  EXPECT_EQ(narrowest({weeks, weeks}), std::nullopt);
  EXPECT_EQ(narrowest({{date(2024, 1, 31)}, {date(2031, 1, 24)}}), std::nullopt);
}

}  // namespace
}  // namespace sluice::query
