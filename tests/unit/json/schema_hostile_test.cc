// Schemas and values that are made to hurt.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema_testing.h"

namespace sluice::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// Built by hand: the reader would stop at 64 levels of JSON.
Value nested_schema(std::size_t levels) {
  Value schema(true);
  for (std::size_t i = 0; i < levels; ++i) schema = Object{{"not", std::move(schema)}};
  return schema;
}

std::string only_problem(std::string_view schema, const Value& value) {
  const std::vector<std::string> told = problems(must_compile(schema), value);
  EXPECT_THAT(told, SizeIs(1));
  return told.empty() ? "" : told[0];
}

TEST(SchemaHostile, StopsAtAReferenceToItself) {
  EXPECT_THAT(only_problem(R"({"$ref":"#"})", 1), HasSubstr("schema too expensive"));
  EXPECT_THAT(only_problem(R"({"not":{"$ref":"#"}})", 1), HasSubstr("schema too expensive"));
  EXPECT_THAT(only_problem(R"({"anyOf":[{"$ref":"#"},true]})", 1), HasSubstr("schema too expensive"));
  EXPECT_THAT(only_problem(R"({"$dynamicAnchor":"a","$dynamicRef":"#a"})", 1),
              HasSubstr("schema too expensive"));
  EXPECT_THAT(only_problem(R"({"if":{"$ref":"#"}})", 1), HasSubstr("schema too expensive"));
}

TEST(SchemaHostile, StopsAtReferencesToEachOther) {
  EXPECT_THAT(
      only_problem(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})", 1),
      HasSubstr("perhaps through a $ref to itself"));
}

TEST(SchemaHostile, StopsWhereReferencesDouble) {
  EXPECT_THAT(only_problem(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", 1), HasSubstr("schema too expensive"));
  std::string doubling = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 60; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    doubling.append("\"d").append(std::to_string(i)).append(R"(":{"allOf":[)");
    doubling.append(next).append(",").append(next).append("]},");
  }
  EXPECT_THAT(only_problem(doubling + R"("d60":true}})", 1),
              "arguments: schema too expensive: checking this value takes more than 1000000 steps");
}

TEST(SchemaHostile, FollowsRecursionThatMakesProgress) {
  constexpr std::string_view kTree =
      R"({"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false})";
  EXPECT_THAT(problems(kTree, repeat(R"({"next":)", 60) + "{}" + repeat("}", 60)), IsEmpty());
  EXPECT_THAT(problems(kTree, repeat(R"({"next":)", 2) + "7" + repeat("}", 2)),
              ElementsAre("arguments.next.next: expected an object, got a number 7"));
}

TEST(SchemaHostile, TakesTenThousandSchemasAndNotOneMore) {
  EXPECT_TRUE(Schema::compile(parse(R"({"anyOf":[)" + repeat("true,", 9'998) + "true]}")).ok());
  EXPECT_THAT(refusal(R"({"anyOf":[)" + repeat("true,", 9'999) + "true]}"),
              HasSubstr("schemas in one document: at most 10000"));
}

TEST(SchemaHostile, TakesSixtyFourLevelsOfSchemas) {
  EXPECT_TRUE(Schema::compile(nested_schema(64)).ok());
  const Result<Schema> deeper = Schema::compile(nested_schema(65));
  ASSERT_FALSE(deeper.ok());
  EXPECT_EQ(deeper.error().kind, ErrorKind::kLimitReached);
}

TEST(SchemaHostile, BoundsPatterns) {
  EXPECT_THAT(refusal(R"({"pattern":")" + std::string(5000, 'a') + "\"}"),
              HasSubstr("bytes in a pattern: at most 4096"));
  for (const std::string_view pattern : {"((((a{100}){100}){100}){100})", "(((\\p{L}{20}){20}){20})"}) {
    EXPECT_FALSE(Schema::compile(Object{{"pattern", pattern}}).ok()) << pattern;
  }
  std::string many = R"({"patternProperties":{)";
  for (int i = 0; i < 256; ++i) many += "\"p" + std::to_string(i) + "\":true,";
  EXPECT_THAT(refusal(many + R"("x":true}})"), HasSubstr("patterns in one schema: at most 256"));
}

TEST(SchemaHostile, CountsARepeatedPatternOnce) {
  std::string many = R"({"anyOf":[)";
  for (int i = 0; i < 1000; ++i) many += R"({"pattern":"^a$"},)";
  EXPECT_TRUE(Schema::compile(parse(many + "true]}")).ok());
}

TEST(SchemaHostile, MatchesInLinearTime) {
  const std::string text = std::string(100'000, 'a') + "!";
  EXPECT_FALSE(must_compile(R"({"pattern":"^(a+)+$"})").validate(text).empty());
}

TEST(SchemaHostile, FindsEqualItemsAmongManyWithoutComparingAllPairs) {
  Array items;
  for (int i = 0; i < 100'000; ++i) items.emplace_back(i);
  const Schema schema = must_compile(R"({"uniqueItems":true})");
  EXPECT_THAT(problems(schema, items), IsEmpty());
  items.emplace_back(Number{"777.0"});
  EXPECT_THAT(problems(schema, items),
              ElementsAre("arguments: must not repeat an item, but [777] and [100000] are equal"));
}

TEST(SchemaHostile, StopsAtALargeValueUnderManySchemas) {
  const Array items(200'000, Value(1));
  EXPECT_THAT(only_problem(R"({"items":{"anyOf":[)" + repeat(R"({"type":"string"},)", 50) + "true]}}", items),
              HasSubstr("schema too expensive"));
  EXPECT_THAT(only_problem(R"({"items":{"allOf":[)" + repeat("true,", 50) + "true]}}", items),
              HasSubstr("schema too expensive"));
}

TEST(SchemaHostile, StopsAtManyRequiredNamesInALargeObject) {
  Object object;
  for (int i = 0; i < 100'000; ++i) object.append_unchecked("k" + std::to_string(i), 0);
  std::string required = R"({"required":[)";
  for (int i = 0; i < 5'000; ++i) required += "\"k" + std::to_string(99'999 - i) + "\",";
  EXPECT_THAT(only_problem(required + R"("k0"]})", object), HasSubstr("schema too expensive"));
}

TEST(SchemaHostile, BoundsTheWorkForUnevaluatedProperties) {
  Object object;
  for (int i = 0; i < 50'000; ++i) object.append_unchecked("k" + std::to_string(i), 0);
  const std::string schema =
      R"({"unevaluatedProperties":false,"anyOf":[)" + repeat("true,", 5'000) + "true]}";
  EXPECT_THAT(only_problem(schema, object), HasSubstr("schema too expensive"));
}

TEST(SchemaHostile, KeepsNamesFromShapingThePath) {
  const Value value = Object{{"a\nb\"]: fine", 1}};
  EXPECT_THAT(problems(must_compile(R"({"additionalProperties":{"type":"null"}})"), value),
              ElementsAre(R"(arguments["a b\"]: fine"]: expected null, got a number 1)"));
}

TEST(SchemaHostile, KeepsMessagesShortWhateverTheSchema) {
  Array choices;
  for (int i = 0; i < 100; ++i) choices.emplace_back(std::string(10'000, 'x'));
  const Schema schema = *Schema::compile(Object{{"enum", choices}});
  EXPECT_LT(problems(schema, 1)[0].size(), 2'000U);
}

}  // namespace
}  // namespace sluice::json
