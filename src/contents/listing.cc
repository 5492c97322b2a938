#include "sluice/contents/listing.h"

#include <utility>

#include "sluice/contents/media_type.h"
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
                                            std::size_t total) {
  json::Writer out;
  out.begin_object().key("entries").begin_array();
  for (const protocol::Resource& entry : entries) write_entry(entry, out);
  out.end_array().field("total", total).end_object();
  protocol::ResourceContents contents;
  contents.uri = std::move(uri);
  contents.mime_type = std::string(kFolderType);
  contents.body = protocol::TextBody{.text = std::move(out).take()};
  return contents;
}

}  // namespace sluice::contents
