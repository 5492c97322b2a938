// Which schemas are taken, and what is said about those that are not.

#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema_testing.h"

namespace sluice::json {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(SchemaCompile, TakesBooleans) {
  EXPECT_TRUE(accepts("true", "1"));
  EXPECT_FALSE(accepts("false", "1"));
}

TEST(SchemaCompile, RefusesWhatIsNoSchema) {
  EXPECT_EQ(refusal("12"), "schema at #: expected an object or a boolean, got a number 12");
  EXPECT_EQ(refusal(R"({"properties":{"a/b":null}})"),
            "schema at #/properties/a~1b: expected an object or a boolean, got null");
}

TEST(SchemaCompile, NamesTheKeywordOfTheWrongType) {
  EXPECT_EQ(refusal(R"({"properties":{"id":{"minimum":"1"}}})"),
            R"(schema at #/properties/id/minimum: expected a number, got a string "1")");
  EXPECT_THAT(refusal(R"({"type":"int"})"), HasSubstr(R"(#/type: not a type: "int")"));
  EXPECT_THAT(refusal(R"({"type":[]})"), HasSubstr("#/type: expected at least one type"));
  EXPECT_THAT(refusal(R"({"required":"a"})"), HasSubstr("#/required: expected an array of strings"));
  EXPECT_THAT(refusal(R"({"required":[1]})"), HasSubstr("#/required: expected an array of strings"));
  EXPECT_THAT(refusal(R"({"enum":1})"), HasSubstr("#/enum: expected an array"));
  EXPECT_THAT(refusal(R"({"maxLength":-1})"),
              HasSubstr("#/maxLength: expected a whole number, not negative, got -1"));
  EXPECT_THAT(refusal(R"({"maxItems":1.5})"), HasSubstr("#/maxItems: expected a whole number"));
  EXPECT_THAT(refusal(R"({"multipleOf":0})"), HasSubstr("#/multipleOf: expected more than 0"));
  EXPECT_THAT(refusal(R"({"uniqueItems":1})"), HasSubstr("#/uniqueItems: expected true or false"));
  EXPECT_THAT(refusal(R"({"pattern":1})"), HasSubstr("#/pattern: expected a string"));
  EXPECT_THAT(refusal(R"({"properties":[]})"), HasSubstr("#/properties: expected an object of schemas"));
  EXPECT_THAT(refusal(R"({"allOf":{}})"), HasSubstr("#/allOf: expected an array of schemas"));
  EXPECT_THAT(refusal(R"({"anyOf":[]})"), HasSubstr("#/anyOf: expected at least one schema"));
  EXPECT_THAT(refusal(R"({"$ref":1})"), HasSubstr("#/$ref: expected a string"));
  EXPECT_THAT(refusal(R"({"dependentRequired":[]})"), HasSubstr("#/dependentRequired: expected an object"));
}

TEST(SchemaCompile, MarksItsErrorsAsTheCallersAndWithACode) {
  const Error error = Schema::compile(Object{{"type", 1}}).error();
  EXPECT_EQ(error.kind, ErrorKind::kInvalidInput);
  EXPECT_EQ(error.code, "invalid_schema");
}

TEST(SchemaCompile, KnowsItsDialects) {
  must_compile(R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})");
  must_compile(R"({"$schema":"http://json-schema.org/draft-07/schema#"})");
  must_compile(R"({"$schema":"http://json-schema.org/draft-07/schema"})");
  EXPECT_THAT(
      refusal(R"({"$schema":"https://json-schema.org/draft/2019-09/schema"})"),
      AllOf(HasSubstr("unsupported dialect"), HasSubstr("https://json-schema.org/draft/2019-09/schema")));
}

TEST(SchemaCompile, ReadsItemsAsAListOnlyInDraft07) {
  constexpr std::string_view kDraft07 =
      R"({"$schema":"http://json-schema.org/draft-07/schema#",
          "items":[{"type":"string"}],"additionalItems":{"type":"null"}})";
  EXPECT_TRUE(accepts(kDraft07, R"(["a",null])"));
  EXPECT_FALSE(accepts(kDraft07, "[1]"));
  EXPECT_FALSE(accepts(kDraft07, R"(["a",1])"));
  EXPECT_THAT(refusal(R"({"items":[{"type":"string"}]})"), HasSubstr("prefixItems takes a list"));
}

TEST(SchemaCompile, HidesTheNeighboursOfARefOnlyInDraft07) {
  EXPECT_TRUE(accepts(R"({"$schema":"http://json-schema.org/draft-07/schema#",
    "definitions":{"a":{"type":"integer"}},"properties":{"x":{"$ref":"#/definitions/a","minimum":5}}})",
                      R"({"x":1})"));
  EXPECT_FALSE(
      accepts(R"({"$defs":{"a":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/a","minimum":5}}})",
              R"({"x":1})"));
}

TEST(SchemaCompile, NeverFetchesAnotherDocument) {
  EXPECT_EQ(refusal(R"({"properties":{"a":{"$ref":"https://example.com/a.json#/x"}}})"),
            "schema at #/properties/a: refers to another document, and those are never fetched: "
            "$ref https://example.com/a.json#/x");
  EXPECT_THAT(refusal(R"({"$ref":"file:///etc/passwd"})"),
              HasSubstr("never fetched: $ref file:///etc/passwd"));
  EXPECT_THAT(refusal(R"({"$dynamicRef":"other.json#node"})"),
              HasSubstr("never fetched: $dynamicRef other.json#node"));
}

TEST(SchemaCompile, NamesAReferenceToNothing) {
  EXPECT_EQ(refusal(R"({"$ref":"#/$defs/nope"})"),
            "schema at #: refers to nothing in this document: $ref #/$defs/nope");
  EXPECT_THAT(refusal(R"({"$ref":"#nope"})"), HasSubstr("refers to nothing in this document"));
  EXPECT_THAT(refusal(R"({"allOf":[true],"$ref":"#/allOf/1"})"),
              HasSubstr("refers to nothing in this document"));
  EXPECT_THAT(refusal(R"({"$ref":"#/%zz"})"), HasSubstr("not a URI reference"));
}

TEST(SchemaCompile, FindsReferencesInsideTheDocument) {
  EXPECT_FALSE(accepts(R"({"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"type":"null"}}})", "1"));
  EXPECT_FALSE(accepts(R"({"$ref":"#here","$defs":{"a":{"$anchor":"here","type":"null"}}})", "1"));
  EXPECT_FALSE(accepts(R"({"$ref":"node.json","$defs":{"a":{"$id":"node.json","type":"null"}}})", "1"));
  EXPECT_FALSE(
      accepts(R"({"$ref":"./b/../node.json","$defs":{"a":{"$id":"node.json","type":"null"}}})", "1"));
  EXPECT_FALSE(accepts(R"({"$ref":"#/anything/0","anything":[{"type":"null"}]})", "1"));
  EXPECT_FALSE(accepts(
      R"({"$id":"https://x.test/a/b","$ref":"/c#/not",
          "$defs":{"q":{"$id":"../c","not":false}},"type":"null"})",
      "1"));
}

TEST(SchemaCompile, RefusesWhatCannotBeToldApart) {
  EXPECT_THAT(refusal(R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})"),
              HasSubstr("another schema has the same $id: x"));
  EXPECT_THAT(refusal(R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})"),
              HasSubstr("another schema has the same anchor: x"));
  EXPECT_THAT(refusal(R"({"$defs":{"a":{"$id":"#x"}}})"), HasSubstr("$id may not have a fragment"));
}

std::string pattern_refusal(std::string_view pattern) {
  const Result<Schema> schema = Schema::compile(Object{{"pattern", pattern}});
  EXPECT_FALSE(schema.ok()) << "it compiles: " << pattern;
  return schema.ok() ? "" : schema.error().message;
}

TEST(SchemaCompile, SaysThatPatternsDoNotBacktrack) {
  EXPECT_EQ(pattern_refusal("^(?=a)b"),
            "schema at #/pattern: lookahead is not supported in patterns, which run in linear time: ^(?=a)b");
  EXPECT_THAT(pattern_refusal("(?!a)"), HasSubstr("lookahead"));
  EXPECT_THAT(pattern_refusal("(?<=a)b"), HasSubstr("lookbehind"));
  EXPECT_THAT(pattern_refusal("(?<!a)b"), HasSubstr("lookbehind"));
  EXPECT_THAT(pattern_refusal("(a)\\1"), HasSubstr("a backreference"));
  EXPECT_THAT(pattern_refusal("(?<n>a)\\k<n>"), HasSubstr("a backreference"));
  EXPECT_THAT(refusal(R"({"patternProperties":{"a(?=b)c":true}})"),
              HasSubstr("#/patternProperties: lookahead"));
}

TEST(SchemaCompile, RefusesBrokenPatterns) {
  for (const std::string_view pattern :
       {"(", "[", "*a", "a{2,1}", "\\", "\\u12", "\\A", "\\p{Nope}", "\\p{L"}) {
    EXPECT_THAT(pattern_refusal(pattern), StartsWith("schema at #/pattern: ")) << pattern;
  }
}

TEST(SchemaCompile, ReadsPatternsAsEcmaScriptDoes) {
  const auto matches = [](std::string_view pattern, std::string_view text) {
    const Schema schema = *Schema::compile(Object{{"pattern", pattern}});
    return schema.validate(text).empty();
  };
  EXPECT_TRUE(matches("b", "abc")) << "a pattern is not anchored";
  EXPECT_FALSE(matches("^a$", "a\n")) << "$ is the end of the text";
  EXPECT_FALSE(matches("^a.c$", "a\nc"));
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^[[:a]+$", ":[a")) << "no POSIX classes";
  EXPECT_TRUE(matches("^\\u00e9\\u{1f600}$", "é😀"));
  EXPECT_TRUE(matches("^\\ud83d\\ude00$", "😀"));
  EXPECT_TRUE(matches("^\\cJ[\\b]\\0$", std::string_view("\n\b\0", 3)));
  EXPECT_TRUE(matches("^(?<year>\\d{4})\\/\\-$", "2026/-"));
  EXPECT_TRUE(matches("^\\p{Letter}\\p{Lu}\\P{L}\\p{Script=Greek}$", "éÄ1λ"));
  EXPECT_TRUE(matches("^.$", "😀")) << "characters, not bytes";
}

TEST(SchemaCompile, TakesFormatsAsRemarksUnlessAsked) {
  EXPECT_TRUE(accepts(R"({"format":"ipv4"})", R"("300.1.1.1")"));
  const Schema strict = must_compile(R"({"format":"ipv4"})", {.assert_formats = true});
  EXPECT_FALSE(strict.validate("300.1.1.1").empty());
  EXPECT_TRUE(strict.validate(12).empty()) << "only strings have formats";
  const Schema unknown = must_compile(R"({"format":"klingon"})", {.assert_formats = true});
  EXPECT_TRUE(unknown.validate("x").empty());
}

TEST(SchemaCompile, ComparesNumbersExactly) {
  EXPECT_FALSE(accepts(R"({"maximum":9007199254740992})", "9007199254740993"));
  EXPECT_FALSE(accepts(R"({"exclusiveMinimum":0.1})", "0.1000"));
  EXPECT_TRUE(accepts(R"({"minimum":-1e400})", "-1e399"));
  EXPECT_FALSE(accepts(R"({"minimum":-1e399})", "-1e400"));
  EXPECT_TRUE(accepts(R"({"minimum":0,"maximum":0})", "-0.0"));
  EXPECT_FALSE(accepts(R"({"maximum":-5})", "-4.999"));
  EXPECT_TRUE(accepts(R"({"maximum":100})", "1e2"));
}

TEST(SchemaCompile, DividesNumbersExactly) {
  EXPECT_TRUE(accepts(R"({"multipleOf":0.01})", "0.07"));
  EXPECT_TRUE(accepts(R"({"multipleOf":0.01})", "19.99"));
  EXPECT_FALSE(accepts(R"({"multipleOf":0.01})", "0.075"));
  EXPECT_TRUE(accepts(R"({"multipleOf":3})", "123456789012345678901234567890"));
  EXPECT_FALSE(accepts(R"({"multipleOf":3})", "123456789012345678901234567891"));
  EXPECT_TRUE(accepts(R"({"multipleOf":0.5})", "-1e300"));
  EXPECT_TRUE(accepts(R"({"multipleOf":1024})", "1e2000000000"));
  EXPECT_FALSE(accepts(R"({"multipleOf":3})", "1e2000000000"));
  EXPECT_FALSE(accepts(R"({"multipleOf":10})", "5"));
  EXPECT_TRUE(accepts(R"({"multipleOf":7})", "0"));
  EXPECT_TRUE(accepts(R"({"multipleOf":1e-8})", "12391239123"));
}

TEST(SchemaCompile, CallsWholeNumbersIntegersHoweverTheyAreWritten) {
  EXPECT_TRUE(accepts(R"({"type":"integer"})", "1.0"));
  EXPECT_TRUE(accepts(R"({"type":"integer"})", "1e400"));
  EXPECT_FALSE(accepts(R"({"type":"integer"})", "1e-1"));
}

TEST(SchemaCompile, KeepsNothingOfTheSourceAndCanMove) {
  Result<Schema> first = [] {
    const Value source = parse(R"({"properties":{"a":{"enum":["x"]}}})");
    return Schema::compile(source);
  }();
  Schema second = std::move(first).value();
  Schema third = must_compile("true");
  third = std::move(second);
  EXPECT_FALSE(third.validate(parse(R"({"a":"y"})")).empty());
}

TEST(SchemaCompile, ValidatesOnSeveralThreadsAtOnce) {
  const Schema schema = must_compile(R"({"items":{"pattern":"^[a-f]+$","minLength":2},"uniqueItems":true})");
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&schema] {
      const Value good = parse(R"(["ab","cd"])");
      const Value bad = parse(R"(["xy"])");
      for (int round = 0; round < 500; ++round) {
        EXPECT_THAT(schema.validate(good), IsEmpty());
        EXPECT_EQ(schema.validate(bad).size(), 1U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace sluice::json
