// Results of tools, made fit to be shown.

#include "result_shaper.h"

#include <gmock/gmock.h>

#include "sluice/base/base64.h"
#include "sluice/json/reader.h"
#include "sluice/json/schema.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/definitions.h"

namespace sluice::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Shaped : public ::testing::Test {
 protected:
  Result<protocol::ToolResult> shape(protocol::ToolResult result, const json::Value* schema = nullptr) {
    ResultShaper shaper(
        {.name_space = "fs", .tool = "export", .output_schema = schema}, config_, store_, options_,
        [this](const std::string& uri) -> Result<ResourceCache::Read> {
          ++reads_;
          auto read = std::make_shared<KeptRead>();
          read->items.push_back(
              {.uri = uri, .mime_type = "text/plain", .body = protocol::TextBody{linked_text_}, .meta = {}});
          if (linked_as_artifact_)
            read->items[0].body = *store_.put(options_.principal, linked_text_, {.name_space = "fs"});
          return ResourceCache::Read(read);
        });
    return shaper.shape(std::move(result));
  }
  static std::string text(const protocol::ToolResult& result, std::size_t block) {
    return std::get<protocol::TextContent>(result.content.at(block).body).text;
  }
  static protocol::ToolResult link(std::string uri, std::optional<std::uint64_t> size) {
    protocol::Resource resource;
    resource.uri = std::move(uri);
    resource.name = "report";
    resource.size = size;
    protocol::ToolResult result;
    result.content.push_back({.body = protocol::ResourceLink{resource}, .annotations = {}, .meta = {}});
    return result;
  }
  std::string artifact_text(const std::string& uri) {
    return *store_.read(options_.principal, uri.substr(std::string("artifact://").size()));
  }
  std::string linked(const protocol::ToolResult& result, std::size_t block) {
    return std::get<protocol::ResourceLink>(result.content.at(block).body).resource.uri;
  }

  ArtifactExtractionConfig config_;
  InMemoryArtifactStore store_;
  CallOptions options_;
  int reads_ = 0;
  std::string linked_text_ = "what it leads to";
  bool linked_as_artifact_ = false;
};

TEST_F(Shaped, LinksBecomeStubs) {
  const auto result = shape(link("file:///data/generated_report.pdf", 10));
  EXPECT_EQ(text(*result, 1), R"({"type":"artifact_stub","resource_uri":"file:///data/generated_report.pdf",)"
                              R"("summary":"Resource link: file:///data/generated_report.pdf",)"
                              R"("note":"Use MCP resources/read to fetch content"})");
  EXPECT_EQ(reads_, 0);
  EXPECT_EQ(linked(*result, 0), "file:///data/generated_report.pdf");
}

TEST_F(Shaped, SmallLinksAreReadWhereThatIsWanted) {
  config_.resources.auto_read_if_size_under_bytes = 50'000;
  const auto small = shape(link("file:///small.txt", 100));
  EXPECT_EQ(text(*small, 1), R"({"text":"what it leads to","resource_uri":"file:///small.txt"})");
  EXPECT_EQ(reads_, 1);
  EXPECT_THAT(text(*shape(link("file:///large.txt", 50'000)), 1), StartsWith(R"({"type":"artifact_stub")"));
  EXPECT_THAT(text(*shape(link("file:///unknown.txt", {})), 1), StartsWith(R"({"type":"artifact_stub")"));
  EXPECT_EQ(reads_, 1);
}

TEST_F(Shaped, LinksCanBeLeftAlone) {
  config_.resources.enabled = false;
  EXPECT_EQ(shape(link("file:///a", 1))->content.size(), 1U);
}

TEST_F(Shaped, FilesInBase64BecomeArtifacts) {
  const std::string file = "%PDF-1.7" + std::string(2'000, '\x07');
  const auto result = shape(protocol::text_result(base64_encode(file)));
  EXPECT_THAT(text(*result, 0), HasSubstr(R"("mime_type":"application/pdf")"));
  EXPECT_EQ(artifact_text(linked(*result, 1)), file);
  // Short text, or text that only begins so, is text.
  EXPECT_EQ(text(*shape(protocol::text_result("JVBERi is how it begins")), 0), "JVBERi is how it begins");
  const std::string prose = "JVBERi" + std::string(1'000, ' ');
  EXPECT_EQ(text(*shape(protocol::text_result(prose)), 0), prose);
}

TEST_F(Shaped, FilesWithinObjectsStayStrings) {
  const std::string file = "\x89PNG" + std::string(3'000, '\x01');
  const json::Value before = json::Object{{"name", "chart"}, {"data", base64_encode(file)}};
  const auto result = shape(protocol::structured_result(before));
  const std::string uri = *result->structured->find("data")->if_string();
  EXPECT_THAT(uri, StartsWith("artifact://fs_"));
  EXPECT_EQ(artifact_text(uri), file);
  EXPECT_EQ(text(*result, 0), json::to_text(*result->structured)) << "both channels say the same";
  // And where there is only text.
  const auto alone = shape(protocol::text_result(json::to_text(before)));
  EXPECT_THAT(text(*alone, 0), HasSubstr(R"("data":"artifact://fs_)"));
}

TEST_F(Shaped, LongTextIsCutAndTheWholeOfItKept) {
  const std::string whole(50'000, 'x');
  const auto result = shape(protocol::text_result(whole));
  EXPECT_EQ(text(*result, 0).size(), 10'000U);
  EXPECT_EQ(text(*result, 1),
            "[Truncated: 10000 of 50000 bytes are shown. " + linked(*result, 3) + "?offset=10000 reads on]");
  EXPECT_THAT(text(*result, 2), HasSubstr("\"uri\":\"" + linked(*result, 3) + "\""));
  EXPECT_EQ(artifact_text(linked(*result, 3)), whole);
}

TEST_F(Shaped, TheFilesystemPresetShowsMoreThanTheDefault) {
  config_ = *get_artifact_preset("filesystem");
  const std::string whole(40'000, 'x');
  const auto result = shape(protocol::text_result(whole));
  EXPECT_GT(text(*result, 0).size(), 30'000U) << "as much as the budget of 32,000 bytes allows";
  EXPECT_THAT(text(*result, 1),
              HasSubstr("?offset=" + std::to_string(text(*result, 0).size()) + " reads on"));
  EXPECT_EQ(artifact_text(linked(*result, 3)), whole);
}

TEST_F(Shaped, LinkedTextBetweenTheTwoBoundsIsNeitherCutNorLost) {
  config_.resources.auto_read_if_size_under_bytes = 100'000;
  // Longer than the link may show, shorter than what the cache keeps as text.
  config_.resources.inline_text_if_under_chars = 5'000;
  linked_text_ = std::string(7'000, 'y');
  const auto longer = shape(link("file:///a.txt", 7'000));
  const json::Value shown = *json::read(text(*longer, 1));
  EXPECT_EQ(artifact_text(*shown.find("artifact")->find("uri")->if_string()), linked_text_);
  // An artifact of the cache, short enough to be shown with the link.
  config_.resources.inline_text_if_under_chars = 50'000;
  linked_text_ = std::string(12'000, 'z');
  linked_as_artifact_ = true;
  const auto shorter = shape(link("file:///b.txt", 12'000));
  EXPECT_EQ(*json::read(text(*shorter, 1))->find("text")->if_string(), linked_text_);
}

// What all blocks take: text, and everything else as it is written.
std::size_t bytes_in(const protocol::ToolResult& result) {
  std::size_t bytes = 0;
  for (const protocol::Content& block : result.content) {
    json::Writer out;
    protocol::encode(block, protocol::kNewest, out);
    const auto* text = std::get_if<protocol::TextContent>(&block.body);
    bytes += text != nullptr ? text->text.size() : std::move(out).take().size();
  }
  return bytes;
}

TEST_F(Shaped, AnAnswerOfManyBlocksIsBoundedToo) {
  for (const std::uint64_t tokens : {1'000U, 8'000U}) {
    options_.budget.tokens = tokens;
    protocol::ToolResult many;
    std::vector<std::string> texts;
    for (int i = 0; i < 500; ++i) {
      texts.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 900), 'a'));
      many.content.push_back(protocol::text_content(texts.back()));
    }
    const auto result = shape(std::move(many));
    EXPECT_LE(bytes_in(*result), tokens * 4);
    // What is shown, and behind it the artifact with the rest, are all of them.
    const std::size_t shown = result->content.size() - 2;
    ASSERT_GT(shown, 3U);
    for (std::size_t i = 0; i < shown; ++i) EXPECT_EQ(text(*result, i), texts[i]);
    EXPECT_THAT(text(*result, shown), HasSubstr(linked(*result, shown + 1)));
    const json::Value rest = *json::read(artifact_text(linked(*result, shown + 1)));
    ASSERT_EQ(rest.if_array()->size(), texts.size() - shown);
    for (std::size_t i = 0; i < rest.if_array()->size(); ++i)
      EXPECT_EQ(*(*rest.if_array())[i].find("text")->if_string(), texts[shown + i]);
  }
}

TEST_F(Shaped, ManyLinksAreBoundedToo) {
  protocol::ToolResult many;
  for (int i = 0; i < 2'000; ++i) {
    auto one = link("file:///data/" + std::to_string(i), {});
    many.content.push_back(std::move(one.content.front()));
  }
  const auto result = shape(std::move(many));
  EXPECT_LE(bytes_in(*result), 32'000U);
  const json::Value rest = *json::read(artifact_text(linked(*result, result->content.size() - 1)));
  EXPECT_EQ(rest.if_array()->size() + (result->content.size() - 2) / 2, 2'000U);
}

TEST_F(Shaped, StructuredContentIsCutSoThatItFitsItsSchema) {
  json::Array rows;
  for (int i = 0; i < 5'000; ++i) rows.push_back(json::Object{{"id", i}, {"note", std::string(50, 'n')}});
  const json::Value whole = json::Object{{"status", "ok"}, {"rows", std::move(rows)}};
  const json::Value schema = *[] {
    return std::make_shared<json::Value>(json::Object{
        {"type", "object"},
        {"properties",
         json::Object{
             {"status", json::Object{{"type", "string"}}},
             {"rows", json::Object{{"type", "array"},
                                   {"items", json::Object{{"type", "object"},
                                                          {"required", json::Array{"id", "note"}}}}}}}},
        {"required", json::Array{"status", "rows"}}});
  }();
  const auto result = shape(protocol::structured_result(whole), &schema);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_LE(json::to_text(*result->structured).size(), 32'000U);
  EXPECT_TRUE(json::Schema::compile(schema)->validate(*result->structured).empty());
  EXPECT_GT(result->structured->find("rows")->if_array()->size(), 5U);
  const std::string uri = *result->meta.find("sluice/truncated")->find("artifact")->if_string();
  EXPECT_EQ(artifact_text(uri), json::to_text(whole));
  // The text says so as well: many hosts show nothing else.
  EXPECT_THAT(text(*result, result->content.size() - 1), HasSubstr(uri));
  EXPECT_LE(bytes_in(*result), 32'000U);
}

TEST_F(Shaped, WhatCannotBeCutWithinItsSchemaIsAnErrorWithTheArtifact) {
  const json::Value schema = json::Object{
      {"type", "object"}, {"properties", json::Object{{"id", json::Object{{"minLength", 90'000}}}}}};
  const auto result =
      shape(protocol::structured_result(json::Object{{"id", std::string(90'000, 'x')}}), &schema);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "upstream_answer_too_large");
  EXPECT_THAT(result.error().hint, HasSubstr("artifact://fs_"));
}

TEST_F(Shaped, EmbeddedBinariesBecomeArtifacts) {
  protocol::ToolResult given;
  given.content.push_back({.body = protocol::EmbeddedResource{{.uri = "file:///a/pic.png",
                                                               .mime_type = "image/png",
                                                               .body = protocol::BlobBody{"\x89PNG"},
                                                               .meta = {}}},
                           .annotations = {},
                           .meta = {}});
  const auto result = shape(std::move(given));
  EXPECT_THAT(text(*result, 0), HasSubstr(R"("filename":"pic.png")"));
  EXPECT_EQ(artifact_text(linked(*result, 1)), "\x89PNG");
}

}  // namespace
}  // namespace sluice::gateway
