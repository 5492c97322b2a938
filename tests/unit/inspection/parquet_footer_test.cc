#include "sluice/inspection/parquet_footer.h"

#include <gtest/gtest.h>

#include "parquet_bytes.h"
#include "temp_folder.h"

namespace sluice::inspection {
namespace {

using testing::ParquetBytes;
using Fields = ParquetBytes::Fields;

class ParquetFooters : public ::testing::Test {
 protected:
  Result<ParquetFooter> read(std::string_view bytes) {
    folder_.write("f.parquet", bytes);
    const Result<fs::Root> root = fs::Root::open(folder_.path());
    const Result<fs::File> file = root->open_beneath("f.parquet");
    return read_parquet_footer(*file);
  }
  std::string code(std::string_view bytes) {
    const Result<ParquetFooter> footer = read(bytes);
    return footer.ok() ? "" : footer.error().code;
  }

  fs::TempFolder folder_;
};

TEST_F(ParquetFooters, TellRowsAndLevels) {
  const std::vector<std::string> schema{
      Fields().text(4, "root").number(5, 3).end(), Fields().number(1, 1).text(4, "a").end(),
      Fields().text(4, "g").number(5, 2).end(),    Fields().number(1, 1).text(4, "b").end(),
      Fields().number(1, 1).text(4, "c").end(),    Fields().number(1, 1).text(4, "d").end()};
  const Result<ParquetFooter> footer = read(ParquetBytes::file(ParquetBytes::metadata(schema, 12'345).end()));
  ASSERT_TRUE(footer.ok()) << footer.error().message;
  EXPECT_EQ(footer->rows, 12'345U);
  EXPECT_EQ(footer->levels, 2U);
  EXPECT_EQ(footer->elements, 6U);
  EXPECT_EQ(footer->columns, 3U);
}

TEST_F(ParquetFooters, BoundTheLevelsOfTheSchema) {
  EXPECT_EQ(code(ParquetBytes::nested_file(50)), "");
  EXPECT_EQ(code(ParquetBytes::nested_file(51)), "nesting_too_deep");
  EXPECT_EQ(code(ParquetBytes::nested_file(20'000)), "nesting_too_deep");
}

// A group of so many fields.
std::vector<std::string> wide_schema(std::size_t fields) {
  std::vector<std::string> schema(fields + 2, Fields().number(1, 1).text(4, "x").end());
  schema[0] = Fields().text(4, "root").number(5, 1).end();
  schema[1] = Fields().text(4, "group").number(5, fields).end();
  return schema;
}

TEST_F(ParquetFooters, BoundTheElementsOfTheSchema) {
  EXPECT_EQ(code(ParquetBytes::file(ParquetBytes::metadata(wide_schema(249'998)).end())), "");
  EXPECT_EQ(code(ParquetBytes::file(ParquetBytes::metadata(wide_schema(249'999)).end())), "nesting_too_deep");
}

TEST_F(ParquetFooters, BoundTheColumns) {
  std::vector<std::string> wide(50'001, Fields().number(1, 1).text(4, "x").end());
  wide.front() = Fields().text(4, "root").number(5, wide.size() - 1).end();
  const Result<ParquetFooter> footer = read(ParquetBytes::file(ParquetBytes::metadata(wide).end()));
  ASSERT_TRUE(footer.ok()) << footer.error().message;
  EXPECT_EQ(footer->columns, 50'000U);
  wide.push_back(wide.back());
  wide.front() = Fields().text(4, "root").number(5, wide.size() - 1).end();
  EXPECT_EQ(code(ParquetBytes::file(ParquetBytes::metadata(wide).end())), "too_many_columns");
}

TEST_F(ParquetFooters, RefuseStructuresThatNoFooterHas) {
  const std::vector<std::string> schema = ParquetBytes::nested_schema(1);
  const std::string open = ParquetBytes::metadata(schema).open();
  // A struct within a struct, and so on, in a field that nobody knows.
  EXPECT_EQ(code(ParquetBytes::file(open + '\xFC' + std::string(50'000, '\x1C') + std::string(50'002, '\0'))),
            "unreadable_file");
  // A list of four billion elements.
  EXPECT_EQ(
      code(ParquetBytes::file(open + "\xF9\xFC" + ParquetBytes::varint(0xFFFFFFFF) + std::string(9, '\0'))),
      "unreadable_file");
  // More children than there are elements.
  const std::vector<std::string> lie{Fields().text(4, "root").number(5, 7).end(),
                                     Fields().number(1, 1).text(4, "x").end()};
  EXPECT_EQ(code(ParquetBytes::file(ParquetBytes::metadata(lie).end())), "unreadable_file");
  EXPECT_EQ(code(ParquetBytes::file("")), "unreadable_file");
  EXPECT_EQ(code("PAR1"), "unreadable_file");
  EXPECT_EQ(code("no Parquet at all, but longer than a trailer"), "unreadable_file");
}

TEST_F(ParquetFooters, AreRefusedWhereverTheyAreCut) {
  const std::string footer = ParquetBytes::metadata(ParquetBytes::nested_schema(3), 5).end();
  for (std::size_t cut = 0; cut < footer.size(); ++cut)
    EXPECT_EQ(code(ParquetBytes::file(footer.substr(0, cut))), "unreadable_file") << cut;
}

}  // namespace
}  // namespace sluice::inspection
