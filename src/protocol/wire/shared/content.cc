#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/protocol/wire/definitions.h"

#include "wire/shared/fields.h"

namespace sluice::protocol {
namespace {

void write_media(std::string_view type, std::string_view bytes, std::string_view mime_type,
                 json::Writer& out) {
  out.field("type", type).field("data", base64_encode(bytes)).field("mimeType", mime_type);
}

struct BodyWriter {
  Revision revision;
  json::Writer& out;

  void operator()(const TextContent& text) const { out.field("type", "text").field("text", text.text); }
  void operator()(const ImageContent& image) const {
    write_media("image", image.bytes, image.mime_type, out);
  }
  void operator()(const AudioContent& audio) const {
    if (has_audio(revision)) return write_media("audio", audio.bytes, audio.mime_type, out);
    (*this)(TextContent{fmt::format("[audio, {}, {} bytes: this protocol revision cannot carry it]",
                                    audio.mime_type, audio.bytes.size())});
  }
  void operator()(const EmbeddedResource& embedded) const {
    out.field("type", "resource").key("resource");
    encode(embedded.contents, out);
  }
  void operator()(const ResourceLink& link) const {
    const Resource& resource = link.resource;
    if (!has_resource_links(revision)) {
      return (*this)(TextContent{fmt::format("[resource {}: {}]", resource.name, resource.uri)});
    }
    out.field("type", "resource_link").field("uri", resource.uri).field("name", resource.name);
    out.field_if("title", resource.title);
    out.field_if("description", resource.description);
    out.field_if("mimeType", resource.mime_type);
    out.field_if("size", resource.size);
    write_icons(resource.icons, revision, out);
  }
};

}  // namespace

void encode(const Content& content, Revision revision, json::Writer& out) {
  out.begin_object();
  std::visit(BodyWriter{revision, out}, content.body);
  write_annotations(content.annotations, out);
  write_meta(content.meta, revision, out);
  out.end_object();
}

void encode(const ResourceContents& contents, json::Writer& out) {
  out.begin_object().field("uri", contents.uri).field_if("mimeType", contents.mime_type);
  if (const auto* text = std::get_if<TextBody>(&contents.body)) {
    out.field("text", text->text);
  } else {
    out.field("blob", base64_encode(std::get<BlobBody>(contents.body).bytes));
  }
  if (!contents.meta.empty()) out.field("_meta", json::Value(contents.meta));
  out.end_object();
}

}  // namespace sluice::protocol
