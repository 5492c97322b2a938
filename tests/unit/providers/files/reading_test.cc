// What reading a file or a folder gives.

#include <string>

#include <gmock/gmock.h>

#include "file_server.h"

namespace sluice::files::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kCap = 102'400;
const std::string kMark = "\n\n[Content truncated...]";

class FileRead : public ::testing::Test {
 protected:
  FileServer& server() {
    if (!server_) server_ = std::make_unique<FileServer>(folder_);
    return *server_;
  }
  std::string type(const std::string& uri) {
    return server().reply(uri).text({"result", "contents", 0, "mimeType"});
  }
  // The text of a file, read by ranges of that many bytes.
  std::string joined(const std::string& uri, std::size_t bytes, std::size_t length) {
    std::string out;
    for (std::size_t offset = 0; offset < bytes; offset += length)
      out += server().text(uri + "?offset=" + std::to_string(offset) + "&length=" + std::to_string(length));
    return out;
  }
  fs::TempFolder folder_;
  std::unique_ptr<FileServer> server_;
};

TEST_F(FileRead, TextIsTextAndTheRestIsBytes) {
  const std::string png = std::string("\x89PNG\r\n\x1a\n\0\xff", 10);
  folder_.write("config/settings.json", R"({"a":1})");
  folder_.write("image.png", png);
  folder_.write("empty", "");
  const WireMessage json = server().reply("file:///config/settings.json");
  EXPECT_EQ(json.text({"result", "contents", 0, "uri"}), "file:///config/settings.json");
  EXPECT_EQ(json.text({"result", "contents", 0, "mimeType"}), "application/json");
  EXPECT_EQ(json.text({"result", "contents", 0, "text"}), R"({"a":1})");
  EXPECT_EQ(json.text({"result", "ttlMs"}), "60000");
  EXPECT_EQ(json.text({"result", "cacheScope"}), "private");
  EXPECT_EQ(type("file:///image.png"), "image/png");
  EXPECT_EQ(server().bytes("file:///image.png"), png);
  EXPECT_EQ(server().text("file:///empty"), "");
  EXPECT_EQ(type("file:///empty"), "text/plain");
}

TEST_F(FileRead, TheContentTellsWhereTheNameDoesNot) {
  folder_.write("Makefile", "all:\n\techo è\n");
  folder_.write("picture", "GIF89a\x01\x02");
  folder_.write("blob", std::string("\x01\x02\0\xff", 4));
  const std::string bytes("text and then\0\x01\xff\xfe, which is none", 32);
  folder_.write("lies.txt", bytes);
  EXPECT_EQ(type("file:///Makefile"), "text/plain");
  EXPECT_EQ(server().text("file:///Makefile"), "all:\n\techo è\n");
  EXPECT_EQ(type("file:///picture"), "image/gif");
  EXPECT_EQ(type("file:///blob"), "application/octet-stream");
  EXPECT_EQ(type("file:///lies.txt"), "application/octet-stream");
  EXPECT_EQ(server().bytes("file:///lies.txt"), bytes);
}

TEST_F(FileRead, NamesOfAllKindsAreFound) {
  for (const std::string name :
       {"a b.txt", "100%.txt", "a?b#c.txt", "è.txt", "a&b=c+d.txt", "[x].txt", "a:b.txt"})
    folder_.write(name, name);
  for (const std::string& uri : server().listed("uri")) {
    if (uri == "file:///") continue;
    EXPECT_THAT(server().text(uri), HasSubstr(".txt")) << uri;
  }
  EXPECT_EQ(server().text("file:///è.txt"), "è.txt");  // As an IRI has it.
  EXPECT_EQ(server().text("file:///%61%20b%2Etxt"), "a b.txt");
}

TEST_F(FileRead, LongTextIsCutAtACharacterWithAMark) {
  folder_.write("ascii.txt", std::string(kCap + 1, 'x'));
  folder_.write("fits.txt", std::string(kCap, 'x'));
  std::string wide;
  while (wide.size() < 2 * kCap) wide += "€";  // Three bytes; 102,400 is no multiple of it.
  folder_.write("wide.txt", wide);
  EXPECT_EQ(server().text("file:///ascii.txt"), std::string(kCap, 'x') + kMark);
  EXPECT_EQ(server().text("file:///fits.txt"), std::string(kCap, 'x'));
  const WireMessage cut = server().reply("file:///wide.txt");
  EXPECT_EQ(cut.text({"result", "contents", 0, "text"}), wide.substr(0, kCap - kCap % 3) + kMark);
  EXPECT_EQ(cut.text({"result", "contents", 0, "_meta", "sluice/size"}), std::to_string(wide.size()));
  const std::string next = cut.text({"result", "contents", 0, "_meta", "sluice/next"});
  EXPECT_EQ(next, "file:///wide.txt?offset=102399");
  EXPECT_EQ(server().text(next).substr(0, 30), wide.substr(0, 30));
}

TEST_F(FileRead, RangesThatFollowOneAnotherGiveTheWholeText) {
  std::string mixed;
  for (int i = 0; i < 40; ++i) mixed += "aé€😀";
  folder_.write("mixed.txt", mixed);
  for (const std::size_t length : {1U, 2U, 3U, 4U, 5U, 7U, 64U, 1'000U})
    EXPECT_EQ(joined("file:///mixed.txt", mixed.size(), length), mixed) << length;
  EXPECT_EQ(server().text("file:///mixed.txt?offset=0&length=1"), "a");
  EXPECT_EQ(server().text("file:///mixed.txt?length=2"), "a");           // é is not whole.
  EXPECT_EQ(server().text("file:///mixed.txt?offset=2&length=1"), "é");  // Here it ends.
  EXPECT_EQ(server().text("file:///mixed.txt?offset=100000"), "");
  EXPECT_EQ(server().text("file:///mixed.txt?offset=18446744073709551615&length=5"), "");
}

TEST_F(FileRead, OtherEncodingsBecomeUtf8) {
  folder_.write("mark.txt", "\xEF\xBB\xBFgrün");
  folder_.write("wide.txt", std::string("\xFF\xFEg\0r\0\xfc\0n\0\x3d\xd8\x00\xde", 14));
  std::string cyrillic;
  for (int i = 0; i < 20; ++i) cyrillic += "\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0? ";
  folder_.write("cyrillic.txt", cyrillic);
  folder_.write("broken.txt", std::string(70'000, 'a') + "\xff then more");
  EXPECT_EQ(server().text("file:///mark.txt"), "grün");
  EXPECT_EQ(server().text("file:///wide.txt"), "grün😀");
  EXPECT_EQ(joined("file:///wide.txt", 14, 3), "grün😀");
  EXPECT_THAT(server().text("file:///cyrillic.txt"), HasSubstr("Привет, как дела? "));
  EXPECT_THAT(server().text("file:///broken.txt"), HasSubstr("a\xEF\xBF\xBD then more"));
}

TEST_F(FileRead, LargeBinaryFilesAreReadInRanges) {
  std::string bytes;
  while (bytes.size() < 250'000) bytes.push_back(static_cast<char>(bytes.size() * 7));
  folder_.write("data.bin", bytes);
  const WireMessage refused = server().reply("file:///data.bin");
  EXPECT_EQ(refused.code(), -32602);
  EXPECT_EQ(refused.text({"error", "data", "code"}), "resource_too_large");
  EXPECT_THAT(refused.error(), HasSubstr("Failed to read resource: 250000 bytes"));
  EXPECT_THAT(refused.text({"error", "data"}), HasSubstr("file:///data.bin?offset=0&length=102400"));
  EXPECT_FALSE(server().reply("file:///data.bin?offset=0&length=102401").is_result());
  std::string joined;
  for (std::size_t offset = 0; offset < bytes.size(); offset += kCap)
    joined += server().bytes("file:///data.bin?offset=" + std::to_string(offset) + "&length=102400");
  EXPECT_EQ(joined, bytes);
  EXPECT_EQ(server().bytes("file:///data.bin?offset=200000"), bytes.substr(200'000));
}

TEST_F(FileRead, TheBoundOfBinaryFilesAndTheirLifetimeAreTheOperators) {
  std::string bytes;
  while (bytes.size() < 250'000) bytes.push_back(static_cast<char>(bytes.size() * 7));
  folder_.write("photo.bin", bytes);
  folder_.write("long.txt", std::string(150'000, 'x'));
  FileServer server(
      {{.name = "a", .path = folder_.path(), .ttl = std::chrono::seconds(5), .binary_bytes_max = 200'000}});
  EXPECT_EQ(server.reply("file:///long.txt").text({"result", "ttlMs"}), "5000");
  EXPECT_LT(server.text("file:///long.txt").size(), 103'000U);  // Of text as ever.
  const WireMessage refused = server.reply("file:///photo.bin");
  EXPECT_THAT(refused.text({"error", "data"}), HasSubstr("offset=0&length=200000"));
  const std::string first = server.bytes("file:///photo.bin?offset=0&length=200000");
  EXPECT_EQ(first + server.bytes("file:///photo.bin?offset=200000"), bytes);
  FileServer larger({{.name = "a", .path = folder_.path(), .binary_bytes_max = 250'000}});
  EXPECT_EQ(larger.bytes("file:///photo.bin"), bytes);
}

TEST_F(FileRead, OfAFolderGivesItsListingAndItsTextFiles) {
  folder_.write("docs/a.md", "# A");
  folder_.write("docs/b.png", "\x89PNG");
  folder_.write("docs/c/deep.txt", "not shown");
  folder_.write("docs/huge.txt", std::string(2 * kCap, 'x'));
  folder_.write("docs/z.txt", "Z");
  for (const std::string uri : {"file:///docs/", "file:///docs"}) {
    const WireMessage read = server().reply(uri);
    ASSERT_EQ(read.size({"result", "contents"}), 3U) << read.error();
    EXPECT_EQ(read.text({"result", "contents", 0, "uri"}), uri);
    EXPECT_EQ(read.text({"result", "contents", 0, "mimeType"}), "inode/directory");
    const std::string listing = read.text({"result", "contents", 0, "text"});
    EXPECT_THAT(listing,
                HasSubstr(R"({"uri":"file:///docs/b.png","name":"b.png","mimeType":"image/png","size":4,)"));
    EXPECT_THAT(listing, HasSubstr(R"({"uri":"file:///docs/c/","name":"c","mimeType":"inode/directory",)"));
    EXPECT_THAT(listing, HasSubstr(R"("size":204800)"));
    EXPECT_THAT(listing, HasSubstr(R"("total":5})"));
    EXPECT_EQ(read.text({"result", "contents", 1, "uri"}), "file:///docs/a.md");
    EXPECT_EQ(read.text({"result", "contents", 1, "text"}), "# A");
    EXPECT_EQ(read.text({"result", "contents", 2, "text"}), "Z");
  }
}

TEST_F(FileRead, OfALargeFolderIsBounded) {
  for (int i = 0; i < 1'200; ++i) folder_.write(std::to_string(10'000 + i) + ".txt", std::string(200, 'x'));
  const WireMessage read = server().reply("file:///");
  EXPECT_EQ(read.size({"result", "contents"}), 1U + kCap / 200);
  EXPECT_THAT(read.text({"result", "contents", 0, "text"}), HasSubstr(R"("total":1200})"));
}

TEST_F(FileRead, OfALargeFolderGoesOnBehindTheLastNameShown) {
  for (int i = 0; i < 1'200; ++i) folder_.write("many/" + std::to_string(10'000 + i) + " &.txt", "x");
  const WireMessage first = server().reply("file:///many/?list");
  ASSERT_EQ(first.size({"result", "contents"}), 1U) << first.error();
  const std::string next = first.text({"result", "contents", 0, "_meta", "sluice/next"});
  EXPECT_EQ(next, "file:///many/?list&after=10999%2520%2526.txt");
  const json::Value rest = server::testing::parse(server().text(next));
  ASSERT_EQ(rest.find("entries")->if_array()->size(), 200U);
  EXPECT_EQ(*rest.find("entries")->if_array()->front().find("name")->if_string(), "11000 &.txt");
  EXPECT_EQ(rest.find("next"), nullptr);
  for (const std::string uri :
       {"file:///many/?list&offset=1", "file:///many/?after=", "file:///many/?list=1", "file:///many/?list&",
        "file:///many/10000%20%26.txt?list", "file:///many/10000%20%26.txt?after=a"})
    server().expect_not_found(uri);
}

TEST_F(FileRead, SeesWhatWasWrittenAMomentAgo) {
  folder_.write("a.txt", "one");
  EXPECT_EQ(server().text("file:///a.txt"), "one");
  folder_.write("a.txt", "two");
  EXPECT_EQ(server().text("file:///a.txt"), "two");
}

TEST_F(FileRead, OfNothingNamesTheUriInBothEras) {
  server().expect_not_found("file:///missing.txt");
  const auto legacy = server().connect(server::testing::kLegacyPipe);
  const WireMessage reply = legacy->call("resources/read", R"({"uri":"file:///missing.txt"})");
  EXPECT_EQ(reply.code(), -32002);
  EXPECT_EQ(reply.error(), "Resource not found: file:///missing.txt");
}

}  // namespace
}  // namespace sluice::files::testing
