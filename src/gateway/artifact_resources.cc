#include "artifact_resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/contents.h"

namespace sluice::gateway {
namespace {

constexpr std::chrono::milliseconds kHintMax{60'000};
constexpr std::string_view kCutMark = "\n\n[Content truncated...]";  // As read_contents writes it.
// What an upstream says about its page. It holds only if the whole page is shown.
constexpr std::array<std::string_view, 5> kAboutPage{kNextKey, kPlainNextKey, "sluice/rows", "rows",
                                                     "has_more"};

bool is_about_page(std::string_view key) {
  return std::find(kAboutPage.begin(), kAboutPage.end(), key) != kAboutPage.end();
}

// `_meta` of an upstream, in which the URIs that read on have its namespace.
json::Object renamed(const json::Object& meta, const UriSpace& space) {
  json::Object out;
  for (const json::Member& member : meta) {
    const bool leads_on = member.key == kNextKey || member.key == kPlainNextKey;
    const std::string* uri = leads_on ? member.value.if_string() : nullptr;
    if (uri == nullptr) {
      out.append_unchecked(member.key, member.value);
    } else if (std::optional<std::string> here = space.encode(*uri)) {
      out.append_unchecked(member.key, *std::move(here));
    }
  }
  return out;
}

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
  std::optional<ArtifactLocation> location = ArtifactLocation::parse(uri.text());
  if (!location) return protocol::resource_not_found(uri.text());
  const Result<ArtifactRef> artifact = artifacts.find(owner, location->id);
  const Result<std::string> bytes = artifacts.read(owner, location->id);
  if (!artifact.ok() || !bytes.ok()) return protocol::resource_not_found(uri.text());
  // Who has less room than one read gives gets a part, also of what is no text.
  const std::size_t room = std::max<std::size_t>(bytes_max, 1);
  if (room < contents::kContentBytesMax && bytes->size() > room)
    location->range.length = std::min<std::uint64_t>(location->range.length.value_or(room), room);
  // Text stays text, whatever its type is called: it may be the rest of what was begun as text.
  const bool is_text = is_valid_utf8(*bytes) && bytes->find('\0') == std::string::npos;
  SLUICE_TRY(protocol::ResourceContents contents,
             contents::read_contents(contents::MemorySource(*bytes),
                                     {.name = artifact->filename,
                                      .uri = uri.text(),
                                      .range = location->range,
                                      .type = is_text ? "text/plain" : artifact->mime_type,
                                      .range_uri = location->range_uri()}));
  contents.mime_type = artifact->mime_type;
  if (!location->then.empty() && !contents.meta.contains(kNextKey))
    contents.meta.set(std::string(kNextKey), location->then);
  protocol::ReadResult result;
  result.contents.push_back(std::move(contents));
  result.cache.ttl = kHintMax;  // Its name is made from its content.
  return result;
}

namespace {

// The beginning of bytes that an artifact holds, in at most `room` bytes. `then` is where the upstream goes
// on.
Result<protocol::ResourceContents> beginning(const KeptRead::Item& item, const ArtifactRef& artifact,
                                             std::string_view bytes, std::size_t room,
                                             const std::string& then) {
  const ArtifactLocation location{.id = artifact.id, .range = {}, .then = then};
  contents::Range range;
  if (room < contents::kContentBytesMax && room < bytes.size())
    range = {.offset = 0, .length = std::max<std::size_t>(room, 1)};
  SLUICE_TRY(protocol::ResourceContents out,
             contents::read_contents(contents::MemorySource(bytes),
                                     {.name = artifact.filename,
                                      .uri = item.uri,
                                      .range = range,
                                      .type = item.is_text ? "text/plain" : artifact.mime_type,
                                      .range_uri = location.range_uri()}));
  if (auto* text = std::get_if<protocol::TextBody>(&out.body); text != nullptr && range.is_given())
    text->text += kCutMark;
  return out;
}

// One item, of which at most `room` bytes are shown.
Result<protocol::ResourceContents> item_contents(const KeptRead::Item& item, ArtifactStore& artifacts,
                                                 const Principal& owner, const UriSpace& space,
                                                 std::size_t room) {
  const json::Object meta = renamed(item.meta, space);
  const std::string then = next_in(meta);
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
    SLUICE_TRY(contents, beginning(item, artifact, bytes, room, then));
  } else {
    const auto& artifact = std::get<ArtifactRef>(item.body);
    SLUICE_TRY(const std::string bytes, artifacts.read(owner, artifact.id));
    SLUICE_TRY(contents, beginning(item, artifact, bytes, room, then));
  }
  if (item.mime_type) contents.mime_type = item.mime_type;
  const bool is_cut = contents.meta.contains(kNextKey);
  for (const json::Member& member : meta) {
    if (!is_cut || !is_about_page(member.key)) contents.meta.set(member.key, member.value);
  }
  return contents;
}

std::size_t body_bytes(const protocol::ResourceContents& contents) {
  const auto* text = std::get_if<protocol::TextBody>(&contents.body);
  return text != nullptr ? text->text.size() : std::get<protocol::BlobBody>(contents.body).bytes.size();
}

}  // namespace

Result<protocol::ReadResult> contents_of(const KeptRead& read, ArtifactStore& artifacts,
                                         const Principal& owner, Monotonic now, const UriSpace& space,
                                         std::size_t bytes_max) {
  protocol::ReadResult result;
  result.meta = renamed(read.meta, space);
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(read.expires - now);
  result.cache.ttl = std::clamp(left, std::chrono::milliseconds(0), kHintMax);
  std::size_t room = std::min(bytes_max, contents::kContentBytesMax);
  for (const KeptRead::Item& item : read.items) {
    SLUICE_TRY(protocol::ResourceContents contents, item_contents(item, artifacts, owner, space, room));
    room -= std::min(room, body_bytes(contents));
    result.contents.push_back(std::move(contents));
  }
  return result;
}

}  // namespace sluice::gateway
