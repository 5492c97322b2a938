#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/assert.h"
#include "sluice/base/text.h"
#include "sluice/crypto/digest.h"
#include "sluice/gateway/artifact_store.h"

#include "artifact_error.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kIdBytesMax = 128;
constexpr std::size_t kDigestDigits = 12;  // More where that is taken by other content.
constexpr std::size_t kDigestDigitsMax = 64;
constexpr std::size_t kIdPrefixBytesMax = 48;

bool is_id_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

std::string hexadecimal(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return out;
}

}  // namespace

json::Object to_json(const ArtifactRef& artifact) {
  return {{"id", artifact.id},
          {"uri", artifact_uri(artifact)},
          {"mime_type", artifact.mime_type},
          {"size_bytes", artifact.size_bytes},
          {"filename", artifact.filename},
          {"sha256", artifact.sha256}};
}

Error unknown_artifact(std::string_view id) {
  return not_found("unknown artifact: " + excerpt(id))
      .with_code("unknown_artifact")
      .with_hint("Artifacts are kept for a time. Make it again with the call that made it.");
}

std::string artifact_uri(const ArtifactRef& artifact) { return "artifact://" + artifact.id; }

bool is_artifact_id(std::string_view id) {
  return !id.empty() && id.size() <= kIdBytesMax && std::all_of(id.begin(), id.end(), is_id_character);
}

Result<ArtifactRef> ArtifactIndex::name(const Principal& owner, std::string_view bytes,
                                        const NewArtifact& details) const {
  if (bytes.size() > bounds_.artifact_bytes_max || bytes.size() > bounds_.bytes_max)
    return limit_reached("bytes in one artifact", std::min(bounds_.artifact_bytes_max, bounds_.bytes_max))
        .with_code("artifact_too_large")
        .with_hint(
            "Ask for less, or have `artifacts` of the configuration raised: `max_artifact_bytes`, "
            "`max_bytes`.");
  ArtifactRef artifact{.id = {},
                       .mime_type = details.mime_type,
                       .size_bytes = bytes.size(),
                       .filename = details.filename,
                       .sha256 = hexadecimal(crypto::sha256(bytes)),
                       .name_space = details.name_space,
                       .source = details.source};
  std::string prefix = details.name_space.substr(0, kIdPrefixBytesMax);
  std::replace_if(
      prefix.begin(), prefix.end(), [](char c) { return !is_id_character(c); }, '_');
  for (std::size_t digits = kDigestDigits; digits <= kDigestDigitsMax; digits += 4) {
    artifact.id = prefix + "_" + artifact.sha256.substr(0, digits);
    const Entry* taken = find(owner, artifact.id);
    if (taken == nullptr || taken->artifact.sha256 == artifact.sha256) break;
  }
  if (artifact.filename.empty()) artifact.filename = artifact.id;
  return artifact;
}

std::vector<ArtifactIndex::Key> ArtifactIndex::add(const Principal& owner, ArtifactRef artifact,
                                                   std::optional<WallTime> expires) {
  const Key key{owner.id, artifact.id};
  erase(key);
  std::vector<Key> gone = expire();
  while (!entries_.empty() &&
         (entries_.size() >= bounds_.entries_max || bytes_ + artifact.size_bytes > bounds_.bytes_max)) {
    const Key oldest = oldest_of_largest_owner();
    erase(oldest);
    gone.push_back(oldest);
  }
  bytes_ += artifact.size_bytes;
  const bool is_new =
      entries_.emplace(key, Entry{.artifact = std::move(artifact), .expires = expires.value_or(expiry())})
          .second;
  SLUICE_ASSERT(is_new, "an artifact that is replaced has been erased, or its bytes would count twice");
  return gone;
}

// Whoever has most loses first, so that one caller cannot push out what others have.
ArtifactIndex::Key ArtifactIndex::oldest_of_largest_owner() const {
  SLUICE_ASSERT(!entries_.empty(), "room is made only if something takes it");
  const bool by_count = entries_.size() >= bounds_.entries_max;
  std::map<std::string, std::uint64_t> held;
  for (const auto& [key, entry] : entries_) held[key.first] += by_count ? 1 : entry.artifact.size_bytes;
  const std::string largest = std::max_element(held.begin(), held.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })->first;
  auto oldest = entries_.end();
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->first.first != largest) continue;
    if (oldest == entries_.end() || at->second.expires < oldest->second.expires) oldest = at;
  }
  return oldest->first;
}

std::vector<ArtifactIndex::Key> ArtifactIndex::expire() {
  std::vector<Key> gone;
  const WallTime now = clock_.wall();
  for (const auto& [key, entry] : entries_) {
    if (entry.expires <= now) gone.push_back(key);
  }
  for (const Key& key : gone) erase(key);
  return gone;
}

void ArtifactIndex::erase(const Key& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return;
  SLUICE_ASSERT(bytes_ >= at->second.artifact.size_bytes, "what is erased was counted when it came");
  bytes_ -= at->second.artifact.size_bytes;
  entries_.erase(at);
}

const ArtifactIndex::Entry* ArtifactIndex::find(const Principal& owner, std::string_view id) const {
  const auto at = entries_.find(Key{owner.id, std::string(id)});
  if (at == entries_.end() || at->second.expires <= clock_.wall()) return nullptr;
  return &at->second;
}

std::vector<ArtifactRef> ArtifactIndex::list(const Principal& owner, std::string_view after,
                                             std::size_t limit) const {
  std::vector<ArtifactRef> out;
  const WallTime now = clock_.wall();
  for (auto at = entries_.upper_bound(Key{owner.id, std::string(after)});
       at != entries_.end() && at->first.first == owner.id && out.size() < limit; ++at) {
    if (at->second.expires > now) out.push_back(at->second.artifact);
  }
  return out;
}

}  // namespace sluice::gateway
