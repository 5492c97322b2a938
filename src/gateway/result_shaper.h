#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/config.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/protocol/model/content.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// Makes the result of an upstream's tool one that can be shown: links to resources become stubs, or what they
// lead to where that is small; files in base64 and binary contents become artifacts; what is too large is cut
// so that it still fits the tool's schema, with the whole of it as an artifact. One result, one thread.
class ResultShaper {
 public:
  struct Source {
    std::string name_space;
    std::string tool;
    const json::Value* output_schema = nullptr;  // Null: it has none. Outlives this.
  };
  using Reader = std::function<Result<ResourceCache::Read>(const std::string& uri)>;

  // All of them outlive this.
  ResultShaper(Source source, const ArtifactExtractionConfig& config, ArtifactStore& artifacts,
               const CallOptions& options, Reader read)
      : source_(std::move(source)),
        config_(config),
        artifacts_(artifacts),
        options_(options),
        read_(std::move(read)) {}

  Result<protocol::ToolResult> shape(protocol::ToolResult result);

 private:
  using Blocks = std::vector<protocol::Content>;

  std::size_t room() const;
  std::optional<ArtifactRef> keep(std::string_view bytes, std::string_view type, std::string_view filename);
  void add_artifact(const protocol::Content& like, const ArtifactRef& artifact, Blocks& out);
  void add_text(protocol::Content block, Blocks& out);
  void add_link(protocol::Content block, Blocks& out);
  void add_resource(protocol::Content block, Blocks& out);
  template <typename Media>
  void add_media(protocol::Content block, Blocks& out);
  bool replace_files(json::Value& value);
  std::optional<std::string> file_of(std::string_view text);
  Status shape_structured(protocol::ToolResult& result);

  const Source source_;
  const ArtifactExtractionConfig& config_;
  ArtifactStore& artifacts_;
  const CallOptions& options_;
  const Reader read_;
  std::size_t shown_ = 0;  // Bytes of text so far.
};

// {"type":"artifact_stub","resource_uri","summary","note"}
json::Object artifact_stub(const std::string& uri);
bool is_artifact_stub(std::string_view text);

// `value` with strings and arrays cut until it takes at most `bytes_max` as text, or as near as it comes:
// keys stay, and every value keeps its type.
json::Value cut_to(const json::Value& value, std::size_t bytes_max);

}  // namespace sluice::gateway
