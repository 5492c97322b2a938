#include <gtest/gtest.h>

#include "compressed.h"
#include "file_reading.h"

namespace sluice::query {
namespace {

using inspection::testing::gzip;

class QuickCounts : public ::testing::Test {
 protected:
  // "12 exact", "90 estimate" or "failed".
  std::string count(const std::string& name, std::string_view content,
                    Monotonic deadline = Monotonic::max()) {
    const auto dataset = files_.write(name, content);
    dataset->count_quickly(deadline);
    rows_ = dataset->row_count();
    switch (dataset->count_state()) {
      case CountState::kExact:
        return std::to_string(rows_) + " exact";
      case CountState::kEstimated:
        return std::to_string(rows_) + " estimate";
      case CountState::kFailed:
        return "failed";
      default:
        return "none";
    }
  }

  testing::FileReading files_;
  std::uint64_t rows_ = 0;
};

std::string lines(std::size_t count) {
  std::string out = "id,name\n";
  for (std::size_t i = 0; i < count; ++i) out += std::to_string(1'000'000 + i) + ",text\n";
  return out;
}

TEST_F(QuickCounts, PlainCsvIsCounted) {
  EXPECT_EQ(count("a.csv", "a,b\n1,\"x\ny\"\n2,z\n"), "2 exact");
  EXPECT_EQ(count("b.csv", "a,b\n"), "0 exact");
  EXPECT_EQ(count("c.tsv", "1\t2\n3\t4\n"), "2 exact");
  EXPECT_EQ(count("d.csv", lines(1'000'000)), "1000000 exact");
  // A small file even if no time is left.
  EXPECT_EQ(count("e.csv", "a,b\n1,\"x\ny\"\n2,z\n", Monotonic::min()), "2 exact");
}

TEST_F(QuickCounts, EverythingElseIsEstimated) {
  EXPECT_EQ(count("empty.csv", ""), "0 estimate");
  EXPECT_EQ(count("title.csv", "title\na,b\n1,2\n"), "2 estimate");
  EXPECT_EQ(count("a.ndjson", "{\"a\":1}\n\n{\"a\":2}\n"), "2 estimate");
  EXPECT_EQ(count("b.json", R"([{"a":[1,2]},{"a":[]},{"b":"},{"}])"), "3 estimate");
  EXPECT_EQ(count("c.json", "[1,2,3,4]"), "4 estimate");
  EXPECT_EQ(count("d.json", "{\"a\":1} {\"a\":2}"), "2 estimate");
  EXPECT_EQ(count("e.json", "[]"), "0 estimate");
}

TEST_F(QuickCounts, EstimatesAreNear) {
  EXPECT_NE(count("late.csv", lines(200'000), Monotonic::min()).find("estimate"), std::string::npos);
  EXPECT_NEAR(static_cast<double>(rows_), 200'000, 10'000);
  EXPECT_NE(count("large.csv", lines(2'000'000)).find("estimate"), std::string::npos);
  EXPECT_NEAR(static_cast<double>(rows_), 2'000'000, 50'000);
  EXPECT_NE(count("packed.csv.gz", gzip(lines(500'000))).find("estimate"), std::string::npos);
  EXPECT_NEAR(static_cast<double>(rows_), 500'000, 250'000);
}

TEST_F(QuickCounts, EstimatesAreNearIfRowsGrowLonger) {
  std::string csv = "id,text\n";
  std::string ndjson;
  for (int i = 0; i < 400'000; ++i) {
    const std::string text(static_cast<std::size_t>(i / 4'000), 'x');
    csv += std::to_string(i) + "," + text + "\n";
    ndjson += "{\"text\":\"" + text + "\"}\n";
  }
  EXPECT_NE(count("long.csv", csv).find("estimate"), std::string::npos);
  EXPECT_NEAR(static_cast<double>(rows_), 400'000, 40'000);
  EXPECT_NE(count("long.ndjson", ndjson).find("estimate"), std::string::npos);
  EXPECT_NEAR(static_cast<double>(rows_), 400'000, 40'000);
}

TEST_F(QuickCounts, DamagedFilesFail) {
  EXPECT_EQ(count("a.parquet", "PAR1 is not all of it"), "failed");
  EXPECT_EQ(count("b.csv.gz", "no gzip"), "failed");
}

TEST_F(QuickCounts, AnEstimateDoesNotReplaceACount) {
  const auto dataset = files_.write("a.ndjson", "{\"a\":1}\n");
  dataset->set_row_count(7);
  dataset->set_row_estimate(9);
  EXPECT_EQ(dataset->row_count(), 7U);
  EXPECT_EQ(dataset->count_state(), CountState::kExact);
}

}  // namespace
}  // namespace sluice::query
