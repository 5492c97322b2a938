// Providers whose things come from elsewhere: they are left out, have several names, and take a while.

#include <gmock/gmock.h>

#include "sluice/catalog/catalog.h"
#include "sluice/catalog/registry.h"

namespace sluice::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

protocol::Tool tool(std::string name) {
  protocol::Tool out;
  out.name = std::move(name);
  return out;
}

class Elsewhere final : public Provider, public ToolProvider {
 public:
  Elsewhere() : Provider({.name = "elsewhere", .skips_invalid_tools = true}) {}

  ToolProvider* tools() override { return this; }
  bool is_settled() const override { return settled_; }
  void settle(const std::stop_token& /*stop*/) override { settled_ = true; }
  std::string listed_name(std::string_view name) const override { return name == "x_far" ? "x.far" : ""; }
  Result<protocol::ToolResult> call(const std::string& name, const json::Object& /*arguments*/,
                                    Context& /*context*/) override {
    return unknown_tool(name);
  }
  std::vector<protocol::Tool> list_tools(const ListQuery& /*query*/) override {
    std::vector<protocol::Tool> out{tool("near"), tool("x.far"), tool("not a name"), tool("x.far")};
    out.push_back(tool("broken"));
    out.back().input_schema = json::Object{{"type", "object"}, {"properties", 7}};
    return out;
  }

 private:
  bool settled_ = false;
};

class Yielding : public ::testing::Test {
 protected:
  Yielding() {
    auto registry = std::make_shared<Registry>("ours");
    registry->add_tool(tool("near"), [](const json::Object&, Context&) -> Result<protocol::ToolResult> {
      return protocol::text_result("ours");
    });
    // The one that yields comes first, which must not matter.
    Result<std::unique_ptr<Catalog>> made =
        Catalog::create({std::make_shared<Elsewhere>(), registry}, crypto::Signer::with_random_key());
    EXPECT_TRUE(made.ok());
    catalog_ = std::move(made).value();
  }
  std::unique_ptr<Catalog> catalog_;
};

TEST_F(Yielding, LeavesOutWhatIsTakenOrNotValid) {
  std::vector<std::string> names;
  const auto page = catalog_->tools({}, local_principal());
  for (const protocol::Tool& one : page->items) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("near", "x.far"));
  EXPECT_EQ((*catalog_->find_tool("near"))->provider_name, "ours");
}

TEST_F(Yielding, FindsAToolByItsOtherName) {
  EXPECT_EQ((*catalog_->find_tool("x_far"))->tool.name, "x.far");
  EXPECT_THAT(catalog_->find_tool("y_far").error().message, HasSubstr("Unknown tool"));
}

TEST_F(Yielding, IsWaitedFor) {
  EXPECT_FALSE(catalog_->is_settled());
  catalog_->settle({});
  EXPECT_TRUE(catalog_->is_settled());
}

}  // namespace
}  // namespace sluice::catalog
