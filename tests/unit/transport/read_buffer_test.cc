#include "http/read_buffer.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace sluice::transport {
namespace {

void read_into(ReadBuffer& buffer, const std::string& text) {
  const std::span<char> room = buffer.prepare(text.size());
  std::copy(text.begin(), text.end(), room.begin());
  buffer.commit(text.size());
}

TEST(ReadBuffer, GivesBackWhatWasReadInOrder) {
  ReadBuffer buffer;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string text(static_cast<std::size_t>(i % 97), static_cast<char>('a' + i % 26));
    read_into(buffer, text);
    expected += text;
    const std::size_t taken = std::min<std::size_t>(expected.size(), 48);
    EXPECT_EQ(buffer.view(), expected);
    buffer.consume(taken);
    expected.erase(0, taken);
  }
}

TEST(ReadBuffer, StaysWhereItIsWhileAReadIsUnderWay) {
  ReadBuffer buffer;
  read_into(buffer, "first");
  const std::span<char> room = buffer.prepare(6);
  buffer.consume(5);
  const std::string second = "second";
  std::copy(second.begin(), second.end(), room.begin());
  buffer.commit(6);
  EXPECT_EQ(buffer.view(), "second");
}

TEST(ReadBuffer, IsBounded) {
  ReadBuffer buffer;
  EXPECT_EQ(buffer.prepare(1'000'000).size(), 65'536U);
  buffer.commit(65'000);
  EXPECT_EQ(buffer.prepare(1'000'000).size(), 536U);
  buffer.commit(536);
  EXPECT_TRUE(buffer.prepare(1).empty());
  buffer.consume(1);
  EXPECT_EQ(buffer.prepare(10).size(), 1U);
}

}  // namespace
}  // namespace sluice::transport
