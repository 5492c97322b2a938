#include "sluice/catalog/catalog.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/catalog/registry.h"

#include "quiet_context.h"

namespace sluice::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

crypto::Signer key() { return crypto::Signer(std::string(32, 'k')); }

protocol::Tool tool(std::string name) {
  protocol::Tool made;
  made.name = std::move(name);
  return made;
}

Result<protocol::ToolResult> nothing(const json::Object&, Context&) { return protocol::text_result(""); }
Result<protocol::ReadResult> no_contents(const ResourceUri&, Context&) { return protocol::ReadResult{}; }

std::shared_ptr<Registry> registry_with_tools(const std::string& name,
                                              const std::vector<std::string>& tools) {
  auto registry = std::make_shared<Registry>(name);
  for (const std::string& each : tools) registry->add_tool(tool(each), nothing);
  return registry;
}

std::vector<std::string> names(const protocol::ListPage<protocol::Tool>& page) {
  std::vector<std::string> found;
  for (const protocol::Tool& each : page.items) found.push_back(each.name);
  return found;
}

TEST(Catalog, MergesToolsOfAllProvidersInOrder) {
  const auto catalog =
      Catalog::create({registry_with_tools("one", {"b", "d"}), registry_with_tools("two", {"a", "c"})}, key())
          .value();
  EXPECT_THAT(names(catalog->tools(std::nullopt, local_principal()).value()),
              ElementsAre("a", "b", "c", "d"));
}

TEST(Catalog, RefusesANameThatIsOfferedTwice) {
  const auto catalog =
      Catalog::create({registry_with_tools("one", {"same"}), registry_with_tools("two", {"same"})}, key());
  ASSERT_FALSE(catalog.ok());
  EXPECT_EQ(catalog.error().code, "name_offered_twice");
  EXPECT_THAT(catalog.error().message, HasSubstr("by one and by two"));
}

TEST(Catalog, RefusesBadToolDefinitions) {
  for (const std::string name : {"has space", "colon:name", "slash/name"})
    EXPECT_FALSE(Catalog::create({registry_with_tools("p", {name})}, key()).ok()) << name;
  auto registry = std::make_shared<Registry>("p");
  protocol::Tool bad = tool("bad");
  bad.input_schema = json::Object{{"type", "object"},
                                  {"properties", json::Object{{"a", json::Object{{"type", "nonsense"}}}}}};
  registry->add_tool(bad, nothing);
  const auto catalog = Catalog::create({registry}, key());
  ASSERT_FALSE(catalog.ok());
  EXPECT_THAT(catalog.error().message, HasSubstr("tool bad: inputSchema"));
}

TEST(Catalog, PagesThroughEverythingExactlyOnce) {
  std::vector<std::string> all;
  for (int i = 0; i < 250; ++i) all.push_back(fmt::format("tool_{:03}", i));
  const auto catalog = Catalog::create({registry_with_tools("p", all)}, key()).value();
  std::vector<std::string> seen;
  std::optional<std::string> cursor;
  do {
    const auto page = catalog->tools(cursor, local_principal()).value();
    EXPECT_LE(page.items.size(), 100U);
    for (const std::string& name : names(page)) seen.push_back(name);
    cursor = page.next_cursor;
  } while (cursor);
  EXPECT_EQ(seen, all);
}

TEST(Catalog, RefusesACursorOfAnotherListOrPrincipal) {
  auto registry = std::make_shared<Registry>("p");
  for (int i = 0; i < 150; ++i) {
    registry->add_tool(tool(fmt::format("t{}", i)), nothing);
    registry->add_resource({.uri = fmt::format("x://{}", i), .name = "r"}, no_contents);
  }
  const auto catalog = Catalog::create({registry}, key()).value();
  const std::string cursor = *catalog->tools(std::nullopt, local_principal()).value().next_cursor;
  EXPECT_TRUE(catalog->tools(cursor, local_principal()).ok());
  EXPECT_EQ(catalog->resources(cursor, local_principal()).error().code, "invalid_cursor");
  EXPECT_EQ(catalog->tools(cursor, Principal{.id = "token:other"}).error().code, "invalid_cursor");
  EXPECT_EQ(catalog->tools("", local_principal()).error().code, "invalid_cursor");
  EXPECT_EQ(catalog->tools(std::string(100'000, 'A'), local_principal()).error().code, "invalid_cursor");
}

TEST(Catalog, NamesTheNearestTool) {
  const auto catalog =
      Catalog::create({registry_with_tools("p", {"query_data", "get_schema"})}, key()).value();
  const auto missing = catalog->find_tool("query_dat");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "unknown_tool");
  EXPECT_THAT(missing.error().hint, HasSubstr("query_data"));
}

class CountingSink final : public ChangeSink {
 public:
  void tools_changed() override { ++tools; }
  void prompts_changed() override { ++prompts; }
  void resources_changed() override { ++resources; }
  void resource_updated(const std::string& uri) override { updated.push_back(uri); }
  int tools = 0;
  int prompts = 0;
  int resources = 0;
  std::vector<std::string> updated;
};

TEST(Catalog, ForwardsChangesAndServesTheNewTools) {
  const auto registry = registry_with_tools("p", {"a"});
  CountingSink sink;
  const auto catalog = Catalog::create({registry}, key()).value();
  catalog->forward_changes(&sink);
  registry->add_tool(tool("b"), nothing);
  EXPECT_EQ(sink.tools, 1);
  EXPECT_TRUE(catalog->find_tool("b").ok());
  registry->remove_tool("a");
  EXPECT_EQ(sink.tools, 2);
  EXPECT_FALSE(catalog->find_tool("a").ok());
  registry->resource_changed("x://1");
  EXPECT_THAT(sink.updated, ElementsAre("x://1"));
}

TEST(Catalog, KeepsTheOldToolsWhereANewOneIsBroken) {
  const auto registry = registry_with_tools("p", {"a"});
  CountingSink sink;
  const auto catalog = Catalog::create({registry}, key()).value();
  catalog->forward_changes(&sink);
  registry->add_tool(tool("not valid"), nothing);
  EXPECT_EQ(sink.tools, 0);
  EXPECT_TRUE(catalog->find_tool("a").ok());
}

TEST(Catalog, WatchesAResourceOnceHoweverManyWantIt) {
  auto registry = std::make_shared<Registry>("p");
  registry->add_resource({.uri = "x://1", .name = "r"}, no_contents);
  std::vector<bool> told;
  registry->on_watch([&](const ResourceUri&, bool watched) { told.push_back(watched); });
  const auto catalog = Catalog::create({registry}, key()).value();
  const ResourceUri uri = ResourceUri::parse("x://1").value();
  EXPECT_TRUE(catalog->watch(uri));
  EXPECT_TRUE(catalog->watch(uri));
  catalog->unwatch(uri);
  catalog->unwatch(uri);
  catalog->unwatch(uri);
  EXPECT_THAT(told, ElementsAre(true, false));
  EXPECT_FALSE(catalog->watch(ResourceUri::parse("y://1").value()));
}

}  // namespace
}  // namespace sluice::catalog
