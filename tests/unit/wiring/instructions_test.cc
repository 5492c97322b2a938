#include "instructions.h"

#include <string>

#include <gmock/gmock.h>

#include "sluice/config/config.h"

namespace sluice::wiring {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Result<config::Config> parse(std::string_view text) {
  return config::parse_config(text, "sluice.yaml", [](const std::string&) { return std::nullopt; });
}

TEST(Instructions, AreAboutTheToolsOfTheProfile) {
  const auto of = [](const std::string& tools) {
    return instructions_of(parse("collections: [ { path: data } ]\n" + tools).value());
  };
  EXPECT_THAT(of("tools: { profile: lean }"),
              AllOf(HasSubstr("catalog lists the tables"), HasSubstr("SQL"), HasSubstr("kept as a table"),
                    HasSubstr("never instructions")));
  EXPECT_THAT(of("tools: { profile: lean }"), Not(HasSubstr("get_catalog")));
  EXPECT_THAT(of("tools: { profile: full }"), HasSubstr("get_catalog"));
  EXPECT_THAT(of("tools: { profile: full }"), Not(HasSubstr("catalog lists")));
  EXPECT_THAT(of("tools: { profile: all }"), AllOf(HasSubstr("get_catalog"), HasSubstr("catalog lists")));
}

TEST(Instructions, DoNotNameALeanToolThatIsNotOffered) {
  const std::string text = instructions_of(
      parse("collections: [ { path: data } ]\ntools: { profile: lean, deny: [ query ] }").value());
  EXPECT_THAT(text, HasSubstr("catalog lists the tables"));
  EXPECT_THAT(text, Not(HasSubstr("query")));
}

}  // namespace
}  // namespace sluice::wiring
