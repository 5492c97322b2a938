#include "sluice/contents/contents.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/media_type.h"
#include "sluice/text/utf8_converter.h"

#include "character_boundary.h"

namespace sluice::contents {

namespace {

constexpr std::string_view kCut = "\n\n[Content truncated...]";
constexpr std::size_t kHeadBytes = 64 * 1024 + 4;  // What an encoding is told by, and one character.
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// Some bytes of a source with a few before them.
struct Window {
  std::string bytes;
  std::uint64_t offset = 0;  // Of the first byte in the source.
  std::size_t begin = 0;     // Of what was asked for, in `bytes`.
  std::size_t end = 0;
  bool is_last = false;  // Nothing follows in the source.

  std::string_view wanted() const { return std::string_view(bytes).substr(begin, end - begin); }
  std::uint64_t next_offset() const { return offset + end; }
};

Result<Window> read_window(const ByteSource& source, const Range& range) {
  const std::uint64_t from = range.offset.value_or(0);
  const auto length = static_cast<std::size_t>(
      std::min<std::uint64_t>(range.length.value_or(kContentBytesMax), kContentBytesMax));
  const auto before = static_cast<std::size_t>(std::min<std::uint64_t>(from, kLookBackBytes));
  Window window;
  window.offset = from - before;
  // One byte more tells whether the source goes on.
  SLUICE_TRY(window.bytes, source.read_at(window.offset, before + length + 1));
  window.begin = std::min(before, window.bytes.size());
  window.end = std::min(before + length, window.bytes.size());
  window.is_last = window.bytes.size() <= before + length;
  return window;
}

Result<std::string> convert(const Window& window, const std::string& charset) {
  const std::string_view wanted = window.wanted();
  if (charset == "UTF-8" && is_valid_utf8(wanted) && !wanted.starts_with(kUtf8Mark))
    return std::string(wanted);
  SLUICE_TRY(text::Utf8Converter converter, text::Utf8Converter::open(charset));
  std::string out;
  // A character that the end cuts in two is left to the read that goes on.
  converter.convert(
      wanted, window.is_last ? text::Utf8Converter::Piece::kLast : text::Utf8Converter::Piece::kMore, out);
  return out;
}

std::string range_uri(const ContentsRequest& request) {
  if (!request.range_uri.empty()) return request.range_uri;
  return request.uri.substr(0, request.uri.find('?')) + "?";
}

Error too_large(const ContentsRequest& request, std::uint64_t bytes) {
  const std::string base = range_uri(request);
  return invalid_input(
             fmt::format(
                 "Failed to read resource: {} bytes that are no text, and at most {} are read at once", bytes,
                 kContentBytesMax))
      .with_code("resource_too_large")
      .with_hint(
          fmt::format("Read it in ranges: {}offset=0&length={}", excerpt(base, 200), kContentBytesMax));
}

// Where the rest is to be found.
void note_rest(const ContentsRequest& request, const Window& window, std::uint64_t size,
               protocol::ResourceContents& out) {
  if (window.is_last) return;
  out.meta.set("sluice/size", size);
  out.meta.set("sluice/next", fmt::format("{}offset={}", range_uri(request), window.next_offset()));
}

// What is needed of a source to answer.
struct Reading {
  std::uint64_t bytes = 0;  // Of all of it.
  Window window;
  Media media;
};

Result<Reading> read_parts(const ByteSource& source, const ContentsRequest& request) {
  SLUICE_TRY(Window window, read_window(source, request.range));
  std::string head;  // The window begins with it where no range is given.
  if (request.range.is_given()) {
    SLUICE_TRY(head, source.read_at(0, kHeadBytes));
  }
  const std::string& beginning = request.range.is_given() ? head : window.bytes;
  Media media =
      request.type.empty() ? media_of(request.name, beginning) : media_of_type(request.type, beginning);
  return Reading{.bytes = source.bytes(), .window = std::move(window), .media = std::move(media)};
}

Result<protocol::ResourceContents> present(Reading reading, const ContentsRequest& request) {
  Window& window = reading.window;
  protocol::ResourceContents out;
  out.uri = request.uri;
  out.mime_type = reading.media.type;
  // Whoever named a length within the bound has what was asked for; anybody else is told of a rest.
  const bool is_cut =
      !window.is_last && request.range.length.value_or(kContentBytesMax + 1) > kContentBytesMax;
  if (!reading.media.is_text()) {
    if (is_cut) return too_large(request, std::max<std::uint64_t>(reading.bytes, window.bytes.size()));
    out.body = protocol::BlobBody{.bytes = std::string(window.wanted())};
    note_rest(request, window, reading.bytes, out);
    return out;
  }
  const std::string& charset = reading.media.charset;
  window.begin = character_start(window.bytes, window.begin, charset, window.offset);
  if (!window.is_last) window.end = character_start(window.bytes, window.end, charset, window.offset);
  window.end = std::max(window.begin, window.end);
  Result<std::string> text = convert(window, charset);
  if (!text.ok()) return read_failure(internal_error(text.error().message), request.uri);
  if (is_cut) *text += kCut;
  out.body = protocol::TextBody{.text = *std::move(text)};
  note_rest(request, window, reading.bytes, out);
  return out;
}

}  // namespace

Result<std::string> MemorySource::read_at(std::uint64_t offset, std::size_t length) const {
  if (offset >= bytes_.size()) return std::string();
  return std::string(bytes_.substr(static_cast<std::size_t>(offset), length));
}

Result<protocol::ResourceContents> read_contents(const ByteSource& source, const ContentsRequest& request) {
  Result<Reading> reading = read_parts(source, request);
  if (!reading.ok()) return read_failure(reading.error(), request.uri);
  return present(*std::move(reading), request);
}

protocol::ResourceContents text_contents(std::string uri, std::string_view type, std::string text) {
  protocol::ResourceContents out;
  out.uri = std::move(uri);
  out.mime_type = std::string(type);
  if (text.size() > kContentBytesMax) {
    out.meta.set("sluice/size", text.size());
    text.resize(character_start(text, kContentBytesMax, "UTF-8", 0));
    text += kCut;
  }
  out.body = protocol::TextBody{.text = std::move(text)};
  return out;
}

Error read_failure(const Error& cause, const std::string& uri) {
  switch (cause.kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kForbidden:
    case ErrorKind::kInvalidInput:
      return catalog::resource_not_found(uri);
    case ErrorKind::kCancelled:
    case ErrorKind::kDeadline:
      return cause;
    default:
      log::warning("resource_not_read", {{"reason", cause.message}});
      return internal_error(fmt::format("Failed to read resource: {}", excerpt(uri, 200)))
          .with_code("read_failed");
  }
}

}  // namespace sluice::contents
