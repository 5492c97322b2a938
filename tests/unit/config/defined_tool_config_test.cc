#include <gmock/gmock.h>

#include "sluice/config/config.h"

namespace sluice::config {
namespace {

using datasets::DefinedTool;
using expression::SqlType;
using ::testing::HasSubstr;

Result<Config> parse(const std::string& text) {
  return parse_config(text, "sluice.yaml", [](const std::string&) { return std::nullopt; });
}

// One tool with this in it, on line 3.
Result<Config> with(const std::string& part) {
  return parse("tools:\n  define:\n    - { name: a, description: A, sql: SELECT 1, " + part + " }");
}

std::string refusal(const std::string& part) {
  const Result<Config> config = with(part);
  EXPECT_FALSE(config.ok()) << part;
  if (config.ok()) return {};
  EXPECT_EQ(config.error().code, "invalid_configuration");
  return config.error().message;
}

TEST(DefinedToolConfig, ReadsATool) {
  const Config config = parse(R"(
tools:
  define:
    - name: airports_of_state
      description: Airports of a state
      parameters:
        state: { type: string, description: Postal code, values_of: "air/ports.2024.state" }
        least: { type: integer, default: 3 }
        day: { type: date, default: null }
      sql: SELECT * FROM airports WHERE state = $state
      example: { state: CA, least: 7 }
)")
                            .value();
  ASSERT_EQ(config.tools.defined.size(), 1U);
  const DefinedTool& tool = config.tools.defined.front();
  EXPECT_EQ(tool.name, "airports_of_state");
  EXPECT_EQ(tool.description, "Airports of a state");
  ASSERT_EQ(tool.parameters.size(), 3U);
  EXPECT_EQ(tool.parameters[0].name, "state");
  EXPECT_EQ(tool.parameters[0].table, "air/ports.2024");
  EXPECT_EQ(tool.parameters[0].column, "state");
  EXPECT_TRUE(tool.parameters[0].is_required);
  EXPECT_EQ(tool.parameters[1].type, SqlType::kInteger);
  EXPECT_EQ(tool.parameters[1].default_value, "3");
  EXPECT_FALSE(tool.parameters[2].is_required);
  EXPECT_FALSE(tool.parameters[2].default_value.has_value());
  ASSERT_EQ(tool.steps.size(), 1U);
  EXPECT_EQ(tool.steps[0].place, "sluice.yaml:10: tools.define[0].sql");
  EXPECT_EQ(json::to_text(tool.example.value()), R"({"state":"CA","least":7})");
}

TEST(DefinedToolConfig, ReadsAChain) {
  const Config config =
      parse(
          "tools: { define: [ { name: a, description: A, sql: [ { name: one, sql: SELECT 1 }, { sql: SELECT "
          "2 } ] } ] }")
          .value();
  const DefinedTool& tool = config.tools.defined.front();
  ASSERT_EQ(tool.steps.size(), 2U);
  EXPECT_EQ(tool.steps[0].name, "one");
  EXPECT_EQ(tool.steps[1].sql, "SELECT 2");
}

TEST(DefinedToolConfig, NamesTheLineAndTheNearestKey) {
  EXPECT_THAT(refusal("paramters: {}"),
              HasSubstr("sluice.yaml:3: tools.define[0].paramters: unknown key; did you mean parameters?"));
  EXPECT_THAT(refusal("parameters: { x: { typ: string } }"),
              HasSubstr("tools.define[0].parameters.x.type: required, but missing"));
  EXPECT_THAT(refusal("parameters: { x: { type: string, value_of: a.b } }"),
              HasSubstr("unknown key; did you mean values_of?"));
}

TEST(DefinedToolConfig, RefusesParametersThatMeanNothing) {
  EXPECT_THAT(refusal("parameters: { x: { type: text } }"),
              HasSubstr("expected string, integer, number, boolean or date, got text"));
  EXPECT_THAT(refusal("parameters: { X: { type: string } }"), HasSubstr("a parameter's name must be"));
  EXPECT_THAT(refusal("parameters: { x: string }"), HasSubstr("expected a mapping"));
  EXPECT_THAT(refusal("parameters: { x: }"), HasSubstr("such as { type: string }"));
  EXPECT_THAT(refusal("parameters: { x: { type: string, values_of: airports } }"),
              HasSubstr("expected a table and a column"));
  EXPECT_THAT(refusal("parameters: { x: { type: boolean, values_of: a.b } }"), HasSubstr("true and false"));
  std::string many = "parameters: { x0: { type: string }";
  for (int i = 1; i <= 32; ++i) many += ", x" + std::to_string(i) + ": { type: string }";
  EXPECT_THAT(refusal(many + " }"), HasSubstr("more than 32 parameters"));
}

TEST(DefinedToolConfig, RefusesValuesOfAnotherType) {
  EXPECT_THAT(refusal("parameters: { x: { type: integer, default: 1.5 } }"),
              HasSubstr("parameters.x.default: expected an integer of 64 bits, got 1.5"));
  EXPECT_THAT(refusal("parameters: { x: { type: integer, default: 99999999999999999999 } }"),
              HasSubstr("expected an integer"));
  EXPECT_THAT(refusal("parameters: { x: { type: number, default: many } }"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal("parameters: { x: { type: number, default: inf } }"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal("parameters: { x: { type: boolean, default: yes } }"),
              HasSubstr("expected true or false"));
  EXPECT_THAT(refusal("parameters: { x: { type: date, default: 2023-02-29 } }"),
              HasSubstr("expected a date such as"));
  EXPECT_TRUE(with("parameters: { x: { type: date, default: 2024-02-29 } }").ok());
}

TEST(DefinedToolConfig, RefusesAnExampleThatDoesNotFit) {
  const std::string parameters = "parameters: { x: { type: integer } }, ";
  EXPECT_THAT(refusal(parameters + "example: {}"), HasSubstr("has no value for x"));
  EXPECT_THAT(refusal(parameters + "example: { x: one }"), HasSubstr("expected an integer"));
  EXPECT_THAT(refusal(parameters + "example: { x: 1, y: 2 }"), HasSubstr("unknown key"));
}

TEST(DefinedToolConfig, RefusesNamesThatHostsDoNotTake) {
  const auto named = [](const std::string& name) {
    return parse("tools: { define: [ { name: " + name + ", description: A, sql: SELECT 1 } ] }");
  };
  for (const std::string& name :
       {std::string("Upper"), std::string("1a"), std::string("a-b"), std::string("a.b"), std::string("_a"),
        std::string(65, 'a'), std::string("\"\"")})
    EXPECT_FALSE(named(name).ok()) << name;
  EXPECT_TRUE(named(std::string(64, 'a')).ok());
  EXPECT_THAT(
      parse("tools: { define: [ { name: a, description: A, sql: SELECT 1 }, { name: a, description: B, "
            "sql: SELECT 2 } ] }")
          .error()
          .message,
      HasSubstr("another tool is called a"));
}

TEST(DefinedToolConfig, RefusesChainsThatCannotBeRead) {
  const auto chain = [](const std::string& steps) {
    return parse("tools: { define: [ { name: a, description: A, sql: [ " + steps + " ] } ] }");
  };
  EXPECT_THAT(chain("").error().message, HasSubstr("expected 1 to 16 statements"));
  EXPECT_THAT(chain("{ sql: SELECT 1 }, { sql: SELECT 2 }").error().message,
              HasSubstr("sql[0].name: required, but missing"));
  EXPECT_THAT(chain("{ name: x, sql: SELECT 1 }, { name: x, sql: SELECT 2 }").error().message,
              HasSubstr("another statement is called x"));
  EXPECT_THAT(chain("{ name: \"a b\", sql: SELECT 1 }, { sql: SELECT 2 }").error().message,
              HasSubstr("must be at most 64"));
  EXPECT_THAT(chain("SELECT 1, SELECT 2").error().message, HasSubstr("expected a mapping"));
  std::string many;
  for (int i = 0; i < 17; ++i) many += "{ name: s" + std::to_string(i) + ", sql: SELECT 1 },";
  EXPECT_THAT(chain(many).error().message, HasSubstr("expected 1 to 16 statements"));
}

TEST(DefinedToolConfig, RefusesToolsWithoutAnythingToRunOrToChooseThemBy) {
  EXPECT_THAT(parse("tools: { define: [ { name: a, description: A } ] }").error().message,
              HasSubstr("tools.define[0].sql: required, but missing"));
  EXPECT_THAT(parse("tools: { define: [ { name: a, sql: SELECT 1 } ] }").error().message,
              HasSubstr("a model chooses tools by it"));
}

TEST(DefinedToolConfig, BoundsTheNumberOfTools) {
  std::string text = "tools:\n  define:\n";
  for (int i = 0; i < 1'000; ++i)
    text += "    - { name: t" + std::to_string(i) + ", description: A, sql: SELECT 1 }\n";
  EXPECT_THAT(parse(text).error().message, HasSubstr("tools.define: more than 200 tools: 1000"));
}

}  // namespace
}  // namespace sluice::config
