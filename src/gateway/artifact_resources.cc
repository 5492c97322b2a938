#include "artifact_resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/catalog/provider.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/uri_query.h"

namespace sluice::gateway {
namespace {

constexpr std::chrono::milliseconds kHintMax{60'000};
constexpr std::array<std::string_view, 2> kRangeParameters{"offset", "length"};

}  // namespace

protocol::Resource resource_of(const ArtifactRef& artifact) {
  protocol::Resource resource;
  resource.uri = artifact_uri(artifact);
  resource.name = artifact.filename;
  resource.mime_type = artifact.mime_type;
  resource.size = artifact.size_bytes;
  return resource;
}

Result<protocol::ReadResult> read_artifact(ArtifactStore& artifacts, const Principal& owner,
                                           const ResourceUri& uri) {
  const std::string_view rest = std::string_view(uri.text()).substr(kArtifactScheme.size());
  const std::size_t mark = rest.find('?');
  const std::string_view id = rest.substr(0, mark);
  std::optional<contents::Range> range = contents::Range{};
  if (mark != std::string_view::npos) {
    const std::optional<contents::UriQuery> query =
        contents::UriQuery::parse(rest.substr(mark + 1), kRangeParameters);
    range = query ? query->range() : std::nullopt;
  }
  if (!is_artifact_id(id) || !range) return catalog::resource_not_found(uri.text());
  const Result<ArtifactRef> artifact = artifacts.find(owner, id);
  const Result<std::string> bytes = artifacts.read(owner, id);
  if (!artifact.ok() || !bytes.ok()) return catalog::resource_not_found(uri.text());
  SLUICE_TRY(
      protocol::ResourceContents contents,
      contents::read_contents(
          contents::MemorySource(*bytes),
          {.name = artifact->filename, .uri = uri.text(), .range = *range, .type = artifact->mime_type}));
  protocol::ReadResult result;
  result.contents.push_back(std::move(contents));
  result.cache.ttl = kHintMax;  // Its name is made from its content.
  return result;
}

Result<protocol::ReadResult> contents_of(const KeptRead& read, ArtifactStore& artifacts,
                                         const Principal& owner, Monotonic now) {
  protocol::ReadResult result;
  result.meta = read.meta;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(read.expires - now);
  result.cache.ttl = std::clamp(left, std::chrono::milliseconds(0), kHintMax);
  for (const KeptRead::Item& item : read.items) {
    protocol::ResourceContents contents;
    contents.uri = item.uri;
    contents.mime_type = item.mime_type;
    if (const auto* text = std::get_if<protocol::TextBody>(&item.body)) {
      if (text->text.size() > contents::kContentBytesMax) {
        contents = contents::text_contents(item.uri, item.mime_type.value_or("text/plain"), text->text);
      } else {
        contents.body = *text;
      }
    } else if (const auto* blob = std::get_if<protocol::BlobBody>(&item.body)) {
      if (blob->bytes.size() > contents::kContentBytesMax)
        return limit_reached("bytes of a resource that is no text", contents::kContentBytesMax)
            .with_code("resource_too_large");
      contents.body = *blob;
    } else {
      const auto& artifact = std::get<ArtifactRef>(item.body);
      SLUICE_TRY(const std::string bytes, artifacts.read(owner, artifact.id));
      SLUICE_TRY(contents, contents::read_contents(contents::MemorySource(bytes),
                                                   {.name = artifact.filename,
                                                    .uri = item.uri,
                                                    .range = {},
                                                    .type = item.is_text ? "text/plain" : artifact.mime_type,
                                                    .range_uri = artifact_uri(artifact) + "?"}));
      if (item.mime_type) contents.mime_type = item.mime_type;
    }
    for (const json::Member& member : item.meta) contents.meta.set(member.key, member.value);
    result.contents.push_back(std::move(contents));
  }
  return result;
}

}  // namespace sluice::gateway
