#include "result_shaper.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/limits.h"
#include "sluice/json/reader.h"
#include "sluice/json/schema.h"
#include "sluice/json/writer.h"
#include "sluice/protocol/wire/definitions.h"

#include "artifact_resources.h"
#include "cut_value.h"
#include "read_answer.h"
#include "text_part.h"

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
// What is said about text that was cut, its artifact and the link to that.
constexpr std::size_t kCutResultBytes = 800;
constexpr std::size_t kTailBytesMax = 700;  // The same about blocks that were left out.
constexpr std::size_t kPartBytesMin = 200;  // Less of a text is not worth being shown.
constexpr std::string_view kStubBegins = R"({"type":"artifact_stub")";

const Signature* signature_of(std::string_view text) {
  const auto* found = std::find_if(kSignatures.begin(), kSignatures.end(),
                                   [&](const Signature& one) { return text.starts_with(one.prefix); });
  return found == kSignatures.end() ? nullptr : found;
}

protocol::Content like(const protocol::Content& block, std::string text) {
  return {.body = protocol::TextContent{std::move(text)}, .annotations = block.annotations, .meta = {}};
}

// What blocks take of an answer: their text, and links as they are written.
std::size_t shown_bytes(const std::vector<protocol::Content>& blocks) {
  std::size_t bytes = 0;
  for (const protocol::Content& block : blocks) {
    if (const auto* text = std::get_if<protocol::TextContent>(&block.body)) {
      bytes += text->text.size();
      continue;
    }
    json::Writer out;
    protocol::encode(block, protocol::kNewest, out);
    bytes += std::move(out).take().size();
  }
  return bytes;
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

ResultShaper::ResultShaper(Source source, const ArtifactExtractionConfig& config, ArtifactStore& artifacts,
                           const CallOptions& options, Reader read)
    : source_(std::move(source)),
      config_(config),
      artifacts_(artifacts),
      options_(options),
      read_(std::move(read)),
      room_(answer_bytes(options.budget)),
      tail_bytes_(std::min(kTailBytesMax, room_ / 4)) {}

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
  out.push_back(like(block, json::to_text(json::Object{{"artifact", to_json(artifact)}})));
  out.push_back({.body = protocol::ResourceLink{resource_of(artifact)}, .annotations = {}, .meta = {}});
}

// The artifact, if the text is a file in base64.
std::optional<ArtifactRef> ResultShaper::file_of(std::string_view text) {
  if (!config_.enabled || text.size() < config_.base64_chars_min) return std::nullopt;
  const Signature* signature = signature_of(text);
  if (signature == nullptr) return std::nullopt;
  const std::optional<std::string> bytes = base64_decode(text);
  if (!bytes) return std::nullopt;
  return keep(*bytes, signature->type, "");
}

bool ResultShaper::replace_files(json::Value& value) {
  bool replaced = false;
  if (const std::string* text = value.if_string()) {
    const std::optional<ArtifactRef> file = file_of(*text);
    if (!file) return false;
    value = artifact_uri(*file);  // Still a string: the tool's schema holds.
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

ResultShaper::Blocks ResultShaper::text_blocks(const protocol::Content& block, std::string text) {
  Blocks out;
  if (const std::optional<ArtifactRef> file = file_of(text)) {
    add_artifact(block, *file, out);
    return out;
  }
  if (config_.enabled && text.size() >= config_.base64_chars_min && mentions_file(text)) {
    Result<json::Value> value = json::read(text, {.bytes_max = text.size()});
    if (value.ok() && replace_files(*value)) text = json::to_text(*value);
  }
  const std::size_t chars_max = config_.enabled ? config_.max_inline_size : text.size();
  const std::size_t room = left() - std::min(left(), kCutResultBytes);
  const bool fits = text.size() <= left() && !has_more_chars(text, chars_max);
  // Too little of it could be shown: it is left out together with the blocks that follow.
  const bool is_late = text.size() > left() && room < kPartBytesMin && shown_ > 0;
  if (fits || is_late) {
    out.push_back({.body = protocol::TextContent{std::move(text)},
                   .annotations = block.annotations,
                   .meta = block.meta});
    return out;
  }
  const std::size_t end = std::min(end_of_chars(text, chars_max), fitting_bytes(text, room));
  const std::optional<ArtifactRef> whole = keep(text, "text/plain", "");
  if (end > 0) out.push_back(like(block, text.substr(0, end)));
  if (!whole) {
    out.push_back(
        like(block, fmt::format("[Truncated: {} of {} bytes are shown. The whole is too large to be "
                                "kept: ask for less]",
                                end, text.size())));
    return out;
  }
  out.push_back(like(block, fmt::format("[Truncated: {} of {} bytes are shown. {}?offset={} reads on]", end,
                                        text.size(), artifact_uri(*whole), end)));
  add_artifact(block, *whole, out);
  return out;
}

ResultShaper::Blocks ResultShaper::link_blocks(const protocol::Content& block) {
  const protocol::Resource& resource = std::get<protocol::ResourceLink>(block.body).resource;
  const ResourceHandlingConfig& handling = config_.resources;
  const bool reads = handling.enabled && handling.auto_read_if_size_under_bytes > 0 && resource.size &&
                     *resource.size < handling.auto_read_if_size_under_bytes;
  Blocks out{block};
  if (!handling.enabled) return out;
  if (reads) {
    const Result<ResourceCache::Read> read = read_(resource.uri);
    if (read.ok()) {
      const std::size_t around = shown_bytes(out) + 2 * resource.uri.size() + kPartBytesMin;
      const std::size_t room = left() - std::min(left(), around);
      ReadAnswer answer(artifacts_, options_.principal, source_.name_space,
                        {.inline_chars_max = handling.inline_text_if_under_chars, .bytes_max = room});
      json::Object found = answer.of(**read);
      found.set("resource_uri", resource.uri);
      out.push_back(like(block, json::to_text(found)));
      return out;
    }
  }
  out.push_back(like(block, json::to_text(artifact_stub(resource.uri))));
  return out;
}

ResultShaper::Blocks ResultShaper::resource_blocks(const protocol::Content& block) {
  const protocol::ResourceContents& contents = std::get<protocol::EmbeddedResource>(block.body).contents;
  const auto* blob = std::get_if<protocol::BlobBody>(&contents.body);
  const auto* text = std::get_if<protocol::TextBody>(&contents.body);
  const std::string_view bytes = blob != nullptr ? blob->bytes : text->text;
  const bool is_short = text != nullptr ? !config_.enabled || !has_more_chars(bytes, config_.max_inline_size)
                                        : !config_.enabled;
  Blocks out{block};
  if (is_short && shown_bytes(out) <= left()) return out;
  out.clear();
  const std::string type =
      contents.mime_type.value_or(blob != nullptr ? "application/octet-stream" : "text/plain");
  if (const std::optional<ArtifactRef> artifact = keep(bytes, type, filename_of(contents.uri))) {
    add_artifact(block, *artifact, out);
  } else {
    out.push_back(like(block, fmt::format("[A resource of {} bytes is too large to be kept]", bytes.size())));
  }
  return out;
}

// Pictures and sounds are for the model to see and hear; what does not fit is kept.
template <typename Media>
bool ResultShaper::add_media(protocol::Content& block, Blocks& out) {
  const Media& media = std::get<Media>(block.body);
  const std::size_t encoded = media.bytes.size() / 3 * 4 + 4;
  if (media_shown_ + encoded <= options_.budget.bytes) {
    media_shown_ += encoded;
    out.push_back(std::move(block));
    return true;
  }
  Blocks made;
  if (const std::optional<ArtifactRef> artifact = keep(media.bytes, media.mime_type, "")) {
    add_artifact(block, *artifact, made);
  } else {
    made.push_back(like(block, fmt::format("[{} bytes are too large to be kept]", media.bytes.size())));
  }
  return accept(std::move(made), out);
}

bool ResultShaper::accept(Blocks made, Blocks& out) {
  const std::size_t bytes = shown_bytes(made);
  if (bytes > left()) return false;
  shown_ += bytes;
  out.insert(out.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  return true;
}

// False: it does not fit, and is still as it was.
bool ResultShaper::add(protocol::Content& block, Blocks& out) {
  if (const auto* text = std::get_if<protocol::TextContent>(&block.body))
    return accept(text_blocks(block, text->text), out);
  if (const auto* link = std::get_if<protocol::ResourceLink>(&block.body)) {
    const bool has_artifact = !out.empty() && link->resource.uri.find("artifact://") != std::string::npos;
    return accept(has_artifact ? Blocks{block} : link_blocks(block), out);
  }
  if (std::holds_alternative<protocol::EmbeddedResource>(block.body))
    return accept(resource_blocks(block), out);
  if (std::holds_alternative<protocol::ImageContent>(block.body))
    return add_media<protocol::ImageContent>(block, out);
  return add_media<protocol::AudioContent>(block, out);
}

// Blocks that are left out are one artifact, in the form in which a result has them.
void ResultShaper::add_rest(Blocks& blocks, std::size_t first, Blocks& out) {
  is_full_ = true;
  json::Writer written;
  written.begin_array();
  for (std::size_t i = first; i < blocks.size(); ++i) protocol::encode(blocks[i], protocol::kNewest, written);
  written.end_array();
  const std::string text = std::move(written).take();
  const std::optional<ArtifactRef> rest = keep(text, "application/json", source_.tool + "-rest.json");
  const std::size_t count = blocks.size() - first;
  if (!rest) {
    out.push_back(protocol::text_content(
        fmt::format("[Truncated: {} more blocks are too large to be kept. Ask for less]", count)));
    return;
  }
  out.push_back(protocol::text_content(
      fmt::format("[Truncated: {} more blocks, {} bytes of JSON, are in {}; read it from ?offset=0 on]",
                  count, text.size(), artifact_uri(*rest))));
  out.push_back({.body = protocol::ResourceLink{resource_of(*rest)}, .annotations = {}, .meta = {}});
}

Status ResultShaper::shape_structured(protocol::ToolResult& result) {
  structured_text_.clear();
  structured_note_.clear();
  if (!result.structured && !result.structured_text.empty()) {
    SLUICE_TRY(result.structured, json::read(result.structured_text, {.bytes_max = kReplyBytesMax}));
    result.structured_text.clear();
  }
  if (!result.structured) return {};
  structured_text_ = json::to_text(*result.structured);
  if (structured_text_.size() >= config_.base64_chars_min && mentions_file(structured_text_) &&
      replace_files(*result.structured))
    structured_text_ = json::to_text(*result.structured);
  if (structured_text_.size() <= room_) return {};
  const std::optional<ArtifactRef> whole = keep(structured_text_, "application/json", source_.tool + ".json");
  json::Value cut = cut_to(*result.structured, room_);
  Error too_large =
      limit_reached("bytes in a structured answer", room_)
          .with_code("upstream_answer_too_large")
          .with_hint(whole
                         ? fmt::format("The whole answer, {} bytes of JSON, is the resource {}; read it from "
                                       "?offset=0 on.",
                                       structured_text_.size(), artifact_uri(*whole))
                         : "Ask for less.");
  if (json::to_text(cut).size() > room_) return too_large;
  if (source_.output_schema != nullptr) {
    SLUICE_TRY(const json::Schema schema, json::Schema::compile(*source_.output_schema));
    if (!schema.validate(cut, "structuredContent").empty()) return too_large;
  }
  result.structured = std::move(cut);
  json::Object note{{"bytes", structured_text_.size()}};
  if (whole) note.set("artifact", artifact_uri(*whole));
  result.meta.set(std::string(kTruncatedKey), std::move(note));
  structured_note_ =
      whole ? fmt::format(
                  "[structuredContent was cut: the whole of it, {} bytes, is {}; read it from ?offset=0 "
                  "on]",
                  structured_text_.size(), artifact_uri(*whole))
            : "[structuredContent was cut, and the whole of it is too large to be kept: ask for less]";
  return {};
}

Result<protocol::ToolResult> ResultShaper::shape(protocol::ToolResult result) {
  // Text that repeats the structured content says what may be shown of it as well.
  const std::optional<json::Value> before = result.structured;
  SLUICE_CHECK(shape_structured(result));
  Blocks out;
  if (!structured_note_.empty()) shown_ += structured_note_.size();
  for (std::size_t i = 0; i < result.content.size(); ++i) {
    protocol::Content& block = result.content[i];
    if (auto* text = std::get_if<protocol::TextContent>(&block.body)) {
      if (is_artifact_stub(text->text) && i > 0) continue;  // Of the link before, by a gateway behind us.
      if (before && text->text.size() >= config_.base64_chars_min && text->text.starts_with('{')) {
        const Result<json::Value> value = json::read(text->text, {.bytes_max = text->text.size()});
        if (value.ok() && json::equal(*value, *before)) text->text = structured_text_;
      }
    }
    if (add(block, out)) continue;
    add_rest(result.content, i, out);
    break;
  }
  if (!structured_note_.empty()) out.push_back(protocol::text_content(structured_note_));
  result.content = std::move(out);
  return result;
}

}  // namespace sluice::gateway
