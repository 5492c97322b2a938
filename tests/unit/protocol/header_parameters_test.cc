#include "sluice/protocol/wire/header_parameters.h"

#include <gmock/gmock.h>

#include "sluice/json/reader.h"

namespace sluice::protocol {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Value schema(std::string_view text) { return json::read(text).value(); }
json::Object arguments(std::string_view text) { return *json::read(text).value().if_object(); }

constexpr std::string_view kTool = R"({"type":"object","properties":{
  "region":{"type":"string","x-mcp-header":"Region"},
  "shard":{"type":"integer","x-mcp-header":"Shard"},
  "dry":{"type":"boolean","x-mcp-header":"Dry"},
  "where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}})";

std::string check(std::string_view body, const std::vector<std::pair<std::string, std::string>>& headers) {
  return check_header_parameters(find_header_parameters(schema(kTool)).value(), arguments(body), headers);
}

TEST(HeaderParameters, AreFoundByPropertiesAlone) {
  const auto found = find_header_parameters(schema(kTool)).value();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[3].header, "zone");
  EXPECT_THAT(found[3].path, ::testing::ElementsAre("where", "zone"));
}

TEST(HeaderParameters, RefuseBrokenAnnotations) {
  for (
      const std::string_view text :
      {R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
       R"({"properties":{"a":{"type":"string","x-mcp-header":"a b"}}})",
       R"({"properties":{"a":{"type":"string","x-mcp-header":"a\r\nb"}}})",
       R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})",
       R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
       R"({"properties":{"a":{"x-mcp-header":"A"}}})",
       R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
       R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
       R"({"properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}})"}) {
    EXPECT_FALSE(find_header_parameters(schema(text)).ok()) << text;
  }
}

TEST(HeaderParameters, MatchTheBody) {
  EXPECT_THAT(check(R"({"region":"us","shard":42,"dry":true,"where":{"zone":"a"}})",
                    {{"region", "us"}, {"shard", "42.0"}, {"dry", "true"}, {"zone", "a"}}),
              IsEmpty());
  EXPECT_THAT(check(R"({"region":"Hello"})", {{"region", "=?base64?SGVsbG8=?="}}), IsEmpty());
  EXPECT_THAT(check(R"({"region":null})", {}), IsEmpty());
  EXPECT_THAT(check(R"({})", {{"unknown", "x"}}), IsEmpty());
}

TEST(HeaderParameters, AreRefusedWhereTheyDiffer) {
  EXPECT_THAT(check(R"({"region":"us"})", {}), HasSubstr("missing"));
  EXPECT_THAT(check(R"({"region":"us"})", {{"region", "eu"}}), HasSubstr("does not match"));
  EXPECT_THAT(check(R"({"shard":42})", {{"shard", "43"}}), HasSubstr("does not match"));
  EXPECT_THAT(check(R"({"shard":42})", {{"shard", "42x"}}), HasSubstr("does not match"));
  EXPECT_THAT(check(R"({"dry":true})", {{"dry", "True"}}), HasSubstr("does not match"));
  EXPECT_THAT(check(R"({})", {{"region", "us"}}), HasSubstr("no value"));
  EXPECT_THAT(check(R"({"region":"us"})", {{"region", "=?base64?!?="}}), HasSubstr("invalid"));
}

}  // namespace
}  // namespace sluice::protocol
