#include "sluice/host/address.h"

#include <gmock/gmock.h>

namespace sluice::host {
namespace {

TEST(ParseAddress, TakesAPortOrAHostAndAPort) {
  EXPECT_EQ(parse_address("8765").value().host, "127.0.0.1");
  EXPECT_EQ(parse_address("8765").value().port, 8765);
  EXPECT_EQ(parse_address("0.0.0.0:80").value().host, "0.0.0.0");
  EXPECT_EQ(parse_address("localhost:0").value().port, 0);
  EXPECT_EQ(parse_address("[::1]:99").value().host, "::1");
}

TEST(ParseAddress, RefusesTheRest) {
  for (const std::string_view text :
       {"", ":", ":80", "host", "host:", "65536", "-1", "80x", "::1:80", "a:b:80", "127.0.0.1:99999"}) {
    const Result<Address> address = parse_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code, "invalid_address");
  }
}

TEST(IsLoopback, IsNotFooledByNames) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.1.2.3"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_TRUE(is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("127.0.0.1.example.org"));
  EXPECT_FALSE(is_loopback("localhost.example.org"));
  EXPECT_FALSE(is_loopback("::"));
}

}  // namespace
}  // namespace sluice::host
