#include "sluice/inspection/json_nesting.h"

#include <gtest/gtest.h>

#include "compressed.h"
#include "temp_folder.h"

namespace sluice::inspection {
namespace {

std::size_t levels(std::string_view text) {
  JsonNesting nesting;
  nesting.feed(text);
  return nesting.levels();
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + "1" + std::string(levels, ']'); }

TEST(JsonNesting, CountsObjectsAndArraysOutsideOfStrings) {
  EXPECT_EQ(levels("1"), 0U);
  EXPECT_EQ(levels(R"({"a": [1, {"b": []}], "c": {}})"), 4U);
  EXPECT_EQ(levels(R"(["[[[[", "\"[[[[", "\\", []])"), 2U);
  EXPECT_EQ(levels("{\"a\":1}\n{\"a\":[2]}\n"), 2U);
  EXPECT_EQ(levels("]]]][[["), 3U);
}

// A parallel reader begins at a line, whatever the lines before it have opened.
TEST(JsonNesting, AStringEndsWithItsLine) {
  EXPECT_EQ(levels("{\"a\": \"\n[[[["), 5U);
  EXPECT_EQ(levels("{\"a\": \"\\\n[[[["), 5U);
}

TEST(JsonNesting, IsTheSameHoweverTheTextIsCut) {
  const std::string text = R"({"a\"[": "\\", "b": [[1], "]\\\"["], "c": {"d": "{"}})";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    JsonNesting nesting;
    nesting.feed(std::string_view(text).substr(0, cut));
    nesting.feed(std::string_view(text).substr(cut));
    EXPECT_EQ(nesting.levels(), 3U) << cut;
  }
}

TEST(JsonNesting, FilesAreRefusedBeyondTheBoundAlsoWhenCompressed) {
  const fs::TempFolder folder;
  const auto code = [&](std::string_view bytes, Compression compression) -> std::string {
    folder.write("f", bytes);
    const Result<fs::Root> root = fs::Root::open(folder.path());
    const Result<fs::File> file = root->open_beneath("f");
    const Status status = check_json_nesting(*file, compression, {});
    return status.ok() ? "" : status.error().code;
  };
  EXPECT_EQ(code(nested(50), Compression::kNone), "");
  EXPECT_EQ(code(nested(51), Compression::kNone), "nesting_too_deep");
  const std::string late = std::string(2'000'000, ' ') + nested(30'000);
  EXPECT_EQ(code(late, Compression::kNone), "nesting_too_deep");
  EXPECT_EQ(code(testing::gzip(late), Compression::kGzip), "nesting_too_deep");
  EXPECT_EQ(code(testing::gzip("[]\n") + testing::gzip(nested(30'000)), Compression::kGzip),
            "nesting_too_deep");
  EXPECT_EQ(code(testing::zstd(late), Compression::kZstd), "nesting_too_deep");
  EXPECT_EQ(code(testing::gzip(nested(50)), Compression::kGzip), "");
}

}  // namespace
}  // namespace sluice::inspection
