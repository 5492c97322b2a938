#include <gmock/gmock.h>

#include "sluice/config/config.h"

namespace sluice::config {
namespace {

using datasets::ToolProfile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Config> parse(std::string_view text) {
  return parse_config(text, "sluice.yaml", [](const std::string&) { return std::nullopt; });
}

TEST(ToolConfig, ReadsTheProfile) {
  EXPECT_EQ(profile_of(parse("tools: { profile: lean }").value()), ToolProfile::kLean);
  EXPECT_EQ(profile_of(parse("tools: { profile: full }").value()), ToolProfile::kFull);
  EXPECT_EQ(profile_of(parse("tools: { profile: all }").value()), ToolProfile::kAll);
}

TEST(ToolConfig, TakesTheFullProfileForThePresetThatWasWrittenForIt) {
  const std::string budget = "collections: [ { preset: budget, path: data } ]\n";
  EXPECT_EQ(profile_of(parse(budget).value()), ToolProfile::kFull);
  EXPECT_EQ(profile_of(parse(budget + "tools: { deny: [ x ] }").value()), ToolProfile::kFull);
  EXPECT_EQ(profile_of(parse(budget + "tools: { profile: lean }").value()), ToolProfile::kLean);
}

TEST(ToolConfig, RefusesWhatIsNoProfile) {
  const Error error = parse("limits: { max_rows: 5 }\ntools: { profile: Lean }").error();
  EXPECT_EQ(error.code, "invalid_configuration");
  EXPECT_THAT(error.message, HasSubstr("sluice.yaml:2: tools.profile: expected lean, full or all, got Lean"));
  EXPECT_THAT(parse("tools: { profil: lean }").error().message, HasSubstr("did you mean profile?"));
  EXPECT_THAT(parse("tools: lean").error().message, HasSubstr("expected a mapping"));
}

TEST(ToolConfig, ReadsTheRules) {
  const Config config =
      parse("tools: { allow: [ \"get_*\", query ], deny: advanced_query, read_only: true }").value();
  EXPECT_THAT(config.tools.rules.allow, ElementsAre("get_*", "query"));
  EXPECT_THAT(config.tools.rules.deny, ElementsAre("advanced_query"));
  EXPECT_TRUE(config.tools.rules.read_only);
  EXPECT_THAT(parse("").value().tools.rules.allow, IsEmpty());
}

TEST(ToolConfig, RefusesRulesThatMeanNothing) {
  EXPECT_THAT(parse("tools: { deny: [ \"\" ] }").error().message, HasSubstr("a pattern is empty"));
  EXPECT_THAT(parse("tools: { deny: [ " + std::string(200, 'x') + " ] }").error().message,
              HasSubstr("more than 128 characters"));
  EXPECT_THAT(parse("tools: { deny: { query: true } }").error().message, HasSubstr("expected a list"));
  EXPECT_THAT(parse("tools: { read_only: maybe }").error().message, HasSubstr("expected true or false"));
  std::string many = "tools: { deny: [ a";
  for (int i = 0; i < 1'000; ++i) many += ", a";
  EXPECT_THAT(parse(many + " ] }").error().message, HasSubstr("more than 1000 patterns"));
}

}  // namespace
}  // namespace sluice::config
