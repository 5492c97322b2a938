#include "contents_page.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/contents/read_room.h"
#include "sluice/json/writer.h"

#include "json_page.h"

namespace sluice::mirror {

namespace {

using Unit = Position::Unit;

constexpr std::string_view kUnits = "strpb";  // In the order of Unit.
constexpr std::string_view kNext = "sluice/next";
constexpr std::string_view kPlainNext = "next";
constexpr std::size_t kItemBytesMin = 200;  // Less room is not worth beginning another item.
constexpr std::size_t kBase64In = 3;
constexpr std::size_t kBase64Out = 4;

// What is shown of one item.
struct Body {
  std::string text;
  bool is_binary = false;        // `text` is base64, or nothing where the content is larger than an answer.
  bool is_left_out = false;      // Binary content that was not asked for in parts.
  std::optional<Position> rest;  // Of the same item.
};

// Text from a byte on. Pages end between characters, so a cursor of ours always begins one.
Body text_part(std::string_view text, Position from, std::size_t room) {
  from.byte = std::min(from.byte, text.size());
  const std::string_view left = text.substr(from.byte);
  // At least one character, so that every page makes progress.
  const std::size_t shown =
      contents::json_string_prefix(left, std::max<std::size_t>(room, contents::kRoomBytesMin));
  Body body{.text = std::string(left.substr(0, shown))};
  if (shown < left.size()) {
    from.byte += shown;
    body.rest = from;
  }
  return body;
}

Body row_part(const JsonPage& page, Position from, std::size_t room) {
  Body body = text_part(page.row(from.row), from, room);
  if (!body.rest && from.row + 1 < page.rows())
    body.rest = Position{.unit = Unit::kRows, .item = from.item, .row = from.row + 1};
  return body;
}

Body rows_from(const JsonPage& page, Position from, std::size_t room) {
  JsonPage::Shown shown = page.show(from.row, room);
  const bool is_none = shown.end == from.row;
  from.unit = is_none ? Unit::kRowPart : Unit::kRows;
  if (is_none && from.row > 0) return row_part(page, from, room);
  Body body{.text = std::move(shown.text)};
  from.row = shown.end;
  if (shown.end < page.rows()) body.rest = from;
  return body;
}

bool may_be_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

std::optional<Body> text_body(const std::string& text, Position from, std::size_t room) {
  if (from.unit == Unit::kBytes) return std::nullopt;
  if (from.unit == Unit::kStart && contents::json_string_bytes(text) <= room) return Body{.text = text};
  if (from.unit != Unit::kText && may_be_json(text)) {
    const std::optional<JsonPage> page = JsonPage::parse(text);
    const bool is_paged = page && page->frame_bytes() <= room / 2;
    if (is_paged && from.row >= page->rows()) return std::nullopt;
    if (is_paged && from.unit == Unit::kRowPart) return row_part(*page, from, room);
    if (is_paged) return rows_from(*page, from, room);
  }
  if (from.unit == Unit::kRows || from.unit == Unit::kRowPart) return std::nullopt;
  from.unit = Unit::kText;
  return text_part(text, from, room);
}

std::optional<Body> binary_body(const std::string& bytes, Position from, std::size_t room) {
  const std::size_t part = std::max(room, contents::kRoomBytesMin) / kBase64Out * kBase64In;
  Body body{.is_binary = true};
  if (from.unit == Unit::kStart && bytes.size() > part) {
    body.is_left_out = true;
    body.rest = Position{.unit = Unit::kBytes, .item = from.item};
    return body;
  }
  if ((from.unit != Unit::kStart && from.unit != Unit::kBytes) || from.byte > bytes.size())
    return std::nullopt;
  body.text = base64_encode(bytes.substr(from.byte, part));
  if (from.byte + part < bytes.size())
    body.rest = Position{.unit = Unit::kBytes, .item = from.item, .byte = from.byte + part};
  return body;
}

std::optional<Body> body_of(const protocol::ResourceContents& item, const Position& from, std::size_t room) {
  if (const auto* text = std::get_if<protocol::TextBody>(&item.body))
    return text_body(text->text, from, room);
  return binary_body(std::get<protocol::BlobBody>(item.body).bytes, from, room);
}

// What the provider says of its page holds only where all of it has been shown.
bool is_about_page(std::string_view key) {
  constexpr std::array<std::string_view, 5> kKeys = {kNext, kPlainNext, "sluice/rows", "rows", "has_more"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string next_in(const json::Object& meta) {
  for (const std::string_view key : {kNext, kPlainNext}) {
    const json::Value* next = meta.find(key);
    if (next != nullptr && next->if_string() != nullptr) return *next->if_string();
  }
  return {};
}

void write_head(const protocol::ResourceContents& item, bool is_cut, json::Writer& out) {
  out.field("uri", item.uri).field_if("mimeType", item.mime_type);
  for (const json::Member& member : item.meta) {
    if (!is_cut || !is_about_page(member.key)) out.field(member.key, member.value);
  }
}

std::size_t head_bytes(const protocol::ResourceContents& item) {
  json::Writer out;
  out.begin_object();
  write_head(item, false, out);
  constexpr std::size_t kBodyFieldBytes = 40;
  return out.size() + kBodyFieldBytes;
}

void write_item(const protocol::ResourceContents& item, const Position& from, const Body& body,
                json::Writer& out) {
  const bool is_part = body.rest.has_value() || from.unit != Unit::kStart;
  out.begin_object();
  write_head(item, body.rest.has_value(), out);
  if (is_part || !next_in(item.meta).empty()) out.field("truncated", true);
  if (body.is_left_out) {
    out.field("bytes", std::get<protocol::BlobBody>(item.body).bytes.size());
    out.field("hint", "Binary content that is larger than an answer; `next` reads it in parts.");
  } else {
    out.field(body.is_binary ? "blob" : "text", body.text);
  }
  out.end_object();
}

std::string next_uri_of(const protocol::ReadResult& result) {
  for (const protocol::ResourceContents& item : result.contents) {
    if (std::string next = next_in(item.meta); !next.empty()) return next;
  }
  return next_in(result.meta);
}

}  // namespace

std::string to_cursor(const Position& position) {
  return fmt::format("{}{}.{}.{}", kUnits[static_cast<std::size_t>(position.unit)], position.item,
                     position.row, position.byte);
}

std::optional<Position> parse_cursor(std::string_view text) {
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.front());
  if (unit == std::string_view::npos) return std::nullopt;
  Position out{.unit = static_cast<Unit>(unit)};
  text.remove_prefix(1);
  const std::array<std::size_t*, 3> numbers = {&out.item, &out.row, &out.byte};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *numbers[i]);
    if (parsed.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    if (i + 1 == numbers.size()) break;
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
  }
  return text.empty() ? std::optional(out) : std::nullopt;
}

std::optional<ContentsPage> show_contents(const protocol::ReadResult& result, const Position& from,
                                          std::size_t room) {
  if (from.item > 0 && from.item >= result.contents.size()) return std::nullopt;
  ContentsPage page;
  json::Writer out;
  out.begin_array();
  Position at = from;
  for (; at.item < result.contents.size() && !page.rest; at = Position{.item = at.item + 1}) {
    const protocol::ResourceContents& item = result.contents[at.item];
    if (at.item > from.item) {  // The answer has room for what is around the first.
      const std::size_t head = head_bytes(item);
      if (room < head + kItemBytesMin) {
        page.rest = at;
        break;
      }
      room -= head;
    }
    const std::optional<Body> body = body_of(item, at, room);
    if (!body) return std::nullopt;
    room -= std::min(room, contents::json_string_bytes(body->text));
    write_item(item, at, *body, out);
    page.rest = body->rest;
  }
  out.end_array();
  page.contents = std::move(out).take();
  if (!page.rest) page.next_uri = next_uri_of(result);
  return page;
}

}  // namespace sluice::mirror
