// The defaults that the guide promises.

#include "sluice/gateway/config.h"

#include <gmock/gmock.h>

#include "sluice/gateway/resource_info.h"
#include "sluice/gateway/tool_node.h"

namespace sluice::gateway {
namespace {

TEST(GatewayConfig, HasThePromisedDefaults) {
  const ResourceCacheConfig cache;
  EXPECT_TRUE(cache.enabled);
  EXPECT_EQ(cache.max_entries, 1'000U);
  EXPECT_EQ(cache.ttl_seconds, 3'600U);
  EXPECT_EQ(cache.inline_text_if_under_chars, 10'000U);
  const ResourceHandlingConfig handling;
  EXPECT_TRUE(handling.enabled);
  EXPECT_EQ(handling.auto_read_if_size_under_bytes, 0U);
  EXPECT_EQ(handling.inline_text_if_under_chars, 10'000U);
  EXPECT_TRUE(handling.cache_reads_to_artifacts);
  const NodeConfig node;
  EXPECT_EQ(node.timeout, std::chrono::seconds(30));
  EXPECT_EQ(node.max_concurrency, 10U);
  EXPECT_EQ(node.attempts, 3U);
  const ArtifactBounds bounds;
  EXPECT_EQ(bounds.retention, std::chrono::hours(1));
  EXPECT_EQ(bounds.artifact_bytes_max, 50U * 1024 * 1024);
}

TEST(GatewayConfig, HasAPresetForFiles) {
  const auto preset = get_artifact_preset("filesystem");
  ASSERT_TRUE(preset);
  EXPECT_EQ(preset->resources.auto_read_if_size_under_bytes, 100'000U);
  EXPECT_EQ(preset->resources.inline_text_if_under_chars, 50'000U);
  EXPECT_TRUE(preset->resources.cache_reads_to_artifacts);
  EXPECT_FALSE(get_artifact_preset("nothing like it"));
}

TEST(GatewayConfig, ResourcesAreDescribedAsTheGuideSays) {
  const ResourceInfo info{.uri = "file:///data/report.pdf",
                          .name = "Q4 Report",
                          .description = "Quarterly sales report",
                          .mime_type = "application/pdf",
                          .size_bytes = 1'048'576,
                          .annotations = {{"author", "Sales Team"}}};
  EXPECT_EQ(json::to_text(to_json(info)),
            R"({"uri":"file:///data/report.pdf","name":"Q4 Report","description":"Quarterly sales report",)"
            R"("mime_type":"application/pdf","size_bytes":1048576,"annotations":{"author":"Sales Team"}})");
  EXPECT_EQ(
      json::to_text(to_json(ResourceTemplateInfo{.uri_template = "db://users/{user_id}", .name = "User"})),
      R"({"uri_template":"db://users/{user_id}","name":"User"})");
}

}  // namespace
}  // namespace sluice::gateway
