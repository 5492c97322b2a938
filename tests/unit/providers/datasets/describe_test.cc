#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

class Describe : public ::testing::Test {
 protected:
  Describe() {
    // Many cities occur a few times, and these three most often.
    std::string csv = "city,v,n,price,day,code\n";
    const auto add = [&](const std::string& city, int times) {
      for (int i = 0; i < times; ++i) {
        csv += city + ",x" + std::to_string(i % 2) + "," + std::to_string(i) + "," + std::to_string(i) +
               ".5,2024-01-0" + std::to_string(i % 9 + 1) + "," + (i % 2 == 0 ? "a" : "") + "\n";
      }
    };
    for (int i = 0; i < 1'926; ++i) add("Town " + std::to_string(i), 1 + i % 7);
    add("Houston", 190);
    add("Washington", 300);
    add("New York", 162);
    folder.write("cities.csv", csv);
    server = std::make_unique<DataServer>(folder.path(), plain_collection());
  }
  WireMessage column(const std::string& name) {
    const WireMessage answer(
        server->call("describe_dataset", R"({"dataset":"cities","columns":[")" + name + R"("]})"));
    EXPECT_EQ(answer.size({"columns"}), 1U);
    return WireMessage(answer.at({"columns", 0}));
  }

  TestFolder folder;
  std::unique_ptr<DataServer> server;
};

TEST_F(Describe, FindsTheMostFrequentValuesWithTheirNumbers) {
  EXPECT_EQ(
      column("city").text({"top"}),
      R"([{"value":"Washington","count":300},{"value":"Houston","count":190},{"value":"New York","count":162}])");
  // A column may have any name.
  EXPECT_EQ(column("v").at({"top"}).if_array()->size(), 2U);
  EXPECT_EQ(column("n").text({"top", 0, "value"}), "0");
}

TEST_F(Describe, CountsDistinctValuesExactly) {
  EXPECT_EQ(column("city").text({"distinct"}), "1929");
  EXPECT_EQ(column("v").text({"distinct"}), "2");
  EXPECT_EQ(column("code").text({"distinct"}), "1");
  EXPECT_FALSE(column("city").has({"distinct_estimate"}));
}

TEST_F(Describe, GivesNumbersAsNumbers) {
  const WireMessage price = column("price");
  EXPECT_NE(price.at({"min"}).if_number(), nullptr);
  EXPECT_EQ(price.text({"min"}), "0.5");
  EXPECT_EQ(price.text({"max"}), "299.5");
  EXPECT_NE(price.at({"mean"}).if_number(), nullptr);
  EXPECT_NE(column("n").at({"top", 0, "value"}).if_number(), nullptr);
  EXPECT_EQ(column("day").text({"max"}), "2024-01-09");
}

TEST_F(Describe, CountsNullsAndRows) {
  const WireMessage code = column("code");
  const WireMessage all(server->call("describe_dataset", R"({"dataset":"cities"})"));
  EXPECT_EQ(std::stoi(code.text({"count"})) + std::stoi(code.text({"nulls"})), std::stoi(all.text({"rows"})));
  EXPECT_GT(std::stoi(code.text({"nulls"})), 0);
  EXPECT_EQ(all.size({"columns"}), 6U);
}

}  // namespace
}  // namespace sluice::datasets::testing
