#include <gmock/gmock.h>

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

class LeanDescribe : public ::testing::Test {
 protected:
  TestFolder folder;
};

TEST_F(LeanDescribe, SaysLessWhereThereIsLittleRoom) {
  std::string header;
  std::string row;
  for (int i = 0; i < 80; ++i) {
    header += (i == 0 ? "" : ",") + std::string("measured_value_") + std::to_string(i);
    row += (i == 0 ? "" : ",") + std::to_string(i) + ".5";
  }
  folder.write("wide.csv", header + "\n" + row + "\n" + row + "\n");
  LeanServer server(folder);
  const std::string whole = server.text("describe", R"({"datasets":["wide"],"max_tokens":6000})");
  EXPECT_THAT(whole, HasSubstr("measured_value_79 real: 79.5 2\n"));
  const std::string types = server.text("describe", R"({"datasets":["wide"],"max_tokens":800})");
  EXPECT_THAT(types, HasSubstr("measured_value_79 real"));
  EXPECT_THAT(types, HasSubstr("# values and ranges left out"));
  const std::string cut = server.text("describe", R"({"datasets":["wide"],"max_tokens":100})");
  EXPECT_LE(cut.size(), 600U);
  EXPECT_THAT(cut, HasSubstr("# columns left out"));
}

}  // namespace
}  // namespace sluice::datasets::testing
