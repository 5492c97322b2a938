#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::gateway {

// How reads of resources are kept.
struct ResourceCacheConfig {
  bool enabled = true;
  std::size_t max_entries = 1'000;
  std::uint64_t ttl_seconds = 3'600;  // A server may ask for less, never for more.
  std::size_t inline_text_if_under_chars = 10'000;
  std::size_t max_bytes = std::size_t{16} * 1024 * 1024;
};

// What becomes of links to resources in the results of tools.
struct ResourceHandlingConfig {
  bool enabled = true;
  std::uint64_t auto_read_if_size_under_bytes = 0;  // 0: never.
  std::size_t inline_text_if_under_chars = 10'000;
  bool cache_reads_to_artifacts = true;
};

// What of an answer becomes an artifact.
struct ArtifactExtractionConfig {
  bool enabled = true;
  std::size_t max_inline_size = 10'000;  // Characters of text that is shown, where the rest is an artifact.
  std::size_t base64_chars_min = 1'000;  // Shorter text is never taken for an encoded file.
  ResourceHandlingConfig resources;
};

// Settings that fit a kind of server: "filesystem". Nothing where the name is not known.
std::optional<ArtifactExtractionConfig> get_artifact_preset(std::string_view name);

}  // namespace sluice::gateway
