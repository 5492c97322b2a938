// Any JSON as the result of another server's tool: what is shown of it fits, and is a result again.
#include <string>

#include "sluice/json/reader.h"
#include "sluice/protocol/wire/decode.h"

#include "property.h"
#include "result_shaper.h"

namespace {

namespace gateway = sluice::gateway;
namespace json = sluice::json;
namespace protocol = sluice::protocol;

constexpr std::uint64_t kTokens = 500;

std::size_t text_bytes_of(const protocol::ToolResult& result) {
  std::size_t bytes = 0;
  for (const protocol::Content& block : result.content) {
    if (const auto* text = std::get_if<protocol::TextContent>(&block.body)) bytes += text->text.size();
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sluice::Result<json::Value> value = json::read(text_of(data, size));
  if (!value || value->if_object() == nullptr) return 0;
  sluice::Result<protocol::ToolResult> result = protocol::decode_call_result(*value->if_object());
  if (!result) {
    require(!result.error().message.empty(), "a refusal says why");
    return 0;
  }
  gateway::ArtifactExtractionConfig config;
  config.resources.auto_read_if_size_under_bytes = 1'000;
  gateway::InMemoryArtifactStore artifacts;
  gateway::CallOptions options;
  options.budget.tokens = kTokens;
  gateway::ResultShaper shaper({.name_space = "fs", .tool = "export", .output_schema = nullptr}, config,
                               artifacts, options,
                               [](const std::string& uri) -> sluice::Result<gateway::ResourceCache::Read> {
                                 return sluice::not_found("read " + uri);
                               });
  const sluice::Result<protocol::ToolResult> shaped = shaper.shape(*std::move(result));
  if (!shaped) {
    require(!shaped.error().message.empty(), "a result that cannot be shown says why");
    return 0;
  }
  require(text_bytes_of(*shaped) <= kTokens * 4 + 1'000, "the text fits its budget");
  if (shaped->structured) {
    const std::string text = json::to_text(*shaped->structured);
    require(text.size() <= kTokens * 4 + 1'000, "the structured content fits its budget");
    require(json::read(text).ok(), "and is JSON");
  }
  return 0;
}
