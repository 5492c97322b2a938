#include "sluice/inspection/byte_stream.h"

#include <gtest/gtest.h>

#include "compressed.h"
#include "temp_folder.h"

namespace sluice::inspection {
namespace {

using testing::gzip;
using testing::zstd;

class ByteStreams : public ::testing::Test {
 protected:
  // The whole content, or the code of the error.
  std::string content(std::string_view bytes, Compression compression) {
    folder_.write("f", bytes);
    const Result<fs::Root> root = fs::Root::open(folder_.path());
    const Result<fs::File> file = root->open_beneath("f");
    const Result<std::unique_ptr<ByteStream>> stream = open_stream(*file, compression, {});
    std::string out;
    while (true) {
      const Result<std::string_view> piece = (*stream)->next();
      if (!piece.ok()) return piece.error().code;
      if (piece->empty()) return out;
      out += *piece;
    }
  }

  Beginning beginning(std::string_view bytes, Compression compression, std::size_t bytes_max) {
    folder_.write("f", bytes);
    const Result<fs::Root> root = fs::Root::open(folder_.path());
    const Result<fs::File> file = root->open_beneath("f");
    return *read_beginning(*file, compression, bytes_max, {});
  }

  fs::TempFolder folder_;
};

std::string long_text() {
  std::string out;
  for (int i = 0; out.size() < 1'500'000; ++i) out += "row " + std::to_string(i) + "\n";
  return out;
}

TEST_F(ByteStreams, GiveTheContentOfEveryCompression) {
  const std::string text = long_text();
  EXPECT_EQ(content(text, Compression::kNone), text);
  EXPECT_EQ(content(gzip(text), Compression::kGzip), text);
  EXPECT_EQ(content(zstd(text), Compression::kZstd), text);
  EXPECT_EQ(content("", Compression::kNone), "");
  EXPECT_EQ(content(gzip(""), Compression::kGzip), "");
  EXPECT_EQ(content(zstd(""), Compression::kZstd), "");
}

TEST_F(ByteStreams, JoinMembersAndFrames) {
  EXPECT_EQ(content(gzip("one,") + gzip("two"), Compression::kGzip), "one,two");
  EXPECT_EQ(content(gzip("padded") + std::string(1'000, '\0'), Compression::kGzip), "padded");
  EXPECT_EQ(content(zstd("one,") + zstd("two"), Compression::kZstd), "one,two");
}

TEST_F(ByteStreams, RefuseDamagedData) {
  const std::string text = long_text();
  EXPECT_EQ(content(gzip(text).substr(0, 5'000), Compression::kGzip), "unreadable_file");
  EXPECT_EQ(content(zstd(text).substr(0, 5'000), Compression::kZstd), "unreadable_file");
  EXPECT_EQ(content("no gzip at all", Compression::kGzip), "unreadable_file");
  EXPECT_EQ(content("no zstd at all", Compression::kZstd), "unreadable_file");
  EXPECT_EQ(content(gzip("a") + "rubbish", Compression::kGzip), "unreadable_file");
  std::string flipped = gzip(text);
  flipped[flipped.size() / 2] ^= 0x10;
  EXPECT_EQ(content(flipped, Compression::kGzip), "unreadable_file");
}

TEST_F(ByteStreams, ABeginningIsReadWithoutTheRest) {
  const std::string zeros(50'000'000, '0');
  const Beginning part = beginning(gzip(zeros), Compression::kGzip, 1'000);
  EXPECT_EQ(part.bytes, std::string(1'000, '0'));
  EXPECT_FALSE(part.is_whole);
  const Beginning whole = beginning(zstd("short"), Compression::kZstd, 1'000);
  EXPECT_EQ(whole.bytes, "short");
  EXPECT_TRUE(whole.is_whole);
}

TEST_F(ByteStreams, StopWhenTheyAreTold) {
  folder_.write("f", long_text());
  const Result<fs::Root> root = fs::Root::open(folder_.path());
  const Result<fs::File> file = root->open_beneath("f");
  std::stop_source stop;
  const auto stream = open_stream(*file, Compression::kNone, {.stop = stop.get_token()});
  ASSERT_TRUE((*stream)->next().ok());
  stop.request_stop();
  EXPECT_EQ((*stream)->next().error().kind, ErrorKind::kCancelled);
}

}  // namespace
}  // namespace sluice::inspection
