#include "csv_shape.h"

#include <random>

#include <gtest/gtest.h>

#include "csv_scanner.h"
#include "file_reading.h"

namespace sluice::query {
namespace {

std::string shape(std::string_view text) {
  const std::optional<CsvShape> found = plain_shape(text, true);
  if (!found) return "none";
  return std::string(1, found->delimiter) + std::to_string(found->columns) +
         (found->has_header ? " header" : "");
}

TEST(CsvShape, FindsTheSeparatorAndTheHeader) {
  EXPECT_EQ(shape("a,b\n1,2\n"), ",2 header");
  EXPECT_EQ(shape("a;b\r\n1,5;2\r\n"), ";2 header");
  EXPECT_EQ(shape("a\tb\tc\n\"x\ty\"\t2\t3"), "\t3 header");
  EXPECT_EQ(shape("1|2\n3|4\n"), "|2");
  EXPECT_EQ(shape("a\n1\n2\n"), ",1 header");
  EXPECT_EQ(shape("\xEF\xBB\xBF"
                  "a,b\n1,2\n"),
            ",2 header");
  EXPECT_EQ(shape("name,2020,2021\nx,1.5,2\n"), ",3 header");
  EXPECT_EQ(shape("x,2020\ny,2021\n"), ",2");
  EXPECT_EQ(shape("country,2020\nAruba,54208\nKenya,8.5\n"), ",2 header");
  EXPECT_EQ(shape("country,2020,source\nAruba,54208,x\nKenya,,y\nPeru,12,y\n"), ",3 header");
  EXPECT_EQ(shape("country,2020\nAruba,54208\n"), ",2");        // One row tells too little.
  EXPECT_EQ(shape("Ann,2001\nBob,350\nCid,1999\n"), ",2");      // Another year is among the values.
  EXPECT_EQ(shape("Ann,350\nBob,12\nCid,7\n"), ",2");           // Not a year.
  EXPECT_EQ(shape("Ann,2001,7\nBob,350,8\nCid,12,9\n"), ",3");  // Beside another number.
  EXPECT_EQ(shape("city,2020\nRome,high\nOslo,low\n"), ",2 header");
  EXPECT_EQ(shape("1,2\na,b\nc,d\n"), ",2 header");
  EXPECT_EQ(shape("10021,Widget\nA-33,Foo\nB-12,Bar\n"), ",2");  // Codes.
  EXPECT_EQ(shape("Ann,2001\nBob,350\nAnn,12\n"), ",2");         // The name is a value.
  EXPECT_EQ(shape("x,5\ny,low\nx,high\n"), ",2");
  EXPECT_EQ(shape("x,5\ny,n/a\nz,n/a\n"), ",2");  // What is missing is always written so.
  EXPECT_EQ(shape("x,5\ny,low\nz,7\n"), ",2");    // A column of both.
  EXPECT_EQ(shape("a,b\n\n1,2\n\n"), ",2 header");
}

TEST(CsvShape, LeavesTheRestToTheEngine) {
  EXPECT_EQ(shape(""), "none");
  EXPECT_EQ(shape("title\na,b\n1,2\n"), "none");
  EXPECT_EQ(shape("a,b\n1\n"), "none");
  EXPECT_EQ(shape("a;b,c\n1;2,3\n"), "none");
  EXPECT_EQ(shape("# remark,x\na,b\n"), "none");
  EXPECT_EQ(shape("a,b\n\"x\"y,2\n"), "none");
  EXPECT_EQ(shape("a,b\nx\"y,2\n"), "none");
  EXPECT_EQ(shape("a,b\r\n1,2\n"), "none");
  EXPECT_EQ(shape("a,b\r1,2\r"), "none");
  EXPECT_EQ(shape("a\n1\n\n2\n"), "none");
  EXPECT_EQ(shape("a,b\n\"open,2\n"), "none");
  EXPECT_EQ(shape(std::string_view("a,b\n1,\0\n", 8)), "none");
}

TEST(CsvShape, AScanIsTheSameHoweverTheTextIsCut) {
  const std::string text = "a,b\r\n\"x\"\"y\",\"line\r\nend\"\r\n,\"\"\r\n1,2";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CsvScanner scanner(',');
    std::vector<CsvScanner::Record> records;
    scanner.collect_into(records);
    ASSERT_TRUE(scanner.feed(std::string_view(text).substr(0, cut))) << cut;
    ASSERT_TRUE(scanner.feed(std::string_view(text).substr(cut))) << cut;
    ASSERT_TRUE(scanner.finish()) << cut;
    ASSERT_EQ(records.size(), 4U) << cut;
    EXPECT_EQ(records[1], (CsvScanner::Record{"x\"y", "line\r\nend"}));
    EXPECT_EQ(records[2], (CsvScanner::Record{"", ""}));
  }
}

// Text of the characters that matter in CSV, mostly rows of equal length.
std::string random_text(std::mt19937& random) {
  const auto any = [&](std::size_t below) { return std::size_t{random() % below}; };
  const std::string_view separators = ",;\t|";
  const char separator = separators[any(separators.size())];
  const std::string end = any(3) == 0 ? "\r\n" : "\n";
  const std::size_t columns = 1 + any(4);
  std::string out = any(6) == 0 ? "\xEF\xBB\xBF" : "";
  const std::size_t rows = any(8);
  for (std::size_t row = 0; row <= rows; ++row) {
    const std::size_t width = any(25) == 0 ? columns + 1 : columns;
    for (std::size_t column = 0; column < width; ++column) {
      if (column > 0) out += separator;
      switch (any(9)) {
        case 0:
          break;
        case 1:
          out += "\"\"";
          break;
        case 2:
          out += "\"a" + std::string(1, separator) + "b\"";
          break;
        case 3:
          out += "\"two" + end + "lines\"";
          break;
        case 4:
          out += "\"say \"\"hi\"\"\"";
          break;
        case 5:
          out += std::to_string(any(3'000));
          break;
        case 6:
          out += any(30) == 0 ? "x\"y" : "xy";
          break;
        case 7:
          out += "\xC3\xA9t\xC3\xA9";
          break;
        default:
          out += "t" + std::to_string(row);
      }
    }
    if (row < rows || any(3) > 0) out += any(40) == 0 ? "\n" : end;
    if (any(30) == 0) out += end;
  }
  return out;
}

TEST(CsvShape, CountsAsTheReaderDoes) {
  testing::FileReading files;
  std::mt19937 random(20'261'118);
  std::size_t counted = 0;
  for (int i = 0; i < 1'500; ++i) {
    const std::string text = random_text(random);
    const auto dataset = files.write("f" + std::to_string(i) + ".csv", text);
    dataset->count_quickly(Monotonic::max());
    if (dataset->count_state() != CountState::kExact) continue;
    const Result<Table> table = files.inspect(*dataset);
    ASSERT_TRUE(table.ok()) << table.error().message << "\n" << text;
    const Result<std::uint64_t> rows = files.count(*dataset, *table);
    ASSERT_TRUE(rows.ok()) << rows.error().message << "\n" << text;
    ASSERT_EQ(dataset->row_count(), *rows) << i << "\n" << text;
    ++counted;
  }
  EXPECT_GT(counted, 700U) << "most of the files are plain";
}

// Some row in the beginning of a file decides whether its first line is a header. A count and a reader have
// to look at the same rows.
TEST(CsvShape, CountsAsTheReaderDoesIfTheLastRowOfTheBeginningDecides) {
  testing::FileReading files;
  for (int before = 16'370; before < 16'392; ++before) {
    std::string text = "x,2020\n";
    for (int i = 0; i < before; ++i) text += "y,5\n";
    text += "y,2021\n";  // Ends at or near the end of the first 64 KiB.
    for (int i = 0; i < 50; ++i) text += "y,5\n";
    const auto dataset = files.write("f" + std::to_string(before) + ".csv", text);
    dataset->count_quickly(Monotonic::max());
    ASSERT_EQ(dataset->count_state(), CountState::kExact);
    const Result<Table> table = files.inspect(*dataset);
    ASSERT_TRUE(table.ok()) << table.error().message;
    const Result<std::uint64_t> rows = files.count(*dataset, *table);
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    EXPECT_EQ(dataset->row_count(), *rows) << before;
  }
}

}  // namespace
}  // namespace sluice::query
