#include "read_answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/contents/uri_query.h"

#include "artifact_resources.h"
#include "text_part.h"

namespace sluice::gateway {
namespace {

constexpr std::string_view kScheme = "artifact://";
constexpr std::array<std::string_view, 2> kRangeParameters{"offset", "length"};
constexpr std::size_t kCutBytes = 500;    // What stands beside a text that was cut: marks and the artifact.
constexpr std::size_t kItemsBytes = 100;  // What stands beside items that were left out.
constexpr std::size_t kPartBytes = 120;   // What stands beside a part of a content.
constexpr std::size_t kTextBytesMin = 64;

std::size_t less(std::size_t bytes, std::size_t taken) { return bytes - std::min(bytes, taken); }

json::Object no_content() { return {{"error", "Resource has no content"}}; }

std::string reads_on_at(const ArtifactRef& artifact, std::size_t offset) {
  return fmt::format("{}?offset={}", artifact_uri(artifact), offset);
}

}  // namespace

// The text of an item, if it is short enough to be shown. Text of an artifact may be: the cache can have a
// lower bound for what it keeps as text.
std::optional<std::string> ReadAnswer::short_text(const KeptRead::Item& item) {
  if (const auto* text = std::get_if<protocol::TextBody>(&item.body)) return text->text;
  const auto* artifact = std::get_if<ArtifactRef>(&item.body);
  constexpr std::size_t kCharBytesMax = 4;
  if (artifact == nullptr || !item.is_text || artifact->size_bytes > bounds_.inline_chars_max * kCharBytesMax)
    return std::nullopt;
  Result<std::string> bytes = artifacts_.read(owner_, artifact->id);
  if (!bytes.ok() || has_more_chars(*bytes, bounds_.inline_chars_max)) return std::nullopt;
  return *std::move(bytes);
}

json::Object ReadAnswer::text_item(const KeptRead::Item& item, const std::string& text,
                                   std::size_t bytes_max) {
  if (text.empty()) return no_content();
  const bool is_short = !has_more_chars(text, bounds_.inline_chars_max);
  if (is_short && fitting_as_json(text, less(bytes_max, kItemsBytes)) == text.size()) return {{"text", text}};
  const Result<ArtifactRef> artifact = artifacts_.put(owner_, text,
                                                      {.name_space = name_space_,
                                                       .mime_type = item.mime_type.value_or("text/plain"),
                                                       .filename = filename_of(item.uri),
                                                       .source = item.uri});
  const std::size_t end = std::min(end_of_chars(text, bounds_.inline_chars_max),
                                   fitting_as_json(text, less(bytes_max, kCutBytes)));
  if (artifact.ok() && (!is_short || end < kTextBytesMin)) return {{"artifact", to_json(*artifact)}};
  json::Object out{{"truncated", true}, {"size_bytes", text.size()}, {"next_offset", end}};
  if (artifact.ok()) {
    out.set("next", reads_on_at(*artifact, end));
    out.set("artifact", to_json(*artifact));
  }
  out.set("text", text.substr(0, end));
  return out;
}

json::Object ReadAnswer::item(const KeptRead::Item& item, std::size_t bytes_max) {
  if (const std::optional<std::string> text = short_text(item)) return text_item(item, *text, bytes_max);
  if (const auto* artifact = std::get_if<ArtifactRef>(&item.body)) return {{"artifact", to_json(*artifact)}};
  const auto& blob = std::get<protocol::BlobBody>(item.body);
  return {{"error", fmt::format("Binary content of {} bytes is not kept as an artifact", blob.bytes.size())}};
}

json::Object ReadAnswer::of(const KeptRead& read, std::size_t first_item) {
  if (first_item >= read.items.size()) return no_content();
  if (read.items.size() == 1) return item(read.items.front(), bounds_.bytes_max);
  std::size_t left = less(bounds_.bytes_max, kItemsBytes);
  json::Array items;
  std::size_t next = first_item;
  for (; next < read.items.size(); ++next) {
    const KeptRead::Item& each = read.items[next];
    json::Object about{{"uri", each.uri}};
    if (each.mime_type) about.set("mime_type", *each.mime_type);
    const std::size_t around = json::to_text(about).size() + 1;
    json::Object one = item(each, less(left, around));
    for (const json::Member& member : about) one.set(member.key, member.value);
    const std::size_t bytes = json::to_text(one).size() + 1;
    if (bytes > left && !items.empty()) break;
    left = less(left, bytes);
    items.emplace_back(std::move(one));
  }
  json::Object out;
  if (next < read.items.size()) {
    out.set("truncated", true);
    out.set("count", read.items.size());
    out.set("next_item", next);
  }
  out.set("items", std::move(items));
  return out;
}

// A range of text has the characters whose last byte is in it, so that ranges that follow one another give
// the whole text.
json::Object ReadAnswer::part_of(std::string_view bytes, bool is_text, const Range& range) const {
  const std::size_t begin = static_cast<std::size_t>(std::min<std::uint64_t>(range.offset, bytes.size()));
  std::size_t end = bytes.size();
  if (range.length && *range.length < end - begin) end = begin + static_cast<std::size_t>(*range.length);
  const std::size_t room = less(bounds_.bytes_max, kPartBytes);
  json::Object out{{"offset", begin}, {"size_bytes", bytes.size()}};
  std::string shown;
  if (is_text) {
    const std::size_t start = start_of_char(bytes, begin);
    const std::string_view wanted = bytes.substr(start, start_of_char(bytes, end) - start);
    const std::size_t fits = fitting_as_json(wanted, std::max<std::size_t>(room, kTextBytesMin));
    if (fits < wanted.size()) end = start + fits;
    shown = wanted.substr(0, fits);
  } else {
    constexpr std::size_t kGroup = 3;  // Bytes that base64 writes as four.
    end = std::min(end, begin + std::max<std::size_t>(room / 4, 1) * kGroup);
    shown = base64_encode(bytes.substr(begin, end - begin));
  }
  if (end < bytes.size()) out.set("next_offset", end);
  out.set(is_text ? "text" : "blob", std::move(shown));
  return out;
}

json::Object ReadAnswer::part(const KeptRead& read, const Range& range) {
  if (read.items.empty()) return no_content();
  const KeptRead::Item& first = read.items.front();
  if (const auto* text = std::get_if<protocol::TextBody>(&first.body))
    return part_of(text->text, true, range);
  if (const auto* blob = std::get_if<protocol::BlobBody>(&first.body))
    return part_of(blob->bytes, false, range);
  const Result<std::string> bytes = artifacts_.read(owner_, std::get<ArtifactRef>(first.body).id);
  if (!bytes.ok()) return {{"error", bytes.error().message}};
  return part_of(*bytes, first.is_text, range);
}

json::Object ReadAnswer::artifact_part(std::string_view uri, const Range& range) {
  const std::string_view rest = uri.substr(std::min(uri.size(), kScheme.size()));
  const std::size_t mark = rest.find('?');
  const std::string_view id = rest.substr(0, mark);
  Range wanted = range;
  if (mark != std::string_view::npos) {
    const std::optional<contents::UriQuery> query =
        contents::UriQuery::parse(rest.substr(mark + 1), kRangeParameters);
    const std::optional<contents::Range> given = query ? query->range() : std::nullopt;
    if (!given) return {{"error", "Not a URI of an artifact: only offset and length may follow the '?'"}};
    if (given->is_given()) wanted = {.offset = given->offset.value_or(0), .length = given->length};
  }
  if (!is_artifact_id(id)) return {{"error", "Not a URI of an artifact: " + excerpt(uri)}};
  const Result<std::string> bytes = artifacts_.read(owner_, id);
  if (!bytes.ok()) return {{"error", fmt::format("{}. {}", bytes.error().message, bytes.error().hint)}};
  const bool is_text = is_valid_utf8(*bytes) && bytes->find('\0') == std::string::npos;
  return part_of(*bytes, is_text, wanted);
}

}  // namespace sluice::gateway
