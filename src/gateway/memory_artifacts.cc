#include <utility>

#include "sluice/gateway/artifact_store.h"

#include "artifact_error.h"

namespace sluice::gateway {

InMemoryArtifactStore::InMemoryArtifactStore(ArtifactBounds bounds, const Clock& clock)
    : index_(clock, bounds) {}

void InMemoryArtifactStore::drop(const std::vector<ArtifactIndex::Key>& keys) {
  for (const ArtifactIndex::Key& key : keys) bytes_.erase(key);
}

Result<ArtifactRef> InMemoryArtifactStore::put(const Principal& owner, std::string_view bytes,
                                               const NewArtifact& details) {
  const MutexLock lock(mutex_);
  SLUICE_TRY(ArtifactRef artifact, index_.name(owner, bytes, details));
  drop(index_.add(owner, artifact));
  bytes_[{owner.id, artifact.id}] = std::make_shared<const std::string>(bytes);
  return artifact;
}

Result<ArtifactRef> InMemoryArtifactStore::find(const Principal& owner, std::string_view id) {
  const MutexLock lock(mutex_);
  const ArtifactIndex::Entry* entry = index_.find(owner, id);
  if (entry == nullptr) return unknown_artifact(id);
  return entry->artifact;
}

Result<std::string> InMemoryArtifactStore::read(const Principal& owner, std::string_view id) {
  Bytes bytes;
  {
    const MutexLock lock(mutex_);
    drop(index_.expire());
    const auto at = bytes_.find({owner.id, std::string(id)});
    if (at == bytes_.end()) return unknown_artifact(id);
    bytes = at->second;
  }
  return *bytes;
}

std::vector<ArtifactRef> InMemoryArtifactStore::list(const Principal& owner, std::string_view after,
                                                     std::size_t limit) {
  const MutexLock lock(mutex_);
  return index_.list(owner, after, limit);
}

}  // namespace sluice::gateway
