#include "result_shaper.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/json/reader.h"
#include "sluice/json/schema.h"

namespace sluice::gateway {
namespace {

struct Signature {
  std::string_view prefix;
  std::string_view type;
};
// How files begin in base64: PDF, PNG, JPEG, GIF, ZIP twice, MP4 and the like.
constexpr std::array<Signature, 7> kSignatures{{{"JVBERi", "application/pdf"},
                                                {"iVBORw", "image/png"},
                                                {"/9j/", "image/jpeg"},
                                                {"R0lGOD", "image/gif"},
                                                {"UEsDB", "application/zip"},
                                                {"UEsFB", "application/zip"},
                                                {"AAAA", "application/octet-stream"}}};
constexpr std::uint64_t kTokenBytes = 4;
constexpr std::string_view kStubBegins = R"({"type":"artifact_stub")";

const Signature* signature_of(std::string_view text) {
  const auto* found = std::find_if(kSignatures.begin(), kSignatures.end(),
                                   [&](const Signature& one) { return text.starts_with(one.prefix); });
  return found == kSignatures.end() ? nullptr : found;
}

// Where the first `chars` characters end.
std::size_t end_of_chars(std::string_view text, std::size_t chars) {
  if (text.size() <= chars) return text.size();
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U && ++seen > chars) break;
  }
  return end;
}

protocol::Content like(const protocol::Content& block, std::string text) {
  return {.body = protocol::TextContent{std::move(text)}, .annotations = block.annotations, .meta = {}};
}

bool mentions_file(std::string_view text) {
  return std::any_of(kSignatures.begin(), kSignatures.end(), [&](const Signature& one) {
    return text.find("\"" + std::string(one.prefix)) != std::string_view::npos;
  });
}

}  // namespace

json::Object artifact_stub(const std::string& uri) {
  return {{"type", "artifact_stub"},
          {"resource_uri", uri},
          {"summary", "Resource link: " + uri},
          {"note", "Use MCP resources/read to fetch content"}};
}

bool is_artifact_stub(std::string_view text) { return text.starts_with(kStubBegins); }

// The lower of the caps, of which one stands for tokens.
std::size_t ResultShaper::room() const {
  const std::uint64_t bytes = std::min(options_.budget.bytes, options_.budget.tokens * kTokenBytes);
  return static_cast<std::size_t>(bytes);
}

std::optional<ArtifactRef> ResultShaper::keep(std::string_view bytes, std::string_view type,
                                              std::string_view filename) {
  Result<ArtifactRef> kept = artifacts_.put(options_.principal, bytes,
                                            {.name_space = source_.name_space,
                                             .mime_type = std::string(type),
                                             .filename = std::string(filename),
                                             .source = source_.name_space + "." + source_.tool});
  if (!kept.ok()) return std::nullopt;
  return *std::move(kept);
}

// In words that any host passes on, and as a link that some can follow.
void ResultShaper::add_artifact(const protocol::Content& block, const ArtifactRef& artifact, Blocks& out) {
  std::string text = json::to_text(json::Object{{"artifact", to_json(artifact)}});
  shown_ += text.size();
  out.push_back(like(block, std::move(text)));
  protocol::Resource link;
  link.uri = artifact_uri(artifact);
  link.name = artifact.filename;
  link.mime_type = artifact.mime_type;
  link.size = artifact.size_bytes;
  out.push_back({.body = protocol::ResourceLink{std::move(link)}, .annotations = {}, .meta = {}});
}

// The URI of the artifact, where the text is a file in base64.
std::optional<std::string> ResultShaper::file_of(std::string_view text) {
  if (!config_.enabled || text.size() < config_.base64_chars_min) return std::nullopt;
  const Signature* signature = signature_of(text);
  if (signature == nullptr) return std::nullopt;
  const std::optional<std::string> bytes = base64_decode(text);
  if (!bytes) return std::nullopt;
  const std::optional<ArtifactRef> artifact = keep(*bytes, signature->type, "");
  if (!artifact) return std::nullopt;
  return artifact->id;
}

bool ResultShaper::replace_files(json::Value& value) {
  bool replaced = false;
  if (const std::string* text = value.if_string()) {
    const std::optional<std::string> id = file_of(*text);
    if (!id) return false;
    value = "artifact://" + *id;  // Still a string: the tool's schema holds.
    return true;
  }
  if (json::Array* array = value.if_array()) {
    for (json::Value& item : *array) replaced |= replace_files(item);
  } else if (json::Object* object = value.if_object()) {
    std::vector<std::string> keys;
    for (const json::Member& member : *object) keys.push_back(member.key);
    for (const std::string& key : keys) replaced |= replace_files(*object->find(key));
  }
  return replaced;
}

void ResultShaper::add_text(protocol::Content block, Blocks& out) {
  std::string& text = std::get<protocol::TextContent>(block.body).text;
  if (const std::optional<std::string> id = file_of(text)) {
    const Result<ArtifactRef> artifact = artifacts_.find(options_.principal, *id);
    if (artifact.ok()) return add_artifact(block, *artifact, out);
  }
  if (config_.enabled && text.size() >= config_.base64_chars_min && mentions_file(text)) {
    Result<json::Value> value = json::read(text, {.bytes_max = text.size()});
    if (value.ok() && replace_files(*value)) text = json::to_text(*value);
  }
  const std::size_t left = room() > shown_ ? room() - shown_ : 0;
  std::size_t end = config_.enabled ? end_of_chars(text, config_.max_inline_size) : text.size();
  if (end > left) end = std::min(end, end_of_chars(text, left / 4));
  if (end >= text.size()) {
    shown_ += text.size();
    out.push_back(std::move(block));
    return;
  }
  const std::optional<ArtifactRef> whole = keep(text, "text/plain", "");
  std::string note = fmt::format("[Truncated: {} of {} bytes are shown]", end, text.size());
  shown_ += end + note.size();
  out.push_back(like(block, text.substr(0, end)));
  out.push_back(like(block, std::move(note)));
  if (whole) add_artifact(block, *whole, out);
}

void ResultShaper::add_link(protocol::Content block, Blocks& out) {
  const protocol::Resource resource = std::get<protocol::ResourceLink>(block.body).resource;
  const ResourceHandlingConfig& handling = config_.resources;
  const bool reads = handling.enabled && handling.auto_read_if_size_under_bytes > 0 && resource.size &&
                     *resource.size < handling.auto_read_if_size_under_bytes;
  out.push_back(block);
  if (!handling.enabled) return;
  if (reads) {
    const Result<ResourceCache::Read> read = read_(resource.uri);
    if (read.ok()) {
      json::Object found = to_json(**read, handling.inline_text_if_under_chars);
      found.set("resource_uri", resource.uri);
      return add_text(like(block, json::to_text(found)), out);
    }
  }
  std::string stub = json::to_text(artifact_stub(resource.uri));
  shown_ += stub.size();
  out.push_back(like(block, std::move(stub)));
}

void ResultShaper::add_resource(protocol::Content block, Blocks& out) {
  protocol::ResourceContents& contents = std::get<protocol::EmbeddedResource>(block.body).contents;
  const auto* blob = std::get_if<protocol::BlobBody>(&contents.body);
  const auto* text = std::get_if<protocol::TextBody>(&contents.body);
  const std::string_view bytes = blob != nullptr ? blob->bytes : text->text;
  const std::size_t left = room() > shown_ ? room() - shown_ : 0;
  const bool fits =
      text != nullptr && text->text.size() <= left &&
      (!config_.enabled || end_of_chars(text->text, config_.max_inline_size) >= text->text.size());
  if (fits || (blob != nullptr && !config_.enabled && blob->bytes.size() * 4 / 3 <= left)) {
    shown_ += bytes.size();
    out.push_back(std::move(block));
    return;
  }
  const std::string type =
      contents.mime_type.value_or(blob != nullptr ? "application/octet-stream" : "text/plain");
  const std::string name = excerpt(contents.uri.substr(contents.uri.find_last_of('/') + 1), 100);
  if (const std::optional<ArtifactRef> artifact = keep(bytes, type, name))
    return add_artifact(block, *artifact, out);
  out.push_back(like(block, fmt::format("[A resource of {} bytes is too large to be kept]", bytes.size())));
}

// Pictures and sounds are for the model to see and hear; what does not fit is kept.
template <typename Media>
void ResultShaper::add_media(protocol::Content block, Blocks& out) {
  const Media& media = std::get<Media>(block.body);
  if (media.bytes.size() * 4 / 3 <= options_.budget.bytes) {
    out.push_back(std::move(block));
    return;
  }
  if (const std::optional<ArtifactRef> artifact = keep(media.bytes, media.mime_type, ""))
    return add_artifact(block, *artifact, out);
  out.push_back(like(block, fmt::format("[{} bytes are too large to be kept]", media.bytes.size())));
}

Status ResultShaper::shape_structured(protocol::ToolResult& result) {
  if (!result.structured && !result.structured_text.empty()) {
    SLUICE_TRY(result.structured, json::read(result.structured_text, {.bytes_max = kReplyBytesMax}));
    result.structured_text.clear();
  }
  if (!result.structured) return {};
  std::string text = json::to_text(*result.structured);
  if (text.size() >= config_.base64_chars_min && mentions_file(text) && replace_files(*result.structured))
    text = json::to_text(*result.structured);
  if (text.size() <= room()) return {};
  const std::optional<ArtifactRef> whole = keep(text, "application/json", source_.tool + ".json");
  json::Value cut = cut_to(*result.structured, room());
  Error too_large =
      limit_reached("bytes in a structured answer", room())
          .with_code("upstream_answer_too_large")
          .with_hint(whole ? "The whole answer is the resource " + artifact_uri(*whole) : "Ask for less.");
  if (json::to_text(cut).size() > room()) return too_large;
  if (source_.output_schema != nullptr) {
    SLUICE_TRY(const json::Schema schema, json::Schema::compile(*source_.output_schema));
    if (!schema.validate(cut, "structuredContent").empty()) return too_large;
  }
  result.structured = std::move(cut);
  json::Object note{{"bytes", text.size()}};
  if (whole) note.set("artifact", artifact_uri(*whole));
  result.meta.set("sluice/truncated", std::move(note));
  return {};
}

Result<protocol::ToolResult> ResultShaper::shape(protocol::ToolResult result) {
  // Where the text is the structured content again, it goes along with it.
  std::optional<json::Value> before = result.structured;
  SLUICE_CHECK(shape_structured(result));
  Blocks out;
  for (std::size_t i = 0; i < result.content.size(); ++i) {
    protocol::Content& block = result.content[i];
    if (auto* text = std::get_if<protocol::TextContent>(&block.body)) {
      if (is_artifact_stub(text->text) && i > 0) continue;  // Of the link before, by a gateway behind us.
      if (before && text->text.size() >= config_.base64_chars_min && text->text.starts_with('{')) {
        const Result<json::Value> value = json::read(text->text, {.bytes_max = text->text.size()});
        if (value.ok() && json::equal(*value, *before)) text->text = json::to_text(*result.structured);
      }
      add_text(std::move(block), out);
    } else if (std::holds_alternative<protocol::ResourceLink>(block.body)) {
      const bool has_artifact =
          i > 0 &&
          std::get<protocol::ResourceLink>(block.body).resource.uri.find("artifact://") != std::string::npos;
      has_artifact ? out.push_back(std::move(block)) : add_link(std::move(block), out);
    } else if (std::holds_alternative<protocol::EmbeddedResource>(block.body)) {
      add_resource(std::move(block), out);
    } else if (std::holds_alternative<protocol::ImageContent>(block.body)) {
      add_media<protocol::ImageContent>(std::move(block), out);
    } else {
      add_media<protocol::AudioContent>(std::move(block), out);
    }
  }
  result.content = std::move(out);
  return result;
}

namespace {

struct Caps {
  std::size_t chars = 0;
  std::size_t items = 0;
  std::size_t members = 0;
};

json::Value cut_once(const json::Value& value, const Caps& caps) {
  if (const std::string* text = value.if_string()) {
    const std::size_t end = end_of_chars(*text, caps.chars);
    return end >= text->size() ? *text : text->substr(0, end) + "…";
  }
  if (const json::Array* array = value.if_array()) {
    json::Array out;
    for (std::size_t i = 0; i < std::min(array->size(), caps.items); ++i)
      out.push_back(cut_once((*array)[i], caps));
    return out;
  }
  if (const json::Object* object = value.if_object()) {
    json::Object out;
    for (const json::Member& member : *object) {
      if (out.size() >= caps.members) break;
      out.append_unchecked(member.key, cut_once(member.value, caps));
    }
    return out;
  }
  return value;
}

}  // namespace

json::Value cut_to(const json::Value& value, std::size_t bytes_max) {
  constexpr std::array<Caps, 8> kSteps{{{10'000, 1'000, 1'000},
                                        {4'000, 300, 1'000},
                                        {2'000, 100, 1'000},
                                        {1'000, 50, 500},
                                        {400, 20, 200},
                                        {200, 10, 200},
                                        {80, 3, 100},
                                        {40, 1, 50}}};
  json::Value cut = value;
  for (const Caps& caps : kSteps) {
    if (json::to_text(cut).size() <= bytes_max) break;
    cut = cut_once(value, caps);
  }
  return cut;
}

}  // namespace sluice::gateway
