#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/principal.h"
#include "sluice/contents/uri_query.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/json/value.h"

namespace sluice::gateway {

// What the tool resources_read answers about a read. Text that does not fit becomes an artifact, and `next`
// is the URI that reads on, also if it is the upstream that gave only a part. One call, one thread.
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

  // A part of one of the contents: {"text"} or {"blob"} with {"offset", "size_bytes"}, and {"next_offset"}
  // unless it is the last part.
  json::Object part(const KeptRead& read, std::size_t item, const contents::Range& range);
  // A part of an artifact, as the range says; what the range leaves open is as the URI says.
  json::Object artifact_part(std::string_view uri, const contents::Range& range);

 private:
  json::Object item(const KeptRead::Item& item, std::size_t bytes_max);
  json::Object text_item(const KeptRead::Item& item, const std::string& text, std::size_t bytes_max);
  // How a part goes on.
  struct Onward {
    std::string range_uri;  // What "offset=…" is put behind; empty: only the offset is said.
    std::string then;       // The URI behind the last part; empty: there is none.
  };
  json::Object part_of(std::string_view bytes, bool is_text, const contents::Range& range,
                       const Onward& onward) const;
  // The URI at which the upstream goes on behind a content; empty: it does not.
  std::string next_page(const KeptRead::Item& item) const;
  std::optional<std::string> short_text(const KeptRead::Item& item);

  ArtifactStore& artifacts_;
  const Principal& owner_;
  const std::string name_space_;
  const Bounds bounds_;
};

// {"error"} with {"code", "hint"}, as far as the error has them.
json::Object error_answer(const Error& error);

}  // namespace sluice::gateway
