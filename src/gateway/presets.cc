#include "sluice/gateway/config.h"

namespace sluice::gateway {

std::optional<ArtifactExtractionConfig> get_artifact_preset(std::string_view name) {
  if (name == "default") return ArtifactExtractionConfig{};
  if (name != "filesystem") return std::nullopt;
  ArtifactExtractionConfig preset;
  preset.max_inline_size = 50'000;
  preset.resources.auto_read_if_size_under_bytes = 100'000;
  preset.resources.inline_text_if_under_chars = 50'000;
  preset.resources.cache_reads_to_artifacts = true;
  return preset;
}

}  // namespace sluice::gateway
