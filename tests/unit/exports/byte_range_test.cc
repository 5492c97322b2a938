#include "http/byte_range.h"

#include <string>

#include <gtest/gtest.h>

namespace sluice::exports {
namespace {

RequestedRange part(std::uint64_t begin, std::uint64_t end) {
  return {.kind = RangeKind::kPart, .bytes = {.begin = begin, .end = end}};
}

bool operator==(const RequestedRange& a, const RequestedRange& b) {
  return a.kind == b.kind && a.bytes == b.bytes;
}

TEST(ByteRange, ReadsOneRange) {
  EXPECT_TRUE(read_range("bytes=0-0", 10) == part(0, 1));
  EXPECT_TRUE(read_range("bytes=3-5", 10) == part(3, 6));
  EXPECT_TRUE(read_range("bytes=3-", 10) == part(3, 10));
  EXPECT_TRUE(read_range("bytes=3-99", 10) == part(3, 10));
  EXPECT_TRUE(read_range("bytes=9-9", 10) == part(9, 10));
  EXPECT_TRUE(read_range("bytes=-4", 10) == part(6, 10));
  EXPECT_TRUE(read_range("bytes=-99", 10) == part(0, 10));
  EXPECT_TRUE(read_range("Bytes= 1-2 ", 10) == part(1, 3));
  EXPECT_TRUE(read_range("bytes=0-18446744073709551615", 10) == part(0, 10));
}

TEST(ByteRange, SaysWhatCannotBeSatisfied) {
  for (const std::string header : {"bytes=10-", "bytes=10-20", "bytes=18446744073709551615-", "bytes=-0"})
    EXPECT_EQ(read_range(header, 10).kind, RangeKind::kUnsatisfiable) << header;
  EXPECT_EQ(read_range("bytes=0-", 0).kind, RangeKind::kUnsatisfiable);
  EXPECT_EQ(read_range("bytes=-1", 0).kind, RangeKind::kUnsatisfiable);
}

TEST(ByteRange, IgnoresWhatItDoesNotUnderstand) {
  for (const std::string header :
       {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "bytes=5-3", "bytes=1-2,4-5", "lines=1-2",
        "bytes=+1-2", "bytes=1-2-3", "bytes=18446744073709551616-", "bytes=0x1-2", "bytes=1 - 2"})
    EXPECT_EQ(read_range(header, 10).kind, RangeKind::kWhole) << header;
}

// Compared with the definition: the positions of the file that are named.
TEST(ByteRange, AgreesWithAModel) {
  for (std::uint64_t length = 0; length < 6; ++length) {
    for (std::uint64_t first = 0; first < 8; ++first) {
      for (std::uint64_t last = first; last < 8; ++last) {
        const RequestedRange range =
            read_range("bytes=" + std::to_string(first) + "-" + std::to_string(last), length);
        for (std::uint64_t position = 0; position < length; ++position) {
          const bool is_named = position >= first && position <= last;
          const bool is_read =
              range.kind == RangeKind::kPart && position >= range.bytes.begin && position < range.bytes.end;
          EXPECT_EQ(is_read, is_named) << first << '-' << last << '/' << length << '@' << position;
        }
        EXPECT_EQ(range.kind == RangeKind::kUnsatisfiable, first >= length);
        EXPECT_LE(range.bytes.end, length);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::exports
