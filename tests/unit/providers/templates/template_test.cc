// URIs of the operator's own: how their variables are completed, and who hears of changes where they lead.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/files/files_provider.h"
#include "sluice/templates/observed_provider.h"
#include "sluice/templates/template_provider.h"

#include "quiet_context.h"
#include "temp_folder.h"
#include "template_completion.h"

namespace sluice::templates {
namespace {

using Providers = std::vector<std::shared_ptr<catalog::Provider>>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TemplateCompletion : public ::testing::Test {
 protected:
  TemplateCompletion() {
    for (const char* name : {"alpha", "al pha", "50%", "beta"})
      folder_.write("notes/" + std::string(name) + ".md", name);
    providers_.push_back(files::make_files_provider({{.name = "a", .path = folder_.path()}}).value());
  }

  std::vector<std::string> complete(std::string_view target, std::string argument, std::string typed,
                                    std::map<std::string, std::string, std::less<>> resolved = {}) {
    const protocol::CompletionRequest request{.reference = protocol::TemplateReference{"x://{y}"},
                                              .argument = std::move(argument),
                                              .typed = std::move(typed),
                                              .resolved = std::move(resolved)};
    catalog::QuietContext context;
    return complete_target(UriTemplate::parse(target).value(), providers_, request, context).value().values;
  }

  fs::TempFolder folder_;
  Providers providers_;
};

TEST_F(TemplateCompletion, AsksTheOwnerForThePlaceOfTheVariable) {
  EXPECT_THAT(complete("file:///notes/{name}.md", "name", "al"), ElementsAre("al pha", "alpha"));
  EXPECT_THAT(complete("file:///notes/{name}.md", "name", ""), ElementsAre("50%", "al pha", "alpha", "beta"));
  EXPECT_THAT(complete("file:///notes/{name}.txt", "name", ""), IsEmpty());
  EXPECT_THAT(complete("file:///{+path}", "path", "no"), ElementsAre("notes/"));
  EXPECT_THAT(complete("file:///{+path}", "path", "notes/5"), ElementsAre("notes/50%.md"));
  EXPECT_THAT(complete("file:///{folder}/{name}", "name", "b", {{"folder", "notes"}}),
              ElementsAre("beta.md"));
}

TEST_F(TemplateCompletion, OfWhatNobodyOwnsIsEmpty) {
  EXPECT_THAT(complete("other://{name}", "name", ""), IsEmpty());
  EXPECT_THAT(complete("file:///notes/{name}.md", "unknown", ""), IsEmpty());
}

// Says what is watched.
class WatchedProvider final : public catalog::Provider, public catalog::ResourceProvider {
 public:
  WatchedProvider() : Provider({.name = "watched"}) {}

  catalog::ResourceProvider* resources() override { return this; }
  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& /*context*/) override {
    return protocol::resource_not_found(uri.text());
  }
  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "file"; }
  void watch(const ResourceUri& uri) override { ++watched[std::string(uri.text())]; }
  void unwatch(const ResourceUri& uri) override { --watched[std::string(uri.text())]; }
  Status can_watch(const ResourceUri& uri) const override {
    if (!uri.text().ends_with("full")) return {};
    return limit_reached("URIs", 1).with_code("too_many_subscriptions").with_hint("Wait.");
  }

  std::map<std::string, int> watched;
};

class TemplateWatching : public ::testing::Test {
 protected:
  TemplateWatching() {
    const std::vector<TemplateSpec> specs = {{.uri = "a://{name}", .target = "file:///{name}"},
                                             {.uri = "b://{name}", .target = "file:///{name}"}};
    templates_ = make_template_provider(specs, providers_, nullptr, tap_).value();
  }
  static ResourceUri uri(std::string_view text) { return ResourceUri::parse(text).value(); }

  std::shared_ptr<WatchedProvider> files_ = std::make_shared<WatchedProvider>();
  UpdateTap tap_;
  Providers providers_{files_};
  std::shared_ptr<catalog::Provider> templates_;
};

TEST_F(TemplateWatching, EndsWithTheLastWhoWantsToHearOfTheTarget) {
  catalog::ResourceProvider& files = *providers_.front()->resources();  // As the catalog has it.
  files.watch(uri("file:///x"));
  templates_->resources()->watch(uri("a://x"));
  templates_->resources()->watch(uri("b://x"));
  EXPECT_EQ(files_->watched["file:///x"], 1);
  templates_->resources()->unwatch(uri("a://x"));
  EXPECT_EQ(files_->watched["file:///x"], 1);
  files.unwatch(uri("file:///x"));
  EXPECT_EQ(files_->watched["file:///x"], 1);
  templates_->resources()->unwatch(uri("b://x"));
  EXPECT_EQ(files_->watched["file:///x"], 0);
}

TEST_F(TemplateWatching, IsRefusedWhereTheTargetCannotBeWatched) {
  EXPECT_TRUE(templates_->resources()->can_watch(uri("a://x")).ok());
  const Status refused = templates_->resources()->can_watch(uri("a://full"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "too_many_subscriptions");
}

}  // namespace
}  // namespace sluice::templates
