#include "sluice/gateway/resource_cache.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "artifact_resources.h"
#include "text_part.h"

namespace sluice::gateway {
namespace {

constexpr std::chrono::milliseconds kLifetimeMax = kCacheLifetimeMax;
constexpr char kUriEnd = '\n';  // No URI has one, so that a URI is no prefix of another's key.

std::size_t kept_bytes(const KeptRead& read) {
  std::size_t bytes = json::to_text(read.meta).size();
  for (const KeptRead::Item& item : read.items) {
    bytes += sizeof(item) + item.uri.size() + json::to_text(item.meta).size();
    if (const auto* text = std::get_if<protocol::TextBody>(&item.body)) bytes += text->text.size();
    if (const auto* blob = std::get_if<protocol::BlobBody>(&item.body)) bytes += blob->bytes.size();
  }
  return bytes;
}

json::Object item_json(const KeptRead::Item& item, std::size_t inline_chars_max) {
  if (const auto* artifact = std::get_if<ArtifactRef>(&item.body)) return {{"artifact", to_json(*artifact)}};
  if (const auto* blob = std::get_if<protocol::BlobBody>(&item.body))
    return {
        {"error", fmt::format("Binary content of {} bytes is not kept as an artifact", blob->bytes.size())}};
  const std::string& text = std::get<protocol::TextBody>(item.body).text;
  if (text.empty()) return {{"error", "Resource has no content"}};
  const std::size_t end = end_of_chars(text, inline_chars_max);
  if (end == text.size()) return {{"text", text}};
  return {
      {"text", text.substr(0, end)}, {"truncated", true}, {"size_bytes", text.size()}, {"next_offset", end}};
}

}  // namespace

json::Object to_json(const KeptRead& read, std::size_t inline_chars_max) {
  if (read.items.empty()) return {{"error", "Resource has no content"}};
  if (read.items.size() == 1) return item_json(read.items.front(), inline_chars_max);
  json::Array items;
  for (const KeptRead::Item& item : read.items) {
    json::Object one = item_json(item, inline_chars_max);
    one.set("uri", item.uri);
    if (item.mime_type) one.set("mime_type", *item.mime_type);
    items.emplace_back(std::move(one));
  }
  return {{"items", std::move(items)}};
}

ResourceCache::ResourceCache(std::shared_ptr<ArtifactStore> artifact_store, std::string name_space,
                             ResourceCacheConfig config, bool cache_reads_to_artifacts, const Clock& clock)
    : artifacts_(std::move(artifact_store)),
      name_space_(std::move(name_space)),
      config_(config),
      to_artifacts_(cache_reads_to_artifacts && artifacts_ != nullptr),
      clock_(clock),
      cache_(clock, {.entries_max = config.max_entries, .bytes_max = config.max_bytes}) {}

Result<KeptRead::Item> ResourceCache::keep(protocol::ResourceContents contents,
                                           const CallOptions& options) const {
  KeptRead::Item item{.uri = std::move(contents.uri),
                      .mime_type = std::move(contents.mime_type),
                      .body = protocol::TextBody{},
                      .is_text = std::holds_alternative<protocol::TextBody>(contents.body),
                      .meta = std::move(contents.meta)};
  if (item.is_text) {
    auto& text = std::get<protocol::TextBody>(contents.body);
    if (!to_artifacts_ || !has_more_chars(text.text, config_.inline_text_if_under_chars)) {
      item.body = std::move(text);
      return item;
    }
  } else if (!to_artifacts_) {
    item.body = std::move(std::get<protocol::BlobBody>(contents.body));
    return item;
  }
  const std::string& bytes = item.is_text ? std::get<protocol::TextBody>(contents.body).text
                                          : std::get<protocol::BlobBody>(contents.body).bytes;
  const std::string type = item.mime_type.value_or(item.is_text ? "text/plain" : "application/octet-stream");
  SLUICE_TRY(ArtifactRef artifact, artifacts_->put(options.principal, bytes,
                                                   {.name_space = name_space_,
                                                    .mime_type = type,
                                                    .filename = filename_of(item.uri),
                                                    .source = item.uri}));
  item.body = std::move(artifact);
  return item;
}

Result<cache::Loaded<KeptRead>> ResourceCache::load(const std::string& uri, const ReadFn& read_fn,
                                                    const CallOptions& options) const {
  SLUICE_TRY(UpstreamRead read, read_fn(uri, options));
  KeptRead kept;
  kept.meta = std::move(read.meta);
  for (protocol::ResourceContents& contents : read.contents) {
    SLUICE_TRY(KeptRead::Item item, keep(std::move(contents), options));
    kept.items.push_back(std::move(item));
  }
  std::chrono::milliseconds lifetime =
      std::min<std::chrono::milliseconds>(std::chrono::seconds(config_.ttl_seconds), kLifetimeMax);
  if (read.hint) lifetime = std::min(lifetime, read.hint->ttl);
  if (!config_.enabled) lifetime = std::chrono::milliseconds(0);
  kept.expires = clock_.now() + lifetime;
  const std::size_t bytes = kept_bytes(kept);
  return cache::Loaded<KeptRead>{.value = std::move(kept), .bytes = bytes, .lifetime = lifetime};
}

// An artifact may have gone before the entry that names it.
bool ResourceCache::is_whole(const KeptRead& read, const Principal& principal) const {
  return std::all_of(read.items.begin(), read.items.end(), [&](const KeptRead::Item& item) {
    const auto* artifact = std::get_if<ArtifactRef>(&item.body);
    return artifact == nullptr || artifacts_->find(principal, artifact->id).ok();
  });
}

ResourceCache::Read ResourceCache::find(const std::string& uri, const Principal& principal) {
  Read kept = cache_.find({.scope = cache::Scope::of(principal), .text = uri + kUriEnd});
  if (kept == nullptr || !is_whole(*kept, principal)) return nullptr;
  return kept;
}

Result<ResourceCache::Read> ResourceCache::get_or_fetch(const std::string& uri, const ReadFn& read_fn,
                                                        const CallOptions& options) {
  const cache::Key key{.scope = cache::Scope::of(options.principal), .text = uri + kUriEnd};
  if (const Read kept = cache_.find(key)) {
    if (is_whole(*kept, options.principal)) return kept;
    cache_.invalidate(key);
  }
  return cache_.get_or_load(
      key, [&](const std::stop_token&) { return load(uri, read_fn, options); }, options.stop);
}

void ResourceCache::invalidate(const std::string& uri) { cache_.invalidate_prefix(uri + kUriEnd); }

std::size_t ResourceCache::invalidate_all() { return cache_.invalidate_prefix(""); }

std::size_t ResourceCache::size() const { return cache_.counters().entries; }

}  // namespace sluice::gateway
