#include "sluice/datasets/table_spellings.h"

#include <gtest/gtest.h>

#include "sluice/datasets/sql_spelling.h"

namespace sluice::datasets {
namespace {

TEST(SqlSpelling, QuotesOnlyWhatSqlWouldNotReadAsAName) {
  EXPECT_EQ(sql_spelling("city"), "city");
  EXPECT_EQ(sql_spelling("Տարի"), "Տարի");
  EXPECT_EQ(sql_spelling("Major Genre"), "\"Major Genre\"");
  EXPECT_EQ(sql_spelling("2024"), "\"2024\"");
  EXPECT_EQ(sql_spelling("group"), "\"group\"");
  EXPECT_EQ(sql_spelling("a\"b"), "\"a\"\"b\"");
}

}  // namespace
}  // namespace sluice::datasets
