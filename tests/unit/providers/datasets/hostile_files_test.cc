// Files that would end the process, or keep it busy without end, if the engine were given them.

#include "compressed.h"
#include "outcome.h"
#include "parquet_bytes.h"

namespace sluice::datasets::testing {
namespace {

using inspection::testing::gzip;
using inspection::testing::ParquetBytes;
using inspection::testing::zstd;

constexpr std::size_t kDeep = 30'000;

std::string deep_array() { return std::string(kDeep, '[') + std::string(kDeep, ']'); }
std::string deep_object() {
  std::string out;
  for (std::size_t i = 0; i < kDeep; ++i) out += R"({"a":)";
  return out + "1" + std::string(kDeep, '}');
}

TEST(HostileFiles, DeepNestingIsAnErrorOfTheFile) {
  TestFolder folder;
  folder.write("array.json", deep_array());
  folder.write("object.json", deep_object());
  folder.write("lines.ndjson", "{\"a\":1}\n{\"a\":" + deep_array() + "}\n");
  folder.write("packed.json.gz", gzip(deep_array()));
  folder.write("members.ndjson.gz", gzip("{\"a\":1}\n") + gzip(deep_object()));
  folder.write("frame.ndjson.zst", zstd(deep_object()));
  folder.write("schema.parquet", ParquetBytes::nested_file(20'000));
  folder.write("good.csv", "id\n1\n2\n");
  DataServer server(folder.path(), plain_collection());
  for (const char* name : {"array", "object", "lines", "packed", "members", "frame", "schema"}) {
    EXPECT_EQ(about(server, "get_schema", name).code, "nesting_too_deep") << name;
    EXPECT_EQ(about(server, "query_data", name).code, "nesting_too_deep") << name;
    EXPECT_EQ(about(server, "describe_dataset", name).code, "nesting_too_deep") << name;
  }
  EXPECT_TRUE(about(server, "query_data", "good").ok());
}

TEST(HostileFiles, TheCatalogListsADeepSchemaWithItsError) {
  TestFolder folder;
  folder.write("schema.parquet", ParquetBytes::nested_file(20'000));
  DataServer server(folder.path(), plain_collection());
  const WireMessage answer(server.call("get_catalog", "{}"));
  EXPECT_EQ(answer.text({"datasets", 0, "row_count_kind"}), "unreadable");
  EXPECT_THAT(answer.text({"datasets", 0, "error"}), ::testing::HasSubstr("more than 50 levels"));
}

TEST(HostileFiles, NestingThatPeopleUseIsRead) {
  TestFolder folder;
  folder.write("list.json", R"([{"a":)" + std::string(40, '[') + "7" + std::string(40, ']') + "}]");
  folder.write("schema.parquet", ParquetBytes::nested_file(50));
  DataServer server(folder.path(), plain_collection());
  EXPECT_THAT(about(server, "query_data", "list").text, ::testing::HasSubstr("[[[7]]]"));
  EXPECT_TRUE(about(server, "query_data", "schema").ok());
}

// 300 MB within 300 KB: what the file is like is told by its beginning.
TEST(HostileFiles, ALargeContentInASmallFileIsDescribedByItsBeginning) {
  TestFolder folder;
  std::string piece = "code,name\n";
  std::string rows;
  for (int i = 0; i < 100'000; ++i) rows += "1234,some text that is repeated\n";
  const std::string member = gzip(rows);
  std::string packed = gzip(piece);
  for (int i = 0; i < 100; ++i) packed += member;
  folder.write("bomb.csv.gz", packed);
  DataServer server(folder.path(), plain_collection());
  const Monotonic begin = system_clock().now();
  const Outcome schema = about(server, "get_schema", "bomb");
  EXPECT_LT(system_clock().now() - begin, std::chrono::seconds(20));
  ASSERT_TRUE(schema.ok()) << schema.text;
  EXPECT_EQ(schema.answer().text({"dtypes", "code"}), "Int64");
  EXPECT_THAT(schema.answer().text({"warnings"}), ::testing::HasSubstr("first 200000 rows"));
}

TEST(HostileFiles, DamagedCompressionIsAnErrorOfTheFile) {
  TestFolder folder;
  std::string rows;
  for (int i = 0; i < 10'000; ++i) rows += "{\"a\":" + std::to_string(i * i) + "}\n";
  folder.write("cut.ndjson.gz", gzip(rows).substr(0, 5'000));
  folder.write("none.csv.zst", "a,b\n1,2\n");
  DataServer server(folder.path(), plain_collection());
  EXPECT_EQ(about(server, "get_schema", "cut").code, "unreadable_file");
  EXPECT_EQ(about(server, "get_schema", "none").code, "unreadable_file");
}

}  // namespace
}  // namespace sluice::datasets::testing
