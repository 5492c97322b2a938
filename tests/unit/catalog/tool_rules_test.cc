#include "sluice/catalog/tool_rules.h"

#include <gmock/gmock.h>

#include "sluice/catalog/catalog.h"
#include "sluice/catalog/registry.h"

namespace sluice::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

crypto::Signer key() { return crypto::Signer(std::string(32, 'k')); }

std::shared_ptr<Registry> registry_of(const std::string& provider, const std::vector<std::string>& readers,
                                      const std::vector<std::string>& writers = {}) {
  auto registry = std::make_shared<Registry>(provider);
  const auto add = [&](const std::string& name, std::optional<protocol::ToolAnnotations> annotations) {
    protocol::Tool tool;
    tool.name = name;
    tool.annotations = std::move(annotations);
    registry->add_tool(tool, [](const json::Object&, Context&) { return protocol::text_result("done"); });
  };
  for (const std::string& name : readers)
    add(name, protocol::ToolAnnotations{.title = {}, .read_only = true});
  for (const std::string& name : writers)
    add(name, protocol::ToolAnnotations{.title = {}, .read_only = false});
  return registry;
}

std::vector<std::string> offered(const std::shared_ptr<Registry>& registry, ToolRules rules) {
  const auto catalog =
      Catalog::create(std::make_shared<Generation>(std::vector<std::shared_ptr<Provider>>{registry},
                                                   GenerationOptions{.tools = std::move(rules)}),
                      key())
          .value();
  std::vector<std::string> names;
  const auto page = catalog->tools(std::nullopt, local_principal()).value();
  for (const protocol::Tool& tool : page.items) {
    names.push_back(tool.name);
    EXPECT_TRUE(catalog->find_tool(tool.name).ok()) << tool.name;
  }
  return names;
}

TEST(Glob, MatchesNames) {
  EXPECT_TRUE(matches_glob("query", "query"));
  EXPECT_FALSE(matches_glob("query", "query_data"));
  EXPECT_TRUE(matches_glob("ckan_*", "ckan_package_search"));
  EXPECT_TRUE(matches_glob("*", "x"));
  EXPECT_TRUE(matches_glob("*_data", "query_data"));
  EXPECT_TRUE(matches_glob("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(matches_glob("a*b*c", "aXbXbX"));
  EXPECT_TRUE(matches_glob("fs?read", "fs.read"));
  EXPECT_FALSE(matches_glob("fs?read", "fsread"));
  EXPECT_FALSE(matches_glob("", "x"));
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("a*", "a"));
  EXPECT_TRUE(matches_glob("a**c", "ac"));
  EXPECT_FALSE(matches_glob("a*", "ba"));
  EXPECT_FALSE(matches_glob("[a-z]*", "x"));
  EXPECT_FALSE(matches_glob("Query", "query"));
}

TEST(Glob, OfManyStarsTakesNoLongerThanTheProductOfTheLengths) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "a*";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(128, 'a')));
}

TEST(ToolRules, OfferEveryToolIfTheySayNothing) {
  EXPECT_THAT(offered(registry_of("p", {"a"}, {"b"}), {}), ElementsAre("a", "b"));
}

TEST(ToolRules, OfferWhatIsAllowedAndNotDenied) {
  const auto registry = registry_of("p", {"get_a", "get_b", "set_a"});
  EXPECT_THAT(offered(registry, {.allow = {"get_*"}}), ElementsAre("get_a", "get_b"));
  EXPECT_THAT(offered(registry, {.deny = {"*_a"}}), ElementsAre("get_b"));
  EXPECT_THAT(offered(registry, {.allow = {"*"}, .deny = {"get_a"}}), ElementsAre("get_b", "set_a"));
  EXPECT_THAT(offered(registry, {.allow = {"get_a"}, .deny = {"get_a"}}), ElementsAre());
}

TEST(ToolRules, LeaveOnlyToolsThatDeclareThatTheyRead) {
  auto registry = registry_of("p", {"reads"}, {"writes"});
  protocol::Tool silent;
  silent.name = "silent";
  registry->add_tool(silent, [](const json::Object&, Context&) { return protocol::text_result(""); });
  EXPECT_THAT(offered(registry, {.read_only = true}), ElementsAre("reads"));
}

TEST(ToolRules, MakeACallOfADeniedToolFailAsOneOfAToolThatDoesNotExist) {
  const auto make = [](ToolRules rules, const std::vector<std::string>& tools) {
    return Catalog::create(
               std::make_shared<Generation>(std::vector<std::shared_ptr<Provider>>{registry_of("p", tools)},
                                            GenerationOptions{.tools = std::move(rules)}),
               key())
        .value();
  };
  const Error denied = make({.deny = {"query"}}, {"query", "other"})->find_tool("query").error();
  const Error absent = make({}, {"other"})->find_tool("query").error();
  EXPECT_EQ(denied.code, "unknown_tool");
  EXPECT_EQ(denied.kind, absent.kind);
  EXPECT_EQ(denied.message, absent.message);
  EXPECT_EQ(denied.hint, absent.hint);
}

TEST(ToolRules, DoNotNameADeniedToolAsTheNearestOne) {
  const auto catalog =
      Catalog::create(std::make_shared<Generation>(
                          std::vector<std::shared_ptr<Provider>>{registry_of("p", {"query", "unrelated"})},
                          GenerationOptions{.tools = {.deny = {"query"}}}),
                      key())
          .value();
  EXPECT_THAT(catalog->find_tool("quere").error().hint, Not(HasSubstr("query")));
}

TEST(ToolRules, HoldForToolsThatAppearLater) {
  const auto registry = registry_of("p", {"a"});
  const auto catalog =
      Catalog::create(std::make_shared<Generation>(std::vector<std::shared_ptr<Provider>>{registry},
                                                   GenerationOptions{.tools = {.deny = {"b"}}}),
                      key())
          .value();
  protocol::Tool late;
  late.name = "b";
  registry->add_tool(late, [](const json::Object&, Context&) { return protocol::text_result(""); });
  EXPECT_FALSE(catalog->find_tool("b").ok());
}

TEST(ToolRules, SettleANameThatTwoProvidersOffer) {
  const std::vector<std::shared_ptr<Provider>> both{registry_of("one", {"same", "a"}),
                                                    registry_of("two", {"same", "b"})};
  EXPECT_EQ(Catalog::create(std::make_shared<Generation>(both), key()).error().code, "name_offered_twice");
  EXPECT_TRUE(Catalog::create(
                  std::make_shared<Generation>(both, GenerationOptions{.tools = {.deny = {"same"}}}), key())
                  .ok());
}

TEST(Generation, HasInstructionsOfItsOwn) {
  const std::vector<std::shared_ptr<Provider>> providers{registry_of("p", {"a"})};
  const auto catalog = Catalog::create(std::make_shared<Generation>(providers), key()).value();
  EXPECT_FALSE(catalog->instructions().has_value());
  int asked = 0;
  ASSERT_TRUE(catalog
                  ->replace(std::make_shared<Generation>(
                      providers, GenerationOptions{.instructions = [&] { return std::to_string(++asked); }}))
                  .ok());
  EXPECT_EQ(catalog->instructions(), "1");
  EXPECT_EQ(catalog->instructions(), "2");
}

}  // namespace
}  // namespace sluice::catalog
