#pragma once

#include <algorithm>
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

// In `_meta` of a result whose structured content was cut: {"bytes", "artifact"}.
inline constexpr std::string_view kTruncatedKey = "sluice/truncated";

// Makes the result of an upstream's tool one that can be shown: links to resources become stubs, or what they
// lead to if that is small; files in base64 and binary contents become artifacts; what is too large is cut so
// that it still fits the tool's schema. The text of all blocks together, with the links and what is said
// about them, takes at most the budget, and so does the structured content. Whatever is cut is an artifact as
// a whole, and the text names the URI that reads on. One result, one thread.
class ResultShaper {
 public:
  struct Source {
    std::string name_space;
    std::string tool;
    const json::Value* output_schema = nullptr;  // Null: it has none. Must outlive the shaper.
  };
  using Reader = std::function<Result<ResourceCache::Read>(const std::string& uri)>;

  // `config`, `artifacts` and `options` must outlive the shaper.
  ResultShaper(Source source, const ArtifactExtractionConfig& config, ArtifactStore& artifacts,
               const CallOptions& options, Reader read);

  Result<protocol::ToolResult> shape(protocol::ToolResult result);
  // Whether blocks of what was shaped so far had to be left out: nothing more can be shown.
  bool is_full() const { return is_full_; }

 private:
  using Blocks = std::vector<protocol::Content>;

  std::size_t left() const { return room_ - std::min(room_, shown_ + tail_bytes_); }
  std::optional<ArtifactRef> keep(std::string_view bytes, std::string_view type, std::string_view filename);
  static void add_artifact(const protocol::Content& like, const ArtifactRef& artifact, Blocks& out);
  bool accept(Blocks made, Blocks& out);
  bool add(protocol::Content& block, Blocks& out);
  void add_rest(Blocks& blocks, std::size_t first, Blocks& out);
  Blocks text_blocks(const protocol::Content& block, std::string text);
  Blocks link_blocks(const protocol::Content& block);
  Blocks resource_blocks(const protocol::Content& block);
  template <typename Media>
  bool add_media(protocol::Content& block, Blocks& out);
  bool replace_files(json::Value& value);
  std::optional<ArtifactRef> file_of(std::string_view text);
  Status shape_structured(protocol::ToolResult& result);

  const Source source_;
  const ArtifactExtractionConfig& config_;
  ArtifactStore& artifacts_;
  const CallOptions& options_;
  const Reader read_;
  const std::size_t room_;        // Bytes of text and links.
  const std::size_t tail_bytes_;  // Of these, for what is said about blocks that were left out.
  std::size_t shown_ = 0;
  std::size_t media_shown_ = 0;  // Bytes of pictures and sounds in base64, which have a bound of their own.
  bool is_full_ = false;
  std::string structured_text_;  // The whole of the structured content, as it may be shown.
  std::string structured_note_;  // What is said about it if it was cut.
};

// {"type":"artifact_stub","resource_uri","summary","note"}
json::Object artifact_stub(const std::string& uri);
bool is_artifact_stub(std::string_view text);

}  // namespace sluice::gateway
