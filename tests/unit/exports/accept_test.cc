#include "rest/accept.h"

#include <optional>

#include <gtest/gtest.h>

namespace sluice::exports {
namespace {

TEST(Accept, PrefersTheFirstOfTheHighestQuality) {
  EXPECT_EQ(accepted_format(""), FileFormat::kCsv);
  EXPECT_EQ(accepted_format("*/*"), FileFormat::kCsv);
  EXPECT_EQ(accepted_format("text/html,application/xhtml+xml,*/*;q=0.8"), FileFormat::kCsv);
  EXPECT_EQ(accepted_format("application/json"), FileFormat::kJson);
  EXPECT_EQ(accepted_format("Application/JSON; charset=utf-8"), FileFormat::kJson);
  EXPECT_EQ(accepted_format("application/json, text/csv"), FileFormat::kJson);
  EXPECT_EQ(accepted_format("application/json;q=0.5, text/csv;q=0.6"), FileFormat::kCsv);
  EXPECT_EQ(accepted_format("application/x-ndjson"), FileFormat::kNdjson);
  EXPECT_EQ(accepted_format("application/vnd.apache.arrow.stream"), FileFormat::kArrow);
  EXPECT_EQ(accepted_format("application/vnd.apache.parquet"), FileFormat::kParquet);
}

TEST(Accept, AllowsNothingWhereAllIsRefusedOrUnknown) {
  for (const char* const header : {"image/png", "text/csv;q=0", "application/json;q=0.0,text/html", ",;,"})
    EXPECT_EQ(accepted_format(header), std::nullopt) << header;
}

}  // namespace
}  // namespace sluice::exports
