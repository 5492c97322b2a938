#include "read_answer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/base64.h"
#include "sluice/base/text.h"
#include "sluice/gateway/namespaced_uri.h"

#include "artifact_location.h"
#include "artifact_resources.h"
#include "text_part.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kCutTextBytes = 500;  // What stands beside a text that was cut: marks and the artifact.
constexpr std::size_t kItemsBytes = 100;    // What stands beside items that were left out.
constexpr std::size_t kPartBytes = 120;     // What stands beside a part of a content.
constexpr std::size_t kTextBytesMin = 64;

std::size_t less(std::size_t bytes, std::size_t taken) { return bytes - std::min(bytes, taken); }

json::Object no_content() { return {{"error", "Resource has no content"}}; }

std::string at_offset(const std::string& range_uri, std::size_t offset) {
  return fmt::format("{}offset={}", range_uri, offset);
}

// An artifact that shows nothing of itself. If the upstream goes on behind it, its own URI would not lead
// there.
json::Object as_artifact(const ArtifactRef& artifact, const std::string& then) {
  json::Object out{{"artifact", to_json(artifact)}};
  if (!then.empty())
    out.set("next", at_offset(ArtifactLocation{.id = artifact.id, .range = {}, .then = then}.range_uri(), 0));
  return out;
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

// With the namespace, so that read_resource can follow it as well.
std::string ReadAnswer::next_page(const KeptRead::Item& item) const {
  const std::string next = next_in(item.meta);
  return next.empty() ? next : UriSpace(name_space_).encode(next).value_or("");
}

json::Object ReadAnswer::text_item(const KeptRead::Item& item, const std::string& text,
                                   std::size_t bytes_max) {
  const std::string then = next_page(item);
  if (text.empty() && then.empty()) return no_content();
  const bool is_short = !has_more_chars(text, bounds_.inline_chars_max);
  if (is_short && fitting_as_json(text, less(bytes_max, kItemsBytes + then.size())) == text.size()) {
    json::Object whole;
    if (!then.empty()) whole.set("next", then);
    whole.set("text", text);
    return whole;
  }
  const Result<ArtifactRef> artifact = artifacts_.put(owner_, text,
                                                      {.name_space = name_space_,
                                                       .mime_type = item.mime_type.value_or("text/plain"),
                                                       .filename = filename_of(item.uri),
                                                       .source = item.uri});
  const std::string range_uri =
      artifact.ok() ? ArtifactLocation{.id = artifact->id, .range = {}, .then = then}.range_uri() : "";
  const std::size_t end = std::min(end_of_chars(text, bounds_.inline_chars_max),
                                   fitting_as_json(text, less(bytes_max, kCutTextBytes + range_uri.size())));
  if (artifact.ok() && (!is_short || end < kTextBytesMin)) return as_artifact(*artifact, then);
  json::Object out{{"truncated", true}, {"size_bytes", text.size()}, {"next_offset", end}};
  if (artifact.ok()) {
    out.set("next", at_offset(range_uri, end));
    out.set("artifact", to_json(*artifact));
  }
  out.set("text", text.substr(0, end));
  return out;
}

json::Object ReadAnswer::item(const KeptRead::Item& item, std::size_t bytes_max) {
  if (const std::optional<std::string> text = short_text(item)) return text_item(item, *text, bytes_max);
  if (const auto* artifact = std::get_if<ArtifactRef>(&item.body))
    return as_artifact(*artifact, next_page(item));
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
json::Object ReadAnswer::part_of(std::string_view bytes, bool is_text, const contents::Range& range,
                                 const Onward& onward) const {
  const auto begin =
      static_cast<std::size_t>(std::min<std::uint64_t>(range.offset.value_or(0), bytes.size()));
  std::size_t end = bytes.size();
  if (range.length && *range.length < end - begin) end = begin + static_cast<std::size_t>(*range.length);
  const std::size_t room =
      less(bounds_.bytes_max, kPartBytes + std::max(onward.range_uri.size(), onward.then.size()));
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
  if (end < bytes.size()) {
    out.set("next_offset", end);
    if (!onward.range_uri.empty()) out.set("next", at_offset(onward.range_uri, end));
  } else if (!onward.then.empty()) {
    out.set("next", onward.then);
  }
  out.set(is_text ? "text" : "blob", std::move(shown));
  return out;
}

json::Object ReadAnswer::part(const KeptRead& read, std::size_t item, const contents::Range& range) {
  if (item >= read.items.size()) return no_content();
  const KeptRead::Item& wanted = read.items[item];
  const Onward onward{.range_uri = {}, .then = next_page(wanted)};
  if (const auto* text = std::get_if<protocol::TextBody>(&wanted.body))
    return part_of(text->text, true, range, onward);
  if (const auto* blob = std::get_if<protocol::BlobBody>(&wanted.body))
    return part_of(blob->bytes, false, range, onward);
  const Result<std::string> bytes = artifacts_.read(owner_, std::get<ArtifactRef>(wanted.body).id);
  if (!bytes.ok()) return error_answer(bytes.error());
  return part_of(*bytes, wanted.is_text, range, onward);
}

json::Object ReadAnswer::artifact_part(std::string_view uri, const contents::Range& range) {
  const std::optional<ArtifactLocation> location = ArtifactLocation::parse(uri);
  if (!location) return {{"error", "Not a URI of an artifact: " + excerpt(uri)}};
  contents::Range wanted = location->range;
  if (range.offset) wanted.offset = range.offset;
  if (range.length) wanted.length = range.length;
  const Result<std::string> bytes = artifacts_.read(owner_, location->id);
  if (!bytes.ok()) return error_answer(bytes.error());
  const bool is_text = is_valid_utf8(*bytes) && bytes->find('\0') == std::string::npos;
  return part_of(*bytes, is_text, wanted, {.range_uri = location->range_uri(), .then = location->then});
}

json::Object error_answer(const Error& error) {
  json::Object out{{"error", error.message}};
  if (!error.code.empty()) out.set("code", error.code);
  if (!error.hint.empty()) out.set("hint", error.hint);
  return out;
}

}  // namespace sluice::gateway
