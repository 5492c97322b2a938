#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/fs/private_folder.h"
#include "sluice/json/value.h"

namespace sluice::gateway {

// Names content that is kept. The id is made from the namespace and the content.
struct ArtifactRef {
  std::string id;  // "fs_1a2b3c4d5e6f"
  std::string mime_type = "application/octet-stream";
  std::uint64_t size_bytes = 0;
  std::string filename;
  std::string sha256;  // Hexadecimal.
  std::string name_space;
  std::string source;  // The URI or tool that it came from. May be empty.
};

// {id, uri, mime_type, size_bytes, filename, sha256}
json::Object to_json(const ArtifactRef& artifact);
// "artifact://fs_1a2b3c4d5e6f"
std::string artifact_uri(const ArtifactRef& artifact);
// Nothing but what a store makes: letters, digits, '_' and '-', within a bound.
bool is_artifact_id(std::string_view id);

struct ArtifactBounds {
  std::chrono::seconds retention{3'600};
  std::size_t artifact_bytes_max = std::size_t{50} * 1024 * 1024;
  std::uint64_t bytes_max = std::uint64_t{256} * 1024 * 1024;  // Of all. The oldest go to make room.
  std::size_t entries_max = 10'000;
};

struct NewArtifact {
  std::string name_space;
  std::string mime_type = "application/octet-stream";
  std::string filename;
  std::string source;
};

// Content that is too large, or not of the kind, to be shown. Each artifact belongs to one principal; to
// anybody else it does not exist. Any thread.
class ArtifactStore {
 public:
  virtual ~ArtifactStore() = default;

  // The same content of the same namespace is one artifact, which is kept anew. kLimitReached: too large.
  virtual Result<ArtifactRef> put(const Principal& owner, std::string_view bytes,
                                  const NewArtifact& details) = 0;
  // kNotFound for what is unknown, gone or somebody else's.
  virtual Result<ArtifactRef> find(const Principal& owner, std::string_view id) = 0;
  virtual Result<std::string> read(const Principal& owner, std::string_view id) = 0;
  // By id, after `after`.
  virtual std::vector<ArtifactRef> list(const Principal& owner, std::string_view after,
                                        std::size_t limit) = 0;
};

// What the stores share: which artifacts there are, and which have to go. Not locked.
class ArtifactIndex {
 public:
  struct Entry {
    ArtifactRef artifact;
    WallTime expires;
  };
  using Key = std::pair<std::string, std::string>;  // The owner's id, the artifact's.

  explicit ArtifactIndex(const Clock& clock, ArtifactBounds bounds) : clock_(clock), bounds_(bounds) {}

  // A name for the content, which is not that of other content.
  Result<ArtifactRef> name(const Principal& owner, std::string_view bytes, const NewArtifact& details) const;
  // Returns whose bytes have to go: those that expired, and, if there is no room, the oldest of the
  // owner that has most.
  std::vector<Key> add(const Principal& owner, ArtifactRef artifact, std::optional<WallTime> expires = {});
  std::vector<Key> expire();
  void erase(const Key& key);
  const Entry* find(const Principal& owner, std::string_view id) const;  // Null where there is none.
  std::vector<ArtifactRef> list(const Principal& owner, std::string_view after, std::size_t limit) const;
  WallTime expiry() const { return clock_.wall() + bounds_.retention; }
  const ArtifactBounds& bounds() const { return bounds_; }

 private:
  Key oldest_of_largest_owner() const;

  const Clock& clock_;
  const ArtifactBounds bounds_;
  std::map<Key, Entry> entries_;
  std::uint64_t bytes_ = 0;
};

// Held in memory; lost when the process exits.
class InMemoryArtifactStore final : public ArtifactStore {
 public:
  explicit InMemoryArtifactStore(ArtifactBounds bounds = {}, const Clock& clock = system_clock());

  Result<ArtifactRef> put(const Principal& owner, std::string_view bytes,
                          const NewArtifact& details) override;
  Result<ArtifactRef> find(const Principal& owner, std::string_view id) override;
  Result<std::string> read(const Principal& owner, std::string_view id) override;
  std::vector<ArtifactRef> list(const Principal& owner, std::string_view after, std::size_t limit) override;

 private:
  using Bytes = std::shared_ptr<const std::string>;  // Owners: the store, and who is reading.
  void drop(const std::vector<ArtifactIndex::Key>& keys) SLUICE_REQUIRES(mutex_);

  Mutex mutex_;
  ArtifactIndex index_ SLUICE_GUARDED_BY(mutex_);
  std::map<ArtifactIndex::Key, Bytes> bytes_ SLUICE_GUARDED_BY(mutex_);
};

// In a folder of its own that nobody else may read. What was kept is there after a restart; a crash leaves
// whole artifacts only.
class DiskArtifactStore final : public ArtifactStore {
 public:
  static Result<std::shared_ptr<DiskArtifactStore>> open(const std::string& folder,
                                                         ArtifactBounds bounds = {},
                                                         const Clock& clock = system_clock());

  Result<ArtifactRef> put(const Principal& owner, std::string_view bytes,
                          const NewArtifact& details) override;
  Result<ArtifactRef> find(const Principal& owner, std::string_view id) override;
  Result<std::string> read(const Principal& owner, std::string_view id) override;
  std::vector<ArtifactRef> list(const Principal& owner, std::string_view after, std::size_t limit) override;

 private:
  DiskArtifactStore(fs::PrivateFolder folder, ArtifactBounds bounds, const Clock& clock);
  Status load() SLUICE_REQUIRES(mutex_);
  void drop(const std::vector<ArtifactIndex::Key>& keys);

  const fs::PrivateFolder folder_;
  const std::uint64_t bytes_max_;  // Of one artifact.
  Mutex mutex_;
  ArtifactIndex index_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::gateway
