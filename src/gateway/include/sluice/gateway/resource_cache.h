#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/config.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::gateway {

// What an upstream answers to a read. `hint` is absent where the server says nothing of keeping it.
struct UpstreamRead {
  std::vector<protocol::ResourceContents> contents;
  std::optional<protocol::CacheHint> hint;
  json::Object meta;
};

// A read as it is kept: small text as it is, the rest as artifacts of the one who asked.
struct KeptRead {
  struct Item {
    std::string uri;
    std::optional<std::string> mime_type;
    std::variant<protocol::TextBody, protocol::BlobBody, ArtifactRef> body;
    bool is_text = true;  // What an artifact holds.
    json::Object meta;
  };
  std::vector<Item> items;
  json::Object meta;
  Monotonic expires;
};

// What the tool resources_read answers: {"text"}, {"artifact"} or {"error"}; several contents are {"items"}.
json::Object to_json(const KeptRead& read, std::size_t inline_chars_max);

// Reads of one upstream's resources, kept for each principal. While one caller reads, others who want the
// same wait for what it gets. Errors are not kept. Any thread.
class ResourceCache {
 public:
  using Read = std::shared_ptr<const KeptRead>;  // Owners: the cache, and who was given it.
  using ReadFn = std::function<Result<UpstreamRead>(const std::string& uri, const CallOptions& options)>;

  // `clock` must outlive it. `cache_reads_to_artifacts`: false keeps everything in the entry.
  ResourceCache(std::shared_ptr<ArtifactStore> artifact_store, std::string name_space,
                ResourceCacheConfig config = {}, bool cache_reads_to_artifacts = true,
                const Clock& clock = system_clock());

  Result<Read> get_or_fetch(const std::string& uri, const ReadFn& read_fn, const CallOptions& options);

  // What is kept and whole, or null. Never fetches.
  Read find(const std::string& uri, const Principal& principal);

  // For every principal.
  void invalidate(const std::string& uri);
  std::size_t invalidate_all();  // How many went.
  std::size_t size() const;
  const ResourceCacheConfig& config() const { return config_; }

 private:
  Result<cache::Loaded<KeptRead>> load(const std::string& uri, const ReadFn& read_fn,
                                       const CallOptions& options) const;
  Result<KeptRead::Item> keep(protocol::ResourceContents contents, const CallOptions& options) const;
  bool is_whole(const KeptRead& read, const Principal& principal) const;

  const std::shared_ptr<ArtifactStore> artifacts_;  // Shared with the other upstreams.
  const std::string name_space_;
  const ResourceCacheConfig config_;
  const bool to_artifacts_;
  const Clock& clock_;
  cache::Cache<KeptRead> cache_;
};

}  // namespace sluice::gateway
