// Text files that are too large for tests/questions, which has the others.

#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

// The types of a large file hold for all of its rows, not only for those that were looked at first.
TEST(TextValues, LargeFilesKeepTheirLateZerosAndTexts) {
  std::string content = "code,number,note\n";
  std::string rows_text;
  rows_text.reserve(70'000'000);
  for (std::size_t i = 0; rows_text.size() < 68'000'000; ++i)
    rows_text +=
        "12345,17,\"some text that makes the file large enough, so that not all rows are sniffed\"\n";
  content += rows_text + "00042,n/a,end\n";
  TestFolder folder;
  folder.write("large.csv", content);
  DataServer server(folder.path(), plain_collection());
  const Outcome schema = about(server, "get_schema", "large");
  ASSERT_TRUE(schema.ok()) << schema.text;
  EXPECT_EQ(schema.answer().text({"dtypes"}), R"({"code":"String","number":"String","note":"String"})");
  const Outcome last = about(server, "query_data", "large",
                             R"(,"filters":[{"col":"note","op":"eq","value":"end"}],"shape":"columns")");
  ASSERT_TRUE(last.ok()) << last.text;
  EXPECT_EQ(last.answer().text({"rows"}), R"([["00042","n/a","end"]])");
}

}  // namespace
}  // namespace sluice::datasets::testing
