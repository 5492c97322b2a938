#include "answer/truncate.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/writer.h"

#include "answer/shorten.h"

namespace sluice::ckan {

namespace {

constexpr std::array<std::string_view, 12> kLists = {"results",   "records",  "rows",          "datasets",
                                                     "resources", "packages", "organizations", "groups",
                                                     "portals",   "tags",     "facets",        "fields"};

// Below this an answer is cut exactly as the original server cuts it, which keeps no more than an explanation
// of an object without lists.
constexpr std::size_t kShortenFrom = 1'000;
constexpr std::string_view kTruncationMarks = R"(,"_truncated":true,"_original_count":1234567890)";

void append_pretty(std::string& out, const json::Value& value, std::size_t depth) {
  const auto line = [&](std::size_t level) { (out += '\n').append(2 * level, ' '); };
  if (const json::Array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      line(depth + 1);
      append_pretty(out, (*array)[i], depth + 1);
    }
    line(depth);
    out += ']';
    return;
  }
  if (const json::Object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '{';
    bool is_first = true;
    for (const json::Member& member : *object) {
      if (!std::exchange(is_first, false)) out += ',';
      line(depth + 1);
      json::append_string(out, member.key);
      out += ": ";
      append_pretty(out, member.value, depth + 1);
    }
    line(depth);
    out += '}';
    return;
  }
  out += json::to_text(value);
}

// Takes elements from the end of a list until the whole fits, or the list is empty. `units` and `bytes` are
// the size of the whole as text.
void pop_until_fits(json::Array& list, std::size_t& units, std::size_t& bytes, const TextRoom& room) {
  while ((units > room.units || bytes > room.bytes) && !list.empty()) {
    const std::string last = json::to_text(list.back());
    const std::size_t comma = list.size() > 1 ? 1 : 0;
    units -= utf16_units(last) + comma;
    bytes -= last.size() + comma;
    list.pop_back();
  }
}

Truncated make_truncated(json::Object object, std::string text, bool is_cut) {
  return {.object = std::move(object), .text = std::move(text), .is_cut = is_cut};
}

// The answer if nothing of the object fits: as much of an explanation as there is room for.
Truncated nothing_fits(const TextRoom& room) {
  json::Object explained{
      {"_truncated", true},
      {"_error", fmt::format("Response exceeded the {} character limit and could not be reduced "
                             "to fit. Narrow the query or use pagination.",
                             room.units)}};
  for (json::Object object : {std::move(explained), json::Object{{"_truncated", true}}}) {
    std::string text = json::to_text(object);
    if (room.holds(text)) return make_truncated(std::move(object), std::move(text), true);
  }
  return make_truncated({}, "{}", true);
}

bool is_list_name(std::string_view name) {
  return std::find(kLists.begin(), kLists.end(), name) != kLists.end();
}

// Shortens what is not one of the lists, so that the lists get half of the room if they need it.
json::Object with_short_members(const json::Object& object, const TextRoom& room) {
  json::Object lists;
  json::Object others;
  for (const json::Member& member : object) {
    const bool is_list = member.value.is_array() && is_list_name(member.key);
    (is_list ? lists : others).append_unchecked(member.key, member.value);
  }
  const std::string list_text = json::to_text(lists);
  const TextRoom half = room.divided_by(2);
  const TextRoom left = half.holds(list_text) ? room.without(list_text) : half;
  const json::Object shortened = shorten(others, left.without(kTruncationMarks));
  json::Object out;
  for (const json::Member& member : object) {
    const json::Value* other = shortened.find(member.key);
    out.append_unchecked(member.key, other == nullptr ? member.value : *other);
  }
  if (const json::Value* marks = shortened.find("_shortened")) {
    out.set("_shortened", *marks);
    out.set("_truncated", true);
  }
  return out;
}

}  // namespace

std::string pretty_text(const json::Value& value) {
  std::string out;
  append_pretty(out, value, 0);
  return out;
}

Truncated truncate(json::Object object, const TextRoom& room) {
  std::string compact = json::to_text(object);
  if (room.holds(compact)) {
    std::string pretty = pretty_text(object);
    const bool fits = room.holds(pretty);
    return make_truncated(std::move(object), fits ? std::move(pretty) : std::move(compact), false);
  }
  if (std::min(room.units, room.bytes) >= kShortenFrom) {
    object = with_short_members(object, room);
    compact = json::to_text(object);
    if (room.holds(compact)) return make_truncated(std::move(object), std::move(compact), true);
  }
  for (const std::string_view name : kLists) {
    const json::Value* found = std::as_const(object).find(name);
    const json::Array* list = found == nullptr ? nullptr : found->if_array();
    if (list == nullptr || list->empty()) continue;
    const std::size_t count = list->size();  // The list moves when a member is added.
    object.set("_truncated", true);
    object.set("_original_count", count);
    compact = json::to_text(object);
    std::size_t units = utf16_units(compact);
    std::size_t bytes = compact.size();
    pop_until_fits(*object.find(name)->if_array(), units, bytes, room);
    compact = json::to_text(object);
    if (room.holds(compact)) return make_truncated(std::move(object), std::move(compact), true);
  }
  return nothing_fits(room);
}

}  // namespace sluice::ckan
