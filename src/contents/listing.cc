#include "sluice/contents/listing.h"

#include <utility>

#include "sluice/contents/media_type.h"
#include "sluice/contents/read_room.h"
#include "sluice/json/writer.h"

namespace sluice::contents {

namespace {

void write_entry(const protocol::Resource& entry, json::Writer& out) {
  out.begin_object().field("uri", entry.uri).field("name", entry.name).field_if("mimeType", entry.mime_type);
  out.field_if("size", entry.size);
  if (entry.annotations) out.field_if("lastModified", entry.annotations->last_modified);
  for (const json::Member& member : entry.meta) out.field(member.key, member.value);
  out.end_object();
}

}  // namespace

protocol::ResourceContents listing_contents(std::string uri, const std::vector<protocol::Resource>& entries,
                                            std::size_t total, const std::string& next) {
  json::Writer out;
  out.begin_object().key("entries").begin_array();
  for (const protocol::Resource& entry : entries) write_entry(entry, out);
  out.end_array();
  if (!next.empty()) out.field("next", next);
  out.field("total", total).end_object();
  protocol::ResourceContents contents;
  contents.uri = std::move(uri);
  contents.mime_type = std::string(kFolderType);
  contents.body = protocol::TextBody{.text = std::move(out).take()};
  if (!next.empty()) contents.meta.set("sluice/next", next);
  return contents;
}

std::size_t entries_that_fit(const std::vector<protocol::Resource>& entries, std::size_t room) {
  // The fields around the entries, and the URI that continues, which is little longer than an entry's own.
  constexpr std::size_t kFrameBytes = 80;
  std::size_t bytes = kFrameBytes;
  std::size_t count = 0;
  for (const protocol::Resource& entry : entries) {
    json::Writer out;
    write_entry(entry, out);
    bytes += json_string_bytes(out.text()) + 1;
    if (count > 0 && bytes + entry.uri.size() > room) break;
    ++count;
  }
  return count;
}

}  // namespace sluice::contents
