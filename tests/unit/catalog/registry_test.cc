#include "sluice/catalog/registry.h"

#include <gmock/gmock.h>

#include "quiet_context.h"

namespace sluice::catalog {
namespace {

protocol::ReadResult text(const std::string& body) {
  protocol::ReadResult result;
  result.contents.push_back({.uri = "x", .body = protocol::TextBody{body}});
  return result;
}

std::string read(Registry& registry, std::string_view uri) {
  QuietContext context;
  const Result<protocol::ReadResult> result = registry.read(ResourceUri::parse(uri).value(), context);
  return result ? std::get<protocol::TextBody>(result->contents.at(0).body).text : result.error().code;
}

TEST(Registry, PrefersAResourceToATemplateThatMatchesToo) {
  Registry registry("p");
  ASSERT_TRUE(registry.add_template(
      {.uri_template = "x://{id}", .name = "t"},
      [](const ResourceUri&, const TemplateValues& values, Context&) -> Result<protocol::ReadResult> {
        return text("template " + std::get<std::string>(values.at("id")));
      }));
  registry.add_resource(
      {.uri = "x://one", .name = "r"},
      [](const ResourceUri&, Context&) -> Result<protocol::ReadResult> { return text("resource"); });
  EXPECT_EQ(read(registry, "x://one"), "resource");
  EXPECT_EQ(read(registry, "x://two"), "template two");
  EXPECT_EQ(read(registry, "y://two"), "resource_not_found");
}

TEST(Registry, RefusesABrokenTemplate) {
  Registry registry("p");
  EXPECT_FALSE(registry.add_template({.uri_template = "x://{id", .name = "t"}, nullptr).ok());
}

TEST(Registry, AsksForRequiredPromptArguments) {
  Registry registry("p");
  registry.add_prompt({.name = "greet", .arguments = {{.name = "who", .required = true}}},
                      [](const protocol::PromptArguments&, Context&) -> Result<protocol::PromptResult> {
                        return protocol::PromptResult{};
                      });
  QuietContext context;
  EXPECT_EQ(registry.get_prompt("greet", {}, context).error().code, "missing_argument");
  EXPECT_TRUE(registry.get_prompt("greet", {{"who", "me"}}, context).ok());
  EXPECT_EQ(registry.get_prompt("other", {}, context).error().code, "unknown_prompt");
}

TEST(Registry, OwnsWhatItOffers) {
  Registry registry("p");
  registry.add_resource(
      {.uri = "x://one", .name = "r"},
      [](const ResourceUri&, Context&) -> Result<protocol::ReadResult> { return text(""); });
  EXPECT_TRUE(registry.owns(ResourceUri::parse("x://one").value()));
  EXPECT_FALSE(registry.owns(ResourceUri::parse("x://two").value()));
}

}  // namespace
}  // namespace sluice::catalog
