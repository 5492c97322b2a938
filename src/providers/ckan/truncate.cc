#include "truncate.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/writer.h"

namespace sluice::ckan {

namespace {

constexpr std::array<std::string_view, 12> kLists = {"results",   "records",  "rows",          "datasets",
                                                     "resources", "packages", "organizations", "groups",
                                                     "portals",   "tags",     "facets",        "fields"};

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

// Takes elements from the end of a list until the whole fits, or the list is empty. `units` is the length of
// the whole and follows.
void shorten(json::Array& list, std::size_t& units, std::size_t units_max) {
  while (units > units_max && !list.empty()) {
    units -= utf16_units(json::to_text(list.back())) + (list.size() > 1 ? 1 : 0);
    list.pop_back();
  }
}

Truncated whole(json::Object object, std::string text, bool is_cut) {
  return {.object = std::move(object), .text = std::move(text), .is_cut = is_cut};
}

// Where nothing that could be left out is left: a word about it, as long as there is room.
Truncated nothing_left(std::size_t units_max) {
  json::Object said{
      {"_truncated", true},
      {"_error", fmt::format("Response exceeded the {} character limit and could not be reduced "
                             "to fit. Narrow the query or use pagination.",
                             units_max)}};
  for (json::Object object : {std::move(said), json::Object{{"_truncated", true}}}) {
    std::string text = json::to_text(object);
    if (utf16_units(text) <= units_max) return whole(std::move(object), std::move(text), true);
  }
  return whole({}, "{}", true);
}

}  // namespace

std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += ((byte & 0xC0U) != 0x80U ? 1U : 0U) + (byte >= 0xF0U ? 1U : 0U);
  }
  return units;
}

std::string pretty_text(const json::Value& value) {
  std::string out;
  append_pretty(out, value, 0);
  return out;
}

Truncated truncate(json::Object object, std::size_t units_max) {
  std::string compact = json::to_text(object);
  std::size_t units = utf16_units(compact);
  if (units <= units_max) {
    std::string pretty = pretty_text(object);
    if (utf16_units(pretty) <= units_max) return whole(std::move(object), std::move(pretty), false);
    return whole(std::move(object), std::move(compact), false);
  }
  for (const std::string_view name : kLists) {
    const json::Value* found = std::as_const(object).find(name);
    const json::Array* list = found == nullptr ? nullptr : found->if_array();
    if (list == nullptr || list->empty()) continue;
    const std::size_t count = list->size();  // The list moves when a member is added.
    object.set("_truncated", true);
    object.set("_original_count", count);
    units = utf16_units(json::to_text(object));
    shorten(*object.find(name)->if_array(), units, units_max);
    if (units <= units_max) {
      std::string text = json::to_text(object);
      return whole(std::move(object), std::move(text), true);
    }
  }
  return nothing_left(units_max);
}

}  // namespace sluice::ckan
