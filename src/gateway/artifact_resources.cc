#include "artifact_resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/uri_query.h"

namespace sluice::gateway {
namespace {

constexpr std::chrono::milliseconds kHintMax{60'000};
constexpr std::string_view kCutMark = "\n\n[Content truncated...]";  // As read_contents writes it.
constexpr std::array<std::string_view, 2> kRangeParameters{"offset", "length"};

}  // namespace

std::string filename_of(std::string_view uri) {
  constexpr std::size_t kFilenameBytesMax = 120;
  const std::string_view path = uri.substr(0, uri.find_first_of("?#"));
  const std::size_t slash = path.find_last_of('/');
  const Result<std::string> name =
      percent_decode(slash == std::string_view::npos ? "" : path.substr(slash + 1));
  if (!name.ok() || !is_valid_utf8(*name)) return {};
  std::string out = excerpt(*name, kFilenameBytesMax);
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

protocol::Resource resource_of(const ArtifactRef& artifact) {
  protocol::Resource resource;
  resource.uri = artifact_uri(artifact);
  resource.name = artifact.filename;
  resource.mime_type = artifact.mime_type;
  resource.size = artifact.size_bytes;
  return resource;
}

Result<protocol::ReadResult> read_artifact(ArtifactStore& artifacts, const Principal& owner,
                                           const ResourceUri& uri, std::size_t bytes_max) {
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
  // Who has less room than one read gives gets a part, also of what is no text.
  const std::size_t room = std::max<std::size_t>(bytes_max, 1);
  if (room < contents::kContentBytesMax && bytes->size() > room)
    range->length = std::min<std::uint64_t>(range->length.value_or(room), room);
  // Text stays text, whatever its type is called: it may be the rest of what was begun as text.
  const bool is_text = is_valid_utf8(*bytes) && bytes->find('\0') == std::string::npos;
  SLUICE_TRY(protocol::ResourceContents contents,
             contents::read_contents(contents::MemorySource(*bytes),
                                     {.name = artifact->filename,
                                      .uri = uri.text(),
                                      .range = *range,
                                      .type = is_text ? "text/plain" : artifact->mime_type}));
  contents.mime_type = artifact->mime_type;
  protocol::ReadResult result;
  result.contents.push_back(std::move(contents));
  result.cache.ttl = kHintMax;  // Its name is made from its content.
  return result;
}

namespace {

// The beginning of bytes that an artifact holds, in at most `room` bytes.
Result<protocol::ResourceContents> beginning(const KeptRead::Item& item, const ArtifactRef& artifact,
                                             std::string_view bytes, std::size_t room) {
  contents::Range range;
  if (room < contents::kContentBytesMax && room < bytes.size())
    range = {.offset = 0, .length = std::max<std::size_t>(room, 1)};
  SLUICE_TRY(protocol::ResourceContents out,
             contents::read_contents(contents::MemorySource(bytes),
                                     {.name = artifact.filename,
                                      .uri = item.uri,
                                      .range = range,
                                      .type = item.is_text ? "text/plain" : artifact.mime_type,
                                      .range_uri = artifact_uri(artifact) + "?"}));
  if (auto* text = std::get_if<protocol::TextBody>(&out.body); text != nullptr && range.is_given())
    text->text += kCutMark;
  return out;
}

// One item, of which at most `room` bytes are shown.
Result<protocol::ResourceContents> item_contents(const KeptRead::Item& item, ArtifactStore& artifacts,
                                                 const Principal& owner, std::size_t room) {
  protocol::ResourceContents contents;
  contents.uri = item.uri;
  const auto* text = std::get_if<protocol::TextBody>(&item.body);
  const auto* blob = std::get_if<protocol::BlobBody>(&item.body);
  if (text != nullptr && text->text.size() <= room) {
    contents.body = *text;
  } else if (blob != nullptr && blob->bytes.size() <= room) {
    contents.body = *blob;
  } else if (text != nullptr || blob != nullptr) {
    const std::string& bytes = text != nullptr ? text->text : blob->bytes;
    const std::string usual = text != nullptr ? "text/plain" : "application/octet-stream";
    SLUICE_TRY(const ArtifactRef artifact, artifacts.put(owner, bytes,
                                                         {.name_space = "resource",
                                                          .mime_type = item.mime_type.value_or(usual),
                                                          .filename = filename_of(item.uri),
                                                          .source = item.uri}));
    SLUICE_TRY(contents, beginning(item, artifact, bytes, room));
  } else {
    const auto& artifact = std::get<ArtifactRef>(item.body);
    SLUICE_TRY(const std::string bytes, artifacts.read(owner, artifact.id));
    SLUICE_TRY(contents, beginning(item, artifact, bytes, room));
  }
  if (item.mime_type) contents.mime_type = item.mime_type;
  for (const json::Member& member : item.meta) contents.meta.set(member.key, member.value);
  return contents;
}

std::size_t bytes_of(const protocol::ResourceContents& contents) {
  const auto* text = std::get_if<protocol::TextBody>(&contents.body);
  return text != nullptr ? text->text.size() : std::get<protocol::BlobBody>(contents.body).bytes.size();
}

}  // namespace

Result<protocol::ReadResult> contents_of(const KeptRead& read, ArtifactStore& artifacts,
                                         const Principal& owner, Monotonic now, std::size_t bytes_max) {
  protocol::ReadResult result;
  result.meta = read.meta;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(read.expires - now);
  result.cache.ttl = std::clamp(left, std::chrono::milliseconds(0), kHintMax);
  std::size_t room = std::min(bytes_max, contents::kContentBytesMax);
  for (const KeptRead::Item& item : read.items) {
    SLUICE_TRY(protocol::ResourceContents contents, item_contents(item, artifacts, owner, room));
    room -= std::min(room, bytes_of(contents));
    result.contents.push_back(std::move(contents));
  }
  return result;
}

}  // namespace sluice::gateway
