#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/principal.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/json/value.h"

namespace sluice::gateway {

// What the tool resources_read answers about a read. Text that does not fit becomes an artifact, and the
// answer names the URI that reads on. One call, one thread.
class ReadAnswer {
 public:
  struct Bounds {
    std::size_t inline_chars_max = 0;  // Longer text is an artifact.
    std::size_t bytes_max = 0;         // Of the answer as JSON.
  };

  // Both must outlive it.
  ReadAnswer(ArtifactStore& artifacts, const Principal& owner, std::string name_space, Bounds bounds)
      : artifacts_(artifacts), owner_(owner), name_space_(std::move(name_space)), bounds_(bounds) {}

  // {"text"}, {"artifact"} or {"error"}. Several contents are {"items"}, of which `first_item` is the first
  // that is shown; if not all fit, {"truncated", "next_item"} say how to go on.
  json::Object of(const KeptRead& read, std::size_t first_item = 0);

  struct Range {
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
  };
  // A part of the content: {"text"} or {"blob"} with {"offset", "size_bytes"}, and {"next_offset"} unless it
  // is the last one.
  json::Object part(const KeptRead& read, const Range& range);
  // A part of an artifact, as its URI says, or as the range says if the URI has none.
  json::Object artifact_part(std::string_view uri, const Range& range);

 private:
  json::Object item(const KeptRead::Item& item, std::size_t bytes_max);
  json::Object text_item(const KeptRead::Item& item, const std::string& text, std::size_t bytes_max);
  json::Object part_of(std::string_view bytes, bool is_text, const Range& range) const;
  std::optional<std::string> short_text(const KeptRead::Item& item);

  ArtifactStore& artifacts_;
  const Principal& owner_;
  const std::string name_space_;
  const Bounds bounds_;
};

}  // namespace sluice::gateway
