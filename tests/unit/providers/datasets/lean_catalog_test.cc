#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LeanCatalog : public ::testing::Test {
 protected:
  TestFolder folder;
};

TEST_F(LeanCatalog, StaysWithinItsTokensAndSaysWhatItLeftOut) {
  for (int i = 0; i < 120; ++i) {
    folder.write("table_" + std::to_string(i) + ".csv",
                 "identifier,description_of_thing,amount_in_euro\n1,x,2.5\n");
  }
  LeanServer server(folder);
  // Names and rows of all tables come first, then columns as far as they fit.
  const std::string some = server.text("catalog", R"({"max_tokens":1200})");
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 121);
  EXPECT_LE(some.size(), 1200U * 4);
  EXPECT_THAT(some, HasSubstr("table_0 1: identifier"));
  EXPECT_THAT(some, HasSubstr("tables left out: describe them"));
  const std::string few = server.text("catalog", R"({"max_tokens":200})");
  EXPECT_LE(few.size(), 200U * 4);
  EXPECT_THAT(few, HasSubstr("more tables: pass match or a larger max_tokens\n"));
  const std::string all = server.text("catalog", R"({"max_tokens":8000})");
  EXPECT_THAT(all, HasSubstr("table_119 1: identifier int, description_of_thing, amount_in_euro real\n"));
  EXPECT_THAT(all, Not(HasSubstr("#")));
}

}  // namespace
}  // namespace sluice::datasets::testing
