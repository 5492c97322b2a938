// What an agent reads when its call does not fit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema_testing.h"

namespace sluice::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SchemaMessage, NamesTheExpectedTypeAndTheValue) {
  EXPECT_THAT(problems(R"({"type":"integer"})", R"("12")"),
              ElementsAre(R"(arguments: expected an integer, got a string "12")"));
  EXPECT_THAT(problems(R"({"type":"integer"})", "1.5"),
              ElementsAre("arguments: expected an integer, got a number 1.5"));
  EXPECT_THAT(problems(R"({"type":"string"})", "true"),
              ElementsAre("arguments: expected a string, got a boolean true"));
  EXPECT_THAT(problems(R"({"type":"object"})", "[1]"),
              ElementsAre("arguments: expected an object, got an array of 1 item"));
  EXPECT_THAT(problems(R"({"type":"array"})", R"({"a":1,"b":2})"),
              ElementsAre("arguments: expected an array, got an object of 2 properties"));
}

TEST(SchemaMessage, ListsTheTypesThatAreAllowed) {
  EXPECT_THAT(problems(R"({"type":["null","string","number"]})", "[]"),
              ElementsAre("arguments: expected a string, a number or null, got an array of 0 items"));
}

TEST(SchemaMessage, GivesThePathToTheValue) {
  constexpr std::string_view kSchema =
      R"({"properties":{"filters":{"items":{"properties":{"op":{"enum":["=","<"]}}}}}})";
  EXPECT_THAT(problems(kSchema, R"({"filters":[{"op":"="},{"op":"<"},{"op":"=="}]})"),
              ElementsAre(R"(arguments.filters[2].op: must be one of "=", "<", got "==")"));
}

TEST(SchemaMessage, QuotesKeysThatAreNoNames) {
  EXPECT_THAT(problems(R"({"additionalProperties":{"type":"null"}})", R"({"a b":1,"":2})"),
              ElementsAre(R"(arguments["a b"]: expected null, got a number 1)",
                          R"(arguments[""]: expected null, got a number 2)"));
}

TEST(SchemaMessage, NamesWhatIsMissing) {
  EXPECT_THAT(problems(R"({"required":["query","limit"]})", R"({"limit":1})"),
              ElementsAre("arguments.query: required, but missing"));
}

TEST(SchemaMessage, SuggestsThePropertyThatWasMeant) {
  constexpr std::string_view kSchema =
      R"({"properties":{"limit":{"type":"integer"},"offset":{}},"additionalProperties":false})";
  EXPECT_THAT(problems(kSchema, R"({"limt":5})"),
              ElementsAre(R"(arguments: unknown property "limt"; did you mean "limit"?)"));
  EXPECT_THAT(problems(kSchema, R"({"colour":5})"), ElementsAre(R"(arguments: unknown property "colour")"));
}

TEST(SchemaMessage, SuggestsPropertiesOfOtherSchemasForTheSameValue) {
  constexpr std::string_view kSchema = R"({
    "allOf":[{"$ref":"#/$defs/page"}],
    "properties":{"query":{}},
    "unevaluatedProperties":false,
    "$defs":{"page":{"properties":{"limit":{}}}}})";
  EXPECT_THAT(problems(kSchema, R"({"limt":5,"query":1})"),
              ElementsAre(R"(arguments: unknown property "limt"; did you mean "limit"?)"));
}

TEST(SchemaMessage, ListsTheChoices) {
  EXPECT_THAT(problems(R"({"enum":["a","b","c"]})", R"("d")"),
              ElementsAre(R"(arguments: must be one of "a", "b", "c", got "d")"));
  EXPECT_THAT(problems(R"({"enum":[1,null]})", "2"), ElementsAre("arguments: must be one of 1, null, got 2"));
  EXPECT_THAT(problems(R"({"const":"x"})", "2"), ElementsAre(R"(arguments: must be "x", got 2)"));
  EXPECT_THAT(problems(R"({"type":"string","enum":["a","b"]})", "3"),
              ElementsAre(R"(arguments: must be one of "a", "b", got 3)"));
}

TEST(SchemaMessage, CutsALongListOfChoicesAndSuggestsOne) {
  Array names;
  for (int i = 0; i < 40; ++i) names.emplace_back("column_" + std::to_string(i));
  names.emplace_back("revenue");
  const Schema schema = *Schema::compile(Object{{"enum", names}});
  const std::vector<std::string> told = problems(schema, "revenu");
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0], HasSubstr(R"("column_11" and 29 more, got "revenu"; did you mean "revenue"?)"));
}

TEST(SchemaMessage, SaysWhichBoundIsMissed) {
  EXPECT_THAT(problems(R"({"maximum":100})", "250"), ElementsAre("arguments: must be at most 100, got 250"));
  EXPECT_THAT(problems(R"({"minimum":1})", "0"), ElementsAre("arguments: must be at least 1, got 0"));
  EXPECT_THAT(problems(R"({"exclusiveMaximum":1.5})", "1.5"),
              ElementsAre("arguments: must be less than 1.5, got 1.5"));
  EXPECT_THAT(problems(R"({"exclusiveMinimum":0})", "0"),
              ElementsAre("arguments: must be more than 0, got 0"));
  EXPECT_THAT(problems(R"({"multipleOf":0.01})", "0.075"),
              ElementsAre("arguments: must be a multiple of 0.01, got 0.075"));
}

TEST(SchemaMessage, CountsCharactersItemsAndProperties) {
  EXPECT_THAT(problems(R"({"maxLength":3})", R"("äöü!")"),
              ElementsAre("arguments: must have at most 3 characters, got 4"));
  EXPECT_THAT(problems(R"({"minLength":1})", R"("")"),
              ElementsAre("arguments: must have at least 1 character, got 0"));
  EXPECT_THAT(problems(R"({"minItems":2})", "[1]"),
              ElementsAre("arguments: must have at least 2 items, got 1"));
  EXPECT_THAT(problems(R"({"maxProperties":1})", R"({"a":1,"b":1})"),
              ElementsAre("arguments: must have at most 1 property, got 2"));
  EXPECT_THAT(problems(R"({"prefixItems":[true,true],"items":false})", "[1,2,3]"),
              ElementsAre("arguments: must have at most 2 items, got 3"));
}

TEST(SchemaMessage, QuotesThePattern) {
  EXPECT_THAT(problems(R"({"pattern":"^[a-z]+$"})", R"("ABC")"),
              ElementsAre(R"(arguments: does not match the pattern ^[a-z]+$, got "ABC")"));
}

TEST(SchemaMessage, NamesTheItemsThatAreEqual) {
  EXPECT_THAT(problems(R"({"uniqueItems":true})", R"([{"a":1,"b":2},3,{"b":2.0,"a":1}])"),
              ElementsAre("arguments: must not repeat an item, but [0] and [2] are equal"));
}

TEST(SchemaMessage, CountsMatchingItems) {
  EXPECT_THAT(problems(R"({"contains":{"const":1},"minContains":2})", "[1,2]"),
              ElementsAre("arguments: must contain at least 2 matching items, got 1"));
}

TEST(SchemaMessage, SaysWhatDependsOnWhat) {
  EXPECT_THAT(problems(R"({"dependentRequired":{"card":["address"]}})", R"({"card":1})"),
              ElementsAre(R"(arguments.address: required together with "card", but missing)"));
}

TEST(SchemaMessage, PutsTheNameInFrontOfItsProblem) {
  EXPECT_THAT(problems(R"({"propertyNames":{"maxLength":3}})", R"({"long_name":1})"),
              ElementsAre(R"(arguments: property name "long_name": must have at most 3 characters, got 9)"));
}

TEST(SchemaMessage, SaysWhatIsExcluded) {
  EXPECT_THAT(problems(R"({"not":{"type":"string"}})", R"("x")"),
              ElementsAre("arguments: must not be a string"));
  EXPECT_THAT(problems(R"({"not":{"const":7}})", "7"), ElementsAre("arguments: must not be 7"));
  EXPECT_THAT(problems(R"({"not":{"required":["a","b"]}})", R"({"a":1,"b":1})"),
              ElementsAre(R"(arguments: must not have the properties "a" together with "b")"));
  EXPECT_THAT(problems(R"({"properties":{"x":false}})", R"({"x":1})"),
              ElementsAre("arguments.x: is not allowed here"));
}

TEST(SchemaMessage, JoinsAlternativesThatDifferByType) {
  EXPECT_THAT(problems(R"({"anyOf":[{"type":"integer"},{"type":"null"}]})", R"("12")"),
              ElementsAre(R"(arguments: expected an integer or null, got a string "12")"));
  EXPECT_THAT(
      problems(R"({"oneOf":[{"$ref":"#/$defs/a"},{"type":"null"}],"$defs":{"a":{"type":"object"}}})", "5"),
      ElementsAre("arguments: expected an object or null, got a number 5"));
}

TEST(SchemaMessage, JoinsAlternativesThatAreValues) {
  EXPECT_THAT(
      problems(R"({"oneOf":[{"const":"asc","title":"Up"},{"const":"desc","title":"Down"}]})", R"("up")"),
      ElementsAre(R"(arguments: must be one of "asc", "desc", got "up")"));
}

TEST(SchemaMessage, TellsTheProblemsOfTheNearestAlternative) {
  constexpr std::string_view kSchema = R"({"oneOf":[
    {"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
    {"properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]})";
  EXPECT_THAT(problems(kSchema, R"({"kind":"square","radius":"3"})"),
              ElementsAre("arguments.side: required, but missing"));
  EXPECT_THAT(problems(kSchema, R"({"kind":"circle","radius":"3"})"),
              ElementsAre(R"(arguments.radius: expected a number, got a string "3")"));
}

TEST(SchemaMessage, PrefersTheAlternativeOfTheRightType) {
  constexpr std::string_view kSchema = R"({"anyOf":[
    {"type":"string"},
    {"type":"object","required":["a","b","c"]}]})";
  EXPECT_THAT(problems(kSchema, R"({"a":1})"),
              ElementsAre("arguments.b: required, but missing", "arguments.c: required, but missing"));
}

TEST(SchemaMessage, SaysWhichAlternativesMatchAtOnce) {
  EXPECT_THAT(
      problems(R"({"oneOf":[{"minimum":1},{"type":"string"},{"maximum":9}]})", "5"),
      ElementsAre("arguments: must match exactly one of 3 alternatives, but matches 2: numbers 1, 3"));
}

TEST(SchemaMessage, TellsSeveralProblemsAtOnce) {
  constexpr std::string_view kSchema = R"({
    "type":"object","required":["query"],"additionalProperties":false,
    "properties":{"query":{"type":"string"},"limit":{"type":"integer","maximum":100}}})";
  EXPECT_THAT(
      problems(kSchema, R"({"limit":250,"qeury":"x"})"),
      ElementsAre("arguments.query: required, but missing", "arguments.limit: must be at most 100, got 250",
                  R"(arguments: unknown property "qeury"; did you mean "query"?)"));
}

TEST(SchemaMessage, TellsEightProblemsAtMost) {
  EXPECT_THAT(problems(R"({"items":{"type":"string"}})", "[1,2,3,4,5,6,7,8,9,10]"), SizeIs(8));
}

TEST(SchemaMessage, TellsTheSameProblemOnce) {
  EXPECT_THAT(problems(R"({"allOf":[{"required":["a"]},{"required":["a"]}]})", "{}"), SizeIs(1));
}

TEST(SchemaMessage, CutsValuesAndKeepsThemOnOneLine) {
  const std::string text = "line\nbreak " + std::string(5000, 'x');
  const std::vector<std::string> told = problems(must_compile(R"({"type":"null"})"), text);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_LT(told[0].size(), 200U);
  EXPECT_THAT(told[0], HasSubstr(R"(got a string "line break xxx)"));
}

TEST(SchemaMessage, FollowsTheBranchThatTheConditionChose) {
  constexpr std::string_view kSchema = R"({
    "if":{"properties":{"all":{"const":true}},"required":["all"]},
    "then":{"not":{"required":["limit"]}},
    "else":{"required":["limit"]}})";
  EXPECT_THAT(problems(kSchema, R"({"all":false})"), ElementsAre("arguments.limit: required, but missing"));
  EXPECT_THAT(problems(kSchema, R"({"all":true,"limit":1})"),
              ElementsAre(R"(arguments: must not have the property "limit")"));
  EXPECT_THAT(problems(kSchema, R"({"all":true})"), IsEmpty());
}

TEST(SchemaMessage, DoesNotCallThePropertiesOfAFailedAlternativeUnknown) {
  constexpr std::string_view kSchema = R"({"unevaluatedProperties":false,"anyOf":[
    {"properties":{"radius":{"type":"number"}},"required":["radius"]},
    {"properties":{"side":{"type":"number"}},"required":["side"]}]})";
  EXPECT_THAT(problems(kSchema, R"({"side":"3"})"),
              ElementsAre(R"(arguments.side: expected a number, got a string "3")"));
}

TEST(SchemaMessage, TellsAPropertyOfAnotherAlternativeFromAnUnknownOne) {
  constexpr std::string_view kSchema = R"({"unevaluatedProperties":false,"oneOf":[
    {"properties":{"kind":{"const":"circle"},"radius":{}}},
    {"properties":{"kind":{"const":"square"},"side":{}}}]})";
  EXPECT_THAT(problems(kSchema, R"({"kind":"circle","side":3})"),
              ElementsAre(R"(arguments: property "side" is not allowed together with the others)"));
}

TEST(SchemaMessage, PrefersAnyAlternativeToOneThatIsClosed) {
  EXPECT_THAT(
      problems(R"({"anyOf":[false,{"minimum":5,"multipleOf":2}]})", "3"),
      ElementsAre("arguments: must be at least 5, got 3", "arguments: must be a multiple of 2, got 3"));
}

TEST(SchemaMessage, DescribesTheFormat) {
  const Schema schema = must_compile(R"({"format":"date"})", {.assert_formats = true});
  EXPECT_THAT(problems(schema, "2026-02-30"),
              ElementsAre(R"(arguments: must be a date like 2026-01-31, got "2026-02-30")"));
}

}  // namespace
}  // namespace sluice::json
