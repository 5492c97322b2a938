#include "sluice/contents/contents.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/contents/media_type.h"
#include "sluice/contents/read_room.h"
#include "sluice/text/utf8_converter.h"

#include "character_boundary.h"

namespace sluice::contents {

namespace {

constexpr std::string_view kCut = "\n\n[Content truncated...]";
constexpr std::size_t kCutBytes = kCut.size() + 2;         // As a JSON string.
constexpr std::size_t kEncodingHeadBytes = 64 * 1024 + 4;  // What an encoding is told by, and one character.
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

Result<Window> read_window(const ByteSource& source, const Range& range,
                           std::size_t bytes_max = kContentBytesMax) {
  const std::uint64_t from = range.offset.value_or(0);
  const auto length =
      static_cast<std::size_t>(std::min<std::uint64_t>(range.length.value_or(bytes_max), bytes_max));
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

// The text of the window, which is shortened until its text fits into `room` as a JSON string.
Result<std::string> convert_within(Window& window, const std::string& charset, std::size_t room) {
  while (true) {
    SLUICE_TRY(std::string text, convert(window, charset));
    const std::size_t space = window.is_last ? room : room - std::min(room, kCutBytes);
    const std::size_t bytes = json_string_bytes(text);
    if (bytes <= space) return text;
    const std::size_t shorter = room - std::min(room, kCutBytes);
    const std::size_t length = window.end - window.begin;
    // Text of another encoding has another length than its source.
    const std::size_t kept = text == window.wanted()
                                 ? json_string_prefix(text, shorter)
                                 : std::min<std::size_t>(length * shorter / bytes, length - 1);
    window.end =
        std::max(window.begin, character_start(window.bytes, window.begin + kept, charset, window.offset));
    window.is_last = false;
    if (window.end == window.begin) return std::string();  // Not one character fits.
  }
}

std::string range_uri(const ContentsRequest& request) {
  if (!request.range_uri.empty()) return request.range_uri;
  return request.uri.substr(0, request.uri.find('?')) + "?";
}

Error too_large(const ContentsRequest& request, std::uint64_t bytes, std::size_t bytes_max) {
  const std::string base = range_uri(request);
  return invalid_input(fmt::format("Failed to read resource: {} bytes of binary content; one read returns at "
                                   "most {}",
                                   bytes, bytes_max))
      .with_code("resource_too_large")
      .with_hint(fmt::format("Read it in ranges: {}offset=0&length={}", excerpt(base, 200), bytes_max));
}

// Where the rest is to be found.
void note_rest(const ContentsRequest& request, const Window& window, std::optional<std::uint64_t> size,
               protocol::ResourceContents& out) {
  if (window.is_last) return;
  if (size) out.meta.set("sluice/size", *size);
  std::string next = fmt::format("{}offset={}", range_uri(request), window.next_offset());
  // Binary content without a length would be refused where the rest is too large.
  const bool is_binary = std::holds_alternative<protocol::BlobBody>(out.body);
  if (is_binary && request.range.length) next += fmt::format("&length={}", *request.range.length);
  out.meta.set("sluice/next", std::move(next));
}

// What is needed of a source to answer.
struct Reading {
  std::optional<std::uint64_t> bytes;  // Of all of it. Nothing where that is not known.
  Window window;
  Media media;
};

Result<Reading> read_parts(const ByteSource& source, const ContentsRequest& request) {
  SLUICE_TRY(Window window, read_window(source, request.range));
  std::string head;  // The window begins with it where no range is given.
  if (request.range.is_given()) {
    SLUICE_TRY(head, source.read_at(0, kEncodingHeadBytes));
  }
  const std::string& beginning = request.range.is_given() ? head : window.bytes;
  Media media =
      request.type.empty() ? media_of(request.name, beginning) : media_of_type(request.type, beginning);
  if (!media.is_text() && !window.is_last && request.binary_bytes_max > kContentBytesMax) {
    SLUICE_TRY(window, read_window(source, request.range, request.binary_bytes_max));
  }
  return Reading{.bytes = source.bytes(), .window = std::move(window), .media = std::move(media)};
}

Result<protocol::ResourceContents> present_bytes(const Reading& reading, const ContentsRequest& request,
                                                 bool is_cut, protocol::ResourceContents out) {
  const Window& window = reading.window;
  constexpr std::size_t kBase64In = 3;
  constexpr std::size_t kBase64Out = 4;
  const std::size_t bytes_max = std::min(request.binary_bytes_max, request.room / kBase64Out * kBase64In);
  if (is_cut || window.wanted().size() > bytes_max)
    return too_large(request, std::max<std::uint64_t>(reading.bytes.value_or(0), window.bytes.size()),
                     bytes_max);
  out.body = protocol::BlobBody{.bytes = std::string(window.wanted())};
  note_rest(request, window, reading.bytes, out);
  return out;
}

Result<protocol::ResourceContents> present(Reading reading, const ContentsRequest& request) {
  Window& window = reading.window;
  protocol::ResourceContents out;
  out.uri = request.uri;
  out.mime_type = reading.media.type;
  // Whoever named a length within the bound has what was asked for; anybody else is told of a rest.
  const std::size_t bytes_max = reading.media.is_text() ? kContentBytesMax : request.binary_bytes_max;
  bool is_cut = !window.is_last && request.range.length.value_or(bytes_max + 1) > bytes_max;
  if (!reading.media.is_text()) return present_bytes(reading, request, is_cut, std::move(out));
  const std::string& charset = reading.media.charset;
  window.begin = character_start(window.bytes, window.begin, charset, window.offset);
  if (!window.is_last) window.end = character_start(window.bytes, window.end, charset, window.offset);
  window.end = std::max(window.begin, window.end);
  const std::size_t wanted_end = window.end;
  Result<std::string> text = convert_within(window, charset, request.room);
  if (!text.ok()) return read_failure(internal_error(text.error().message), request.uri);
  is_cut |= window.end < wanted_end;
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

protocol::ResourceContents text_contents(const TextRequest& request) {
  const ContentsRequest asked{.name = {},
                              .uri = request.uri,
                              .range = request.range,
                              .type = std::string(request.type),
                              .range_uri = request.range_uri,
                              .room = request.room};
  const Result<Window> window = read_window(MemorySource(request.text), request.range);
  Reading reading{.bytes = request.text.size(),
                  .window = window.value(),  // Memory can always be read.
                  .media = {.type = asked.type, .charset = "UTF-8"}};
  if (request.is_beginning) reading.bytes.reset();
  return present(std::move(reading), asked).value();  // UTF-8 can always be converted.
}

std::uint64_t bytes_needed(const Range& range) {
  const std::uint64_t offset = std::min<std::uint64_t>(range.offset.value_or(0), UINT64_MAX / 2);
  return offset + std::min<std::uint64_t>(range.length.value_or(kContentBytesMax), kContentBytesMax) + 1;
}

Error read_failure(const Error& cause, const std::string& uri) {
  switch (cause.kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kForbidden:
    case ErrorKind::kInvalidInput:
      return protocol::resource_not_found(uri);
    case ErrorKind::kCancelled:
    case ErrorKind::kDeadline:
      return cause;
    default:
      log::warning("resource_not_read", {{"reason", cause.message}});
  }
  Error error = internal_error(fmt::format("Failed to read resource: {}", excerpt(uri, 200)));
  // The message of the cause may name a place; what has a hint was made for the caller.
  if (!cause.hint.empty()) return std::move(error).with_code(cause.code).with_hint(cause.hint);
  return std::move(error)
      .with_code("read_failed")
      .with_hint("Try again. If it fails again, the server's log has the reason (resource_not_read).");
}

}  // namespace sluice::contents
