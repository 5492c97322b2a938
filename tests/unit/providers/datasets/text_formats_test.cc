#include "outcome.h"

namespace sluice::datasets::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCount = R"(,"aggs":[{"fn":"count"}])";

std::string utf16le(std::string_view ascii) {
  std::string out = "\xFF\xFE";
  for (const char c : ascii) (out += c) += '\0';
  return out;
}

std::string utf16be(std::string_view ascii) {
  std::string out = "\xFE\xFF";
  for (const char c : ascii) (out += '\0') += c;
  return out;
}

class TextFormats : public ::testing::Test {
 protected:
  // The rows of a file with that name and content, or the code of the error. The engine must live on.
  std::string rows(const std::string& file, std::string_view content) {
    const std::string folder_name = std::to_string(next_++);
    folder_.write(folder_name + "/" + file, content);
    folder_.write("good.csv", "id\n1\n2\n");
    if (!server_) server_ = std::make_unique<DataServer>(folder_.path(), plain_collection());
    server_->rescan();
    dataset_ = folder_name + "/" + query::kind_of_file(file)->stem;
    const Outcome schema = about(*server_, "get_schema", dataset_);
    const Outcome first = about(*server_, "query_data", dataset_, R"(,"shape":"columns","limit":4)");
    const Outcome count = about(*server_, "aggregate", dataset_, kCount);
    EXPECT_EQ(about(*server_, "aggregate", "good", kCount).answer().text({"data", 0, "count"}), "2") << file;
    if (!schema.ok()) return schema.code;
    if (!first.ok()) return first.code;
    if (!count.ok()) return count.code;
    count_ = count.answer().text({"data", 0, "count"});
    const WireMessage answer = first.answer();
    return answer.text({"columns"}) + answer.text({"rows"});
  }

  TestFolder folder_;
  std::unique_ptr<DataServer> server_;
  std::string dataset_;
  std::string count_;
  int next_ = 0;
};

TEST_F(TextFormats, OtherEncodingsAreReadOrNamed) {
  std::string latin = "name,city\n";
  for (int i = 0; i < 40; ++i)
    latin += "Ren\xE9 et les gar\xE7ons,Besan\xE7on \xE0 c\xF4t\xE9 de la for\xEAt\n";
  EXPECT_THAT(rows("latin.csv", latin), HasSubstr("René et les garçons"));
  const std::string armenian(
      "\xFF\xFEn\0,\0t\0\n\0"
      "1\0,\0\x35\x05\x80\x05\n\0",
      20);
  EXPECT_EQ(rows("armenian.csv", armenian + std::string("2\0,\0x\0\n\0", 8)),
            R"(["n","t"][[1,"Եր"],[2,"x"]])");
  EXPECT_EQ(rows("smile.csv", armenian + std::string("2\0,\0\x3D\xD8\x00\xDE\n\0", 10)),
            R"(["n","t"][[1,"Եր"],[2,"😀"]])");
  // UTF-8, but for one byte that is too far down to be seen at first.
  std::string broken = "id,text\n";
  for (int i = 0; i < 20'000; ++i) broken += std::to_string(i) + ",row number " + std::to_string(i) + "\n";
  EXPECT_EQ(rows("broken.csv", broken + "20000,caf\xE9\n"), "unsupported_encoding");
  std::string long_utf16 = "id,text\n";
  for (int i = 0; i < 60'000; ++i)
    long_utf16 += std::to_string(i) + ",row number " + std::to_string(i) + "\n";
  EXPECT_THAT(rows("long.csv", utf16le(long_utf16)), HasSubstr(R"([3,"row number 3"])"));
  EXPECT_EQ(count_, "60000");
  std::string cyrillic = "name,city\n";
  for (int i = 0; i < 40; ++i)
    cyrillic += "\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0,\xCC\xEE\xF1\xEA\xE2\xE0 \xE8 \xE5\xF9\xB8\n";
  EXPECT_THAT(rows("cyrillic.csv", cyrillic), HasSubstr("Привет мир"));
  EXPECT_EQ(rows("big-endian.csv", utf16be("a,b\n1,x\n2,y\n")), R"(["a","b"][[1,"x"],[2,"y"]])");
  EXPECT_EQ(rows("t.ndjson", utf16le(R"({"a":1})")), R"(["a"][[1]])");
}

TEST(RaggedRows, AreNamedWithTheirLine) {
  TestFolder folder;
  folder.write("short.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n");
  folder.write("long.csv", "a,b,c\n1,2,3\n4,5,6\n6,7,8,9\n");
  // Too far down to be seen when the file is looked at.
  std::string far = "a;b\n";
  for (int i = 0; i < 300'000; ++i) far += "1;2\n";
  folder.write("far.csv", far + "3\n");
  DataServer server(folder.path(), plain_collection());
  EXPECT_THAT(outcome(server, "query_data", R"({"dataset":"short"})").text,
              HasSubstr("line 3 has 2 columns, expected 3"));
  EXPECT_THAT(outcome(server, "query_data", R"({"dataset":"long"})").text,
              HasSubstr("line 4 has 4 columns, expected 3"));
  const Outcome late = outcome(server, "aggregate", R"({"dataset":"far","aggs":[{"col":"b","fn":"sum"}]})");
  EXPECT_EQ(late.code, "unreadable_file");
  EXPECT_THAT(late.text, HasSubstr("line 300002 has 1 columns, expected 2"));
}

TEST_F(TextFormats, GarbageIsAnAnswerOrAnErrorWithACode) {
  std::string binary;
  for (int i = 0; i < 5'000; ++i) binary += static_cast<char>((i * 7919 + i / 13) % 256);
  std::string ragged = "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10\n";
  std::string line(1'000'000, 'x');
  using std::string_literals::operator""s;
  for (const std::string& content : {""s,
                                     "\n"s,
                                     "\n\n\n"s,
                                     "a"s,
                                     ","s,
                                     "\""s,
                                     "a,b\n\"1,2\n"s,
                                     "\0\0\0\0"s,
                                     "a,b\n1,\0x\n2,y\n"s,
                                     binary,
                                     ragged,
                                     "a,b\n1," + line + "\n",
                                     line,

                                     "{"s,
                                     "["s,
                                     "null"s,
                                     "[1,2,3]"s,
                                     "{\"a\":1}{\"a\":\"x\"}"s,
                                     "{\"a\":1}\n{\"a\":\n"s,
                                     "[{\"a\":1},{\"a\":[1,{\"b\":2}]}]"s,
                                     std::string(2'000, '['),
                                     std::string(2'000, '{'),
                                     "{\"a\":\"\\ud800\"}"s,
                                     "{\"\":1,\"a\":2,\"a\":3}"s,
                                     "\xFF\xFE"s,
                                     "\xEF\xBB\xBF"s,
                                     "\x1F\x8B\x08\x00 not a gzip"s,
                                     "PAR1PAR1"s,
                                     "PAR1\xFF\xFF\xFF\xFFPAR1"s}) {
    for (const char* file : {"t.csv", "t.tsv", "t.json", "t.ndjson", "t.parquet", "t.csv.gz", "t.json.zst"})
      rows(file, content);
  }
}

TEST_F(TextFormats, WideTablesAreServedByColumn) {
  std::string columns;
  std::string values;
  for (int i = 0; i < 3'000; ++i) {
    columns += (i == 0 ? "" : ",") + ("c" + std::to_string(i));
    values += (i == 0 ? "" : ",") + std::to_string(i);
  }
  // Whole rows come as a handle without a preview; what is asked for by name comes at once.
  EXPECT_EQ(rows("wide.csv", columns + "\n" + values + "\n" + values + "\n"), "");
  EXPECT_EQ(count_, "2");
  const Outcome one = about(*server_, "query_data", dataset_, R"(,"columns":["c2999"])");
  EXPECT_THAT(one.text, HasSubstr(R"("data":[{"c2999":2999},{"c2999":2999}])"));
}

// "a,b\n1,x\n2,y\n" as gzip and zstd write it.
TEST_F(TextFormats, CompressedFilesReadAsTheirContent) {
  const std::string gzip(
      "\037\213\010\000\000\000\000\000\002\003\113\324\111\342\062\324\251\340\062\322\251\344\002\000\302"
      "\226\176\235\014\000\000\000",
      32);
  const std::string zstd(
      "\050\265\057\375\004\130\141\000\000\141\054\142\012\061\054\170\012\062\054\171\012\056\237\041\106",
      25);
  const char* expected = R"(["a","b"][[1,"x"],[2,"y"]])";
  EXPECT_EQ(rows("t.csv", "a,b\n1,x\n2,y\n"), expected);
  EXPECT_EQ(rows("t.csv.gz", gzip), expected);
  EXPECT_EQ(rows("t.csv.zst", zstd), expected);
  EXPECT_NE(rows("t.csv.gz", gzip.substr(0, gzip.size() - 12)), expected);
  EXPECT_NE(rows("t.csv.zst", zstd.substr(0, zstd.size() - 6)), expected);
}

TEST_F(TextFormats, ALineMayBeAsLongAsItsFile) {
  // About where the engine is told how much room a file needs, and where it stops being told.
  for (const std::size_t bytes : {32'000U, 33'000U, 66'000U, 500'000U, 1'048'000U, 1'049'000U}) {
    for (const std::string& word :
         {std::string("cafes "), std::string("caf\xE9\xE9 ")}) {  // In UTF-8, and longer there: ISO-8859-1.
      std::string content = "a,b\n1,";
      while (content.size() < bytes) content += word;
      folder_.write("long.csv", content + "\n2,y\n");
      if (!server_) server_ = std::make_unique<DataServer>(folder_.path(), plain_collection());
      server_->rescan();
      const Outcome found =
          about(*server_, "aggregate", "long", R"(,"aggs":[{"fn":"count"},{"fn":"sum","col":"a"}])");
      ASSERT_TRUE(found.ok()) << bytes << word << found.code;
      EXPECT_EQ(found.answer().text({"data", 0, "count"}), "2") << bytes << word;
      EXPECT_EQ(found.answer().text({"data", 0, "a_sum"}), "3") << bytes << word;
    }
  }
}

}  // namespace
}  // namespace sluice::datasets::testing
