#include "sluice/protocol/wire/header_value.h"

#include <gmock/gmock.h>

namespace sluice::protocol {
namespace {

using ::testing::Optional;

// The examples of the specification's page on Streamable HTTP.
TEST(HeaderValue, EncodesAsTheSpecificationShows) {
  EXPECT_EQ(encode_header_value("us-west1"), "us-west1");
  EXPECT_EQ(encode_header_value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
  EXPECT_EQ(encode_header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
  EXPECT_EQ(encode_header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
  EXPECT_EQ(encode_header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

TEST(HeaderValue, DecodesBothForms) {
  EXPECT_THAT(decode_header_value("plain"), Optional(std::string("plain")));
  EXPECT_THAT(decode_header_value("=?base64?SGVsbG8=?="), Optional(std::string("Hello")));
  EXPECT_THAT(decode_header_value(""), Optional(std::string()));
}

TEST(HeaderValue, TakesAHalfWrappedValueLiterally) {
  EXPECT_THAT(decode_header_value("=?base64?SGVsbG8="), Optional(std::string("=?base64?SGVsbG8=")));
  EXPECT_THAT(decode_header_value("=?BASE64?SGVsbG8=?="), Optional(std::string("=?BASE64?SGVsbG8=?=")));
}

TEST(HeaderValue, RefusesBrokenBase64AndBytesThatAreNotText) {
  for (const std::string_view value : {"=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?=",
                                       "caf\xc3\xa9", "a\x01z", "a\x7f"}) {
    EXPECT_FALSE(decode_header_value(value).has_value()) << value;
  }
}

}  // namespace
}  // namespace sluice::protocol
