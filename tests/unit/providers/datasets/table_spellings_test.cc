#include "sluice/datasets/table_spellings.h"

#include <gmock/gmock.h>

#include "sluice/datasets/sql_spelling.h"

#include "lean_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

TEST(SqlSpelling, QuotesOnlyWhatSqlWouldNotReadAsAName) {
  EXPECT_EQ(sql_spelling("city"), "city");
  EXPECT_EQ(sql_spelling("Տարի"), "Տարի");
  EXPECT_EQ(sql_spelling("Major Genre"), "\"Major Genre\"");
  EXPECT_EQ(sql_spelling("2024"), "\"2024\"");
  EXPECT_EQ(sql_spelling("group"), "\"group\"");
  EXPECT_EQ(sql_spelling("a\"b"), "\"a\"\"b\"");
}

class TableNames : public ::testing::Test {
 protected:
  std::string spelled(const std::string& file) {
    TestFolder folder;
    for (const char* other : {"people.csv", "a_b.csv", "Select.csv"}) folder.write(other, "x\n1\n");
    folder.write(file, "x\n7\n");
    LeanServer server(folder);
    const std::string catalog = server.text("catalog", "{}");
    std::string found;
    for (std::size_t begin = 0; begin < catalog.size(); begin = catalog.find('\n', begin) + 1) {
      const std::string name = catalog.substr(begin, catalog.find(" 1: x", begin) - begin);
      if (server.query("SELECT x FROM " + name) == "x\n7\n") found = name;
    }
    return found;
  }
};

TEST_F(TableNames, NeedNoQuotesIfOneTableAloneCanBeMeant) {
  EXPECT_EQ(spelled("flights-3m.csv"), "flights_3m");
  EXPECT_EQ(spelled("two words.v2.csv"), "two_words_v2");
  EXPECT_EQ(spelled("deep-er/day-1.csv"), "deep_er.day_1");
}

TEST_F(TableNames, AreQuotedIfAnotherTableCouldBeMeant) {
  EXPECT_EQ(spelled("a-b.csv"), "\"a-b\"");
  EXPECT_EQ(spelled("A.B.csv"), "\"A.B\"");
  EXPECT_EQ(spelled("2024-sales.csv"), "\"2024-sales\"");
  EXPECT_EQ(spelled("group.csv"), "\"group\"");
}

TEST_F(TableNames, AreSearchedAsTheyAreAndAsSqlWritesThem) {
  TestFolder folder;
  folder.write("air-ports.csv", "x\n1\n");
  LeanServer server(folder);
  for (const char* match : {"air-ports", "air_ports", "AIR-P"})
    EXPECT_THAT(server.text("catalog", std::string(R"({"match":")") + match + "\"}"),
                HasSubstr("air_ports 1: x"));
}

}  // namespace
}  // namespace sluice::datasets::testing
