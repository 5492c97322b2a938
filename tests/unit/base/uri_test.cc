#include "sluice/base/uri.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/base/uri_path.h"

namespace sluice {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(ResourceUri, KeepsTheTextThatArrived) {
  for (const char* text : {"file:///a/b.txt", "duck:///x?y=1&z=%20#f", "urn:isbn:0", "A+b-c.9:x",
                           "u:", "u://[::1]:8/", "u://è", "u:%C3%A8", "u:%ff", "u://a@b:c;d=e,f!$&'()*"}) {
    const auto uri = ResourceUri::parse(text);
    ASSERT_TRUE(uri.ok()) << text;
    EXPECT_EQ(uri->text(), text);
  }
}

TEST(ResourceUri, NamesItsScheme) { EXPECT_EQ(ResourceUri::parse("file:///a:b")->scheme(), "file"); }

TEST(ResourceUri, RefusesARelativeReference) {
  for (const char* text :
       {"", "a", "/a/b", "//host/a", "1a:b", ":b", "a_b:c", "a b:c", "%41:b", "è:b", "../a", "?q"}) {
    const auto uri = ResourceUri::parse(text);
    ASSERT_FALSE(uri.ok()) << text;
    EXPECT_EQ(uri.error().code, "invalid_uri");
    EXPECT_EQ(uri.error().kind, ErrorKind::kInvalidInput);
  }
}

TEST(ResourceUri, RefusesWhatMustBeEscaped) {
  for (const char* text : {"u:a b", "u:a\nb", "u:\t", "u:\x7f", "u:<", "u:>", "u:\"", "u:\\", "u:^", "u:`",
                           "u:{a}", "u:|", "u:%", "u:%2", "u:%zz", "u:%%41", "u:a%4"}) {
    const auto uri = ResourceUri::parse(text);
    ASSERT_FALSE(uri.ok()) << text;
    EXPECT_EQ(uri.error().code, "invalid_uri");
  }
  EXPECT_FALSE(ResourceUri::parse(std::string_view("u:a\0b", 5)).ok());
}

TEST(ResourceUri, RefusesBytesThatAreNotUtf8) {
  EXPECT_FALSE(ResourceUri::parse("u:\xff").ok());
  EXPECT_FALSE(ResourceUri::parse("u:\xc3").ok());
}

TEST(ResourceUri, IsBounded) {
  EXPECT_TRUE(ResourceUri::parse("u:" + std::string(8 * 1024 - 2, 'a')).ok());
  const auto over = ResourceUri::parse("u:" + std::string(8 * 1024 - 1, 'a'));
  ASSERT_FALSE(over.ok());
  EXPECT_LT(over.error().message.size(), 200U);
}

TEST(ResourceUri, DoesNotPutControlCharactersIntoItsErrors) {
  const auto uri = ResourceUri::parse("u:a\r\nfake: header\x1b[31m");
  ASSERT_FALSE(uri.ok());
  EXPECT_THAT(uri.error().message, testing::Not(HasSubstr("\n")));
  EXPECT_THAT(uri.error().message, testing::Not(HasSubstr("\x1b")));
}

TEST(PercentDecode, DecodesEveryByte) {
  EXPECT_EQ(*percent_decode(""), "");
  EXPECT_EQ(*percent_decode("%41b"), "Ab");
  EXPECT_EQ(*percent_decode("%c3%A8"), "è");
  EXPECT_EQ(*percent_decode("a+b"), "a+b");
  EXPECT_EQ(*percent_decode("%2541"), "%41");
  EXPECT_THAT(*percent_decode("a%00b"), SizeIs(3));
}

TEST(PercentDecode, RefusesBrokenEscapes) {
  for (const char* text : {"%", "%4", "a%", "a%4", "%zz", "%4z", "%z4", "%%41", "% 41", "%-1"}) {
    EXPECT_FALSE(percent_decode(text).ok()) << text;
  }
}

TEST(PercentEncode, KeepsOnlyUnreservedCharacters) {
  EXPECT_EQ(percent_encode("azAZ09-._~"), "azAZ09-._~");
  EXPECT_EQ(percent_encode("/?#&= %è"), "%2F%3F%23%26%3D%20%25%C3%A8");
  EXPECT_EQ(percent_encode(std::string_view("\0\xff", 2)), "%00%FF");
}

TEST(PercentEncodePath, KeepsTheSlashes) {
  EXPECT_EQ(percent_encode_path(""), "");
  EXPECT_EQ(percent_encode_path("a b/c?.txt"), "a%20b/c%3F.txt");
  EXPECT_EQ(percent_encode_path("/a//b/"), "/a//b/");
}

TEST(PercentEncode, IsUndoneByDecode) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(*percent_decode(percent_encode(all)), all);
}

}  // namespace
}  // namespace sluice
